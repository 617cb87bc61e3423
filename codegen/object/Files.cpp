#include "Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlsim::codegen {

char OutputError::ID = 0;

static std::error_code writeTo(raw_fd_ostream& out, StringRef bytes) {
  out << bytes;
  out.flush();
  std::error_code code = out.error();
  out.clear_error(); // else LLVM ends the program with its own words
  return code;
}

Error writeFile(StringRef path, StringRef bytes) {
  std::error_code code;
  if (path == "-") {
    code = writeTo(outs(), bytes);
  } else if (sys::fs::exists(path) &&
             !sys::fs::is_regular_file(path)) { // a device, which no file may replace
    raw_fd_ostream out(path, code);
    if (!code)
      code = writeTo(out, bytes);
  } else {
    code = errorToErrorCode(writeToOutput(path, [&](raw_ostream& out) {
      return errorCodeToError(writeTo(static_cast<raw_fd_ostream&>(out), bytes));
    }));
  }
  return code ? make_error<OutputError>(path, code) : Error::success();
}

std::string overwrittenInput(StringRef output, ArrayRef<std::string> inputs) {
  for (const std::string& input : inputs)
    if (bool same = false; output != "-" && !sys::fs::equivalent(output, input, same) && same)
      return input;
  return "";
}

bool isText(StringRef bytes) {
  return json::isUTF8(bytes) && llvm::none_of(bytes, [](unsigned char c) {
           return c < ' ' && !StringRef("\t\n\v\f\r").contains(char(c));
         });
}

} // namespace dlsim::codegen
