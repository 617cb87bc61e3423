// A parser stops at an operation it does not know with a position in the dump. A person wants the line of the
// kernel and the list of what works, so the text is searched for unknown operations first.
#include "codegen/ttir/Ttir.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using llvm::StringRef;

namespace dlsim::ttir {
namespace {
// The operation name that a line starts with (after its results), or empty.
StringRef operationName(StringRef line) {
  line = line.ltrim();
  if (line.starts_with("%")) {
    size_t equal = line.find(" = ");
    if (equal == StringRef::npos)
      return {};
    line = line.substr(equal + 3).ltrim();
  }
  if (line.consume_front("\"")) {
    auto [name, rest] = line.split('"');
    return rest.ltrim().starts_with("(") && name.contains('.') ? name : StringRef();
  }
  auto name = line.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  bool attribute =
      line.drop_front(name.size()).ltrim().starts_with("="); // of a dictionary over several lines
  return !attribute && name.contains('.') && llvm::isAlpha(name.front()) ? name : StringRef();
}

using Aliases = llvm::StringMap<StringRef>;
Aliases locationAliases(StringRef text) {
  Aliases aliases;
  for (StringRef line : llvm::split(text, '\n'))
    if (line.starts_with("#loc")) {
      auto [name, value] = line.split(" = ");
      aliases[name.trim()] = value.trim();
    }
  return aliases;
}

// The text from the location on of the operation that begins at the front of `text`: at the end of the line,
// or behind its regions.
StringRef locationText(StringRef text) {
  int depth = 0;
  for (StringRef line : llvm::split(text, '\n')) {
    line = line.trim();
    depth -= line.starts_with("}");
    size_t at = line.rfind("loc(");
    bool opens = line.ends_with("{");
    if (depth <= 0 && !opens)
      return at == StringRef::npos ? StringRef() : line.substr(at);
    depth += opens;
  }
  return {};
}

// "file.py:12" out of the text of a location.
std::string position(StringRef location, const Aliases& aliases, int depth = 0) {
  llvm::SmallVector<StringRef> match;
  if (llvm::Regex("\"([^\"]*)\":([0-9]+)").match(location, &match))
    return (match[1].substr(match[1].find_last_of('/') + 1) + ":" + match[2]).str();
  if (depth > 20 || !llvm::Regex("(#loc[0-9]*)").match(location, &match))
    return "";
  auto alias = aliases.find(match[1]);
  return alias == aliases.end() ? "" : position(alias->second, aliases, depth + 1);
}

std::string supportedOperations(MLIRContext& context) {
  llvm::SmallVector<StringRef> names;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "tt")
      names.push_back(name.getStringRef());
  llvm::sort(names);
  return llvm::join(names, " ");
}
} // namespace

llvm::Error checkNesting(llvm::MemoryBufferRef text) {
  // Far above what a kernel needs, far below what exhausts the parser's stack.
  constexpr unsigned limit = 5000;
  unsigned depth = 0, line = 1;
  bool quoted = false;
  char before = 0;
  for (char c : text.getBuffer()) {
    line += c == '\n';
    if (c == '"' && before != '\\')
      quoted = !quoted;
    quoted &= c != '\n';
    if (!quoted && StringRef("([{<").contains(c) && ++depth > limit)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     text.getBufferIdentifier() + ":" + llvm::Twine(line) +
                                         ": error: brackets are nested deeper than " + llvm::Twine(limit));
    if (!quoted && depth && (StringRef(")]}").contains(c) || (c == '>' && before != '-')))
      --depth;
    before = c;
  }
  return llvm::Error::success();
}

llvm::Error findUnknownOperation(llvm::MemoryBufferRef text, MLIRContext& context) {
  unsigned number = 0;
  for (StringRef line : llvm::split(text.getBuffer(), '\n')) {
    ++number;
    StringRef name = operationName(line);
    bool otherBackEnd = name.starts_with("gpu.") && name != "gpu.barrier";
    if (name.empty() || (RegisteredOperationName::lookup(name, &context) && !otherBackEnd))
      continue;
    StringRef rest = text.getBuffer().substr(size_t(line.data() - text.getBufferStart()));
    std::string where = position(locationText(rest), locationAliases(text.getBuffer()));
    if (where.empty())
      where = (text.getBufferIdentifier() + ":" + llvm::Twine(number)).str();
    std::string hint = "; supported: " + supportedOperations(context);
    if (!name.starts_with("tt."))
      hint =
          "; TTIR text may use the dialects tt, arith, math, scf, cf, tensor, ub (a dump made after layout "
          "passes, with ttg operations, is too late)";
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   where + ": error: unsupported op " + name + hint);
  }
  return llvm::Error::success();
}
} // namespace dlsim::ttir
