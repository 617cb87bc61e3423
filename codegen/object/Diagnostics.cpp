#include "Diagnostics.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlsim::codegen {

struct DiagnosticCollector::Handler : DiagnosticHandler {
  std::string& text;
  explicit Handler(std::string& to) : text(to) {}

  bool handleDiagnostics(const DiagnosticInfo& info) override {
    if (info.getSeverity() != DS_Error)
      return info.getSeverity() == DS_Remark || info.getSeverity() == DS_Note;
    raw_string_ostream out(text);
    if (!text.empty())
      out << '\n';
    if (auto* unsupported = dyn_cast<DiagnosticInfoUnsupported>(&info)) {
      if (unsupported->isLocationAvailable())
        out << unsupported->getLocationStr() << ": ";
      out << "error: in '" << unsupported->getFunction().getName() << "': " << unsupported->getMessage();
      return true;
    }
    out << "error: ";
    DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    return true;
  }
};

DiagnosticCollector::DiagnosticCollector(LLVMContext& to) : context(to), previous(to.getDiagnosticHandler()) {
  context.setDiagnosticHandler(std::make_unique<Handler>(text));
}

DiagnosticCollector::~DiagnosticCollector() { context.setDiagnosticHandler(std::move(previous)); }

Error DiagnosticCollector::take() {
  if (text.empty())
    return Error::success();
  Error error = makeError(text);
  text.clear();
  return error;
}

Error makeError(const Twine& message) { return createStringError(inconvertibleErrorCode(), message); }

} // namespace dlsim::codegen
