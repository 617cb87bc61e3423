#include "codegen/driver/messages.h"

#include "codegen/object/Diagnostics.h"
#include "codegen/support/SourceLine.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace dlsim::codegen {

static std::string withPosition(Location loc, StringRef severity, StringRef text) {
  auto position = sourcePosition(loc);
  std::string where =
      position ? (position.getFilename().strref() + ":" + llvm::Twine(position.getLine()) + ": ").str() : "";
  return (where + severity + ": " + text).str();
}

Messages::Messages(MLIRContext& context, bool explain)
    : handler(&context, [this, explain](Diagnostic& diagnostic) {
        std::string text = diagnostic.str();
        switch (diagnostic.getSeverity()) {
        case DiagnosticSeverity::Error:
          errors += (errors.empty() ? "" : "\n") + withPosition(diagnostic.getLocation(), "error", text);
          for (Diagnostic& note : diagnostic.getNotes())
            if (!StringRef(note.str()).starts_with("see current operation"))
              errors += "\n" + withPosition(note.getLocation(), "note", note.str());
          break;
        case DiagnosticSeverity::Warning:
          say(withPosition(diagnostic.getLocation(), "warning", text) + "\n");
          break;
        default:
          if (explain)
            say(withPosition(diagnostic.getLocation(), "remark", text) + "\n");
        }
        return success();
      }) {
  context.printOpOnDiagnostic(false);
}

llvm::Error Messages::takeError() {
  return makeError(errors.empty() ? std::string("error: a pass failed without a message")
                                  : std::move(errors));
}

void Messages::say(std::string text) {
  if (holds.empty())
    llvm::errs() << text;
  else
    held += text;
}

void Messages::release(bool print) {
  if (!print)
    held.resize(holds.back());
  holds.pop_back();
  if (holds.empty()) {
    llvm::errs() << held;
    held.clear();
  }
}

void warn(const llvm::Twine& text) { llvm::errs() << "dlc: warning: " << text << "\n"; }

} // namespace dlsim::codegen
