#include "codegen/passes/to_llvm/kernel.h"

#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/to_llvm/lower.h"
#include "codegen/support/SourceLine.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

std::string dtypeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

// Triton names arguments by their locations.
std::string argumentName(BlockArgument argument) {
  if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
    return name.getName().str();
  return "arg" + std::to_string(argument.getArgNumber());
}

llvm::json::Array describeArguments(func::FuncOp function) {
  llvm::json::Array args;
  for (BlockArgument argument : function.getArguments()) {
    auto pointee = function.getArgAttrOfType<TypeAttr>(argument.getArgNumber(), "npu.pointee");
    args.push_back(llvm::json::Object{
        {"name", argumentName(argument)},
        {"kind", pointee ? "tensor" : "scalar"},
        {"dtype", dtypeName(pointee ? pointee.getValue() : argument.getType())},
    });
  }
  return args;
}

llvm::json::Array describeBuffers(func::FuncOp function) {
  llvm::json::Array buffers;
  function.walk([&](npu::AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getResult().getType());
    buffers.push_back(llvm::json::Object{
        {"name", nameOf(alloc)},
        {"scope", npu::stringifySpace(npu::spaceOf(type))},
        {"offset", alloc.getOffset().value_or(0)},
        {"bytes", npu::slotBytes(type)},
        {"slots", int64_t(alloc.getSlots())},
        {"line", sourceLine(alloc.getLoc())},
    });
  });
  return buffers;
}

} // namespace

llvm::json::Object describeKernel(func::FuncOp function) {
  auto kind = function->getAttrOfType<StringAttr>("npu.kind");
  auto rank = function->getAttrOfType<IntegerAttr>("dl.grid_rank");
  auto order = function->getAttrOfType<StringAttr>("dl.order");
  return llvm::json::Object{
      {"kernel", function.getName()},
      {"kind", kind ? kind.getValue() : "aiv"},
      {"args", describeArguments(function)},
      {"grid", llvm::json::Object{{"rank", rank ? rank.getInt() : 1},
                                  {"order", order ? order.getValue() : "rows"},
                                  {"k_offset", function->hasAttr("dl.k_offset")},
                                  {"policy", "loop"}}},
      {"buffers", describeBuffers(function)},
  };
}

void loadArguments(func::FuncOp function, Emitter& emitter) {
  Block& body = function.getBody().front();
  emitter.at(&body.front());
  for (BlockArgument argument : body.getArguments())
    if (!argument.use_empty())
      argument.replaceAllUsesWith(loadArgumentSlot(emitter, argument.getArgNumber(), argument.getType()));
  llvm::BitVector all(body.getNumArguments(), true);
  function.eraseArguments(all);
}

} // namespace dlsim::codegen
