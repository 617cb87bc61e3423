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
  llvm::StringMap<unsigned> names;
  for (BlockArgument argument : function.getArguments()) {
    auto pointee = function.getArgAttrOfType<TypeAttr>(argument.getArgNumber(), "npu.pointee");
    std::string name = argumentName(argument);
    if (unsigned before = names[name]++) // parts of one of the kernel's own arguments
      name += "." + std::to_string(before);
    args.push_back(llvm::json::Object{
        {"name", name},
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

void describeMessages(func::FuncOp function, llvm::json::Array& messages) {
  auto all = function->getAttrOfType<ArrayAttr>(npu::kMessagesAttr);
  if (!all)
    return;
  for (auto message : all.getAsRange<DictionaryAttr>()) {
    llvm::json::Array values;
    for (auto value : message.getAs<ArrayAttr>("values").getAsRange<DictionaryAttr>()) {
      std::string dtype = dtypeName(value.getAs<TypeAttr>("type").getValue());
      if (value.getAs<BoolAttr>("unsigned").getValue())
        dtype[0] = 'u';
      values.push_back(llvm::json::Object{
          {"dtype", dtype},
          {"shape", llvm::json::Array(value.getAs<DenseI64ArrayAttr>("shape").asArrayRef())}});
    }
    messages.push_back(llvm::json::Object{{"text", message.getAs<StringAttr>("text").getValue()},
                                          {"line", message.getAs<StringAttr>("line").getValue()},
                                          {"kind", message.getAs<StringAttr>("kind").getValue()},
                                          {"hex", message.getAs<BoolAttr>("hex").getValue()},
                                          {"programs", message.getAs<IntegerAttr>("programs").getInt()},
                                          {"values", std::move(values)}});
  }
}

// What a mixed kernel counts on: its flags and workspace join one cube core to the vector cores beside it,
// and these may share rows.
llvm::json::Object describeCluster(llvm::ArrayRef<func::FuncOp> functions) {
  llvm::json::Object cores{{"aic", 1}};
  for (func::FuncOp one : functions)
    if (auto vectorCores = one->getAttrOfType<IntegerAttr>("npu.vector_cores"))
      cores["aiv"] = vectorCores.getInt();
  return cores;
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
  llvm::json::Array messages;
  for (func::FuncOp one : functions) {
    describeBuffers(one, buffers);
    describeMessages(one, messages);
  }
  auto workspace = function->getAttrOfType<IntegerAttr>("npu.workspace_bytes");
  auto rank = function->getAttrOfType<IntegerAttr>("dl.grid_rank");
  auto order = function->getAttrOfType<StringAttr>("dl.order");
  llvm::json::Object meta{
      {"kernel", function.getName()},
      {"kind", functions.size() > 1 ? StringRef("mix") : kindOf(function)},
      {"args", describeArguments(function)},
      {"grid", llvm::json::Object{{"rank", rank ? rank.getInt() : 1},
                                  {"order", order ? order.getValue() : "rows"},
                                  {"k_offset", function->hasAttr("dl.k_offset")},
                                  {"policy", "loop"}}},
      {"workspace_bytes_per_core", workspace ? workspace.getInt() : 0},
      {"buffers", std::move(buffers)},
      {"messages", std::move(messages)},
  };
  if (functions.size() > 1)
    meta["per_cluster"] = describeCluster(functions);
  return meta;
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
