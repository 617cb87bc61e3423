#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/support/SourceLine.h"
#include "codegen/ttir/Ttir.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace dlsim::ttir {
namespace {
// Newer MLIR prints tl.assume as `llvm.intr.assume %x : i1`; MLIR 19 reads only the generic form. Lines keep
// their numbers.
std::string inThisVersionsForm(llvm::StringRef text) {
  static const char* pattern = "^( *)llvm\\.intr\\.assume (%[A-Za-z0-9_$.#-]+)[^:]* : i1";
  std::string result;
  result.reserve(text.size());
  llvm::Regex assume(pattern);
  llvm::SmallVector<llvm::StringRef> match;
  for (llvm::StringRef rest = text, line; !rest.empty();) {
    line = rest.take_front(rest.find('\n') == llvm::StringRef::npos ? rest.size() : rest.find('\n') + 1);
    rest = rest.drop_front(line.size());
    if (line.contains("llvm.intr.assume") && assume.match(line, &match))
      result += (match[1] + "\"llvm.intr.assume\"(" + match[2] + ") : (i1) -> ()" +
                 line.drop_front(match[0].size()))
                    .str();
    else
      result += line;
  }
  return result;
}

// "dump.ttir:14:3: " of a mistake in the text, "kernel.py:12:3: " of one in an operation that has a line
// there.
std::string textPosition(Location loc) {
  auto position = sourcePosition(loc);
  return !position ? ""
                   : (position.getFilename().strref() + ":" + llvm::Twine(position.getLine()) + ":" +
                      llvm::Twine(position.getColumn()) + ": ")
                         .str();
}

// Tiles without elements, or with more than can be counted.
LogicalResult checkTiles(ModuleOp module) {
  constexpr double most = 1u << 31;
  const auto check = [](Type type, Operation* op) -> LogicalResult {
    double elements = 1;
    if (auto tile = llvm::dyn_cast<RankedTensorType>(type))
      for (int64_t extent : tile.getShape())
        elements *= double(extent);
    if (elements >= 1 && elements <= most)
      return success();
    return errorAt(op) << type << ": a tensor has 1 to 2^31 elements, in extents that are known";
  };
  WalkResult walked = module.walk([&](Operation* op) {
    for (Type type : op->getResultTypes())
      if (failed(check(type, op)))
        return WalkResult::interrupt();
    for (Region& region : op->getRegions())
      for (Block& block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(check(type, op)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
} // namespace

void registerDialects(DialectRegistry& registry) {
  registry
      .insert<tt::TtDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
              LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect, ub::UBDialect>();
  func::registerInlinerExtension(registry);
}

llvm::Expected<OwningOpRef<ModuleOp>> parseTtir(llvm::StringRef path, MLIRContext& context) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!file)
    return llvm::createStringError(file.getError(), "cannot read '%s': %s", path.str().c_str(),
                                   file.getError().message().c_str());
  return parseTtir((*file)->getMemBufferRef(), context);
}

llvm::Expected<OwningOpRef<ModuleOp>> parseTtir(llvm::MemoryBufferRef text, MLIRContext& context) {
  if (auto error = checkNesting(text))
    return std::move(error);
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.allowUnregisteredDialects(); // attributes of other back ends (ttg.*, hacc.*); operations are
                                       // checked below
  if (auto error = findUnknownOperation(text, context))
    return std::move(error);

  std::string messages;
  llvm::raw_string_ostream stream(messages);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic& diagnostic) {
    stream << (messages.empty() ? "" : "\n") << textPosition(diagnostic.getLocation())
           << "error: " << diagnostic;
    return success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(inThisVersionsForm(text.getBuffer()), text.getBufferIdentifier()),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module || failed(checkTiles(*module)))
    return llvm::createStringError(llvm::inconvertibleErrorCode(), messages);
  return module;
}
} // namespace dlsim::ttir
