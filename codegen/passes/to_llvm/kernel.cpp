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

void describeBuffers(func::FuncOp function, llvm::json::Array& buffers) {
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
}

StringRef kindOf(func::FuncOp function) {
  auto kind = function->getAttrOfType<StringAttr>("npu.kind");
  return kind ? kind.getValue() : StringRef("aiv");
}

} // namespace

StringRef entryName(func::FuncOp function) {
  bool second = function->hasAttr("npu.workspace_bytes") && kindOf(function) == "aiv";
  return second ? "kernel.aiv" : "kernel";
}

llvm::json::Object describeKernel(llvm::ArrayRef<func::FuncOp> functions) {
  func::FuncOp function = functions.front();
  llvm::json::Array buffers;
  for (func::FuncOp one : functions)
    describeBuffers(one, buffers);
  auto workspace = function->getAttrOfType<IntegerAttr>("npu.workspace_bytes");
  auto rank = function->getAttrOfType<IntegerAttr>("dl.grid_rank");
  auto order = function->getAttrOfType<StringAttr>("dl.order");
  return llvm::json::Object{
      {"kernel", function.getName()},
      {"kind", functions.size() > 1 ? StringRef("mix") : kindOf(function)},
      {"args", describeArguments(function)},
      {"grid", llvm::json::Object{{"rank", rank ? rank.getInt() : 1},
                                  {"order", order ? order.getValue() : "rows"},
                                  {"k_offset", function->hasAttr("dl.k_offset")},
                                  {"policy", "loop"}}},
      {"workspace_bytes_per_core", workspace ? workspace.getInt() : 0},
      {"buffers", std::move(buffers)},
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
