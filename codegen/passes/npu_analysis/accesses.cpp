#include "codegen/passes/npu_analysis/accesses.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

using namespace mlir;

namespace dlsim::codegen {
namespace {

class Builder {
public:
  void visit(Operation* op) {
    if (auto alloc = dyn_cast<npu::AllocOp>(op))
      addBuffer(alloc);
    auto command = dyn_cast<npu::NpuCommand>(op);
    if (!command)
      return;
    for (Value read : command.reads())
      add(op, command.unit(), read, false);
    for (Value written : command.writes())
      add(op, command.unit(), written, true);
    if (auto gm = command.gmAccess())
      table.accesses.push_back({op, command.unit(), globalBuffer(gm->arg), gm->write, nullptr});
  }

  AccessTable table;

private:
  void addBuffer(npu::AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getResult().getType());
    Buffer buffer;
    buffer.alloc = alloc;
    buffer.slotBytes = npu::slotBytes(type);
    buffer.slots = alloc.getSlots();
    buffer.space = npu::spaceOf(type);
    if (auto offset = alloc.getOffset())
      buffer.offset = *offset;
    byAlloc[alloc] = table.buffers.size();
    table.buffers.push_back(buffer);
  }

  void add(Operation* op, npu::Unit unit, Value memref, bool write) {
    Root root = rootOf(memref);
    unsigned buffer = byAlloc.lookup(root.alloc);
    bool unitFlag = table.buffers[buffer].space == npu::Space::L0C && heedsUnitFlags(op);
    table.accesses.push_back({op, unit, buffer, write, root.slot, root.part.has_value(), unitFlag});
  }

  unsigned globalBuffer(std::optional<int64_t> argument) {
    int key = argument ? int(*argument) : Buffer::unknownArgument;
    auto [it, isNew] = byArgument.try_emplace(key, table.buffers.size());
    if (isNew) {
      Buffer buffer;
      buffer.argument = key;
      table.buffers.push_back(buffer);
    }
    return it->second;
  }

  llvm::DenseMap<Operation*, unsigned> byAlloc;
  std::map<int, unsigned> byArgument;
};

} // namespace

AccessTable AccessTable::build(func::FuncOp function) {
  Builder builder;
  function.walk<WalkOrder::PreOrder>([&](Operation* op) { builder.visit(op); });
  return std::move(builder.table);
}

bool AccessTable::mayOverlap(unsigned a, unsigned b) const {
  const Buffer &x = buffers[a], &y = buffers[b];
  if (a == b)
    return true;
  if (x.onChip() != y.onChip())
    return false;
  if (!x.onChip())
    return x.argument == Buffer::unknownArgument || y.argument == Buffer::unknownArgument;
  if (x.space != y.space || !x.offset || !y.offset)
    return false;
  return *x.offset < *y.offset + y.totalBytes() && *y.offset < *x.offset + x.totalBytes();
}

bool waitsForAllBlocks(const Buffer& first, const Buffer& second) {
  if (first.alloc == second.alloc || !first.offset || !second.offset)
    return true;
  if (first.offset == second.offset && first.slotBytes == second.slotBytes)
    return true;
  return second.slots == 1 && *second.offset <= *first.offset &&
         *second.offset + second.slotBytes >= *first.offset + first.totalBytes();
}

scf::IfOp exclusiveBranch(Operation* a, Operation* b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (branch->isProperAncestor(b))
      return branch.getThenRegion().isAncestor(a->getParentRegion()) !=
                     branch.getThenRegion().isAncestor(b->getParentRegion())
                 ? branch
                 : scf::IfOp();
  return {};
}

bool heedsUnitFlags(Operation* op) {
  auto flag = op->getAttrOfType<npu::UnitFlagAttr>("unit_flag");
  return isa<npu::HandOverOp>(op) || (flag && flag.getValue() != npu::UnitFlag::off);
}

Root rootOf(Value memref) {
  Root root;
  while (true) {
    if (auto slot = memref.getDefiningOp<npu::SlotOp>()) {
      root.slot = slot.getIndex();
      memref = slot.getSource();
    } else if (auto part = memref.getDefiningOp<npu::PartOp>()) {
      root.part = root.part.value_or(0) + part.getOffset();
      memref = part.getSource();
    } else {
      break;
    }
  }
  root.alloc = memref.getDefiningOp<npu::AllocOp>();
  assert(root.alloc && "a command's buffer is an npu.alloc, a slot or a part of one");
  return root;
}

Operation* ancestorIn(Block* block, Operation* op) { return block->findAncestorOpInBlock(*op); }

Block* commonBlock(Operation* a, Operation* b) {
  Block* block = a->getBlock();
  while (!ancestorIn(block, b))
    block = block->getParentOp()->getBlock();
  return block;
}

Operation* loopAround(Block* block) {
  for (Operation* op = block->getParentOp(); op && !isa<FunctionOpInterface>(op); op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      return op;
  return nullptr;
}

llvm::StringRef nameOf(npu::AllocOp alloc) {
  auto name = alloc.getNameAttr();
  return name ? name.strref() : llvm::StringRef("buffer");
}

Operation* rotationRoot(Value slot, Operation* loop) {
  // The index is an iter_arg of `loop`; its start value is an iter_arg of the loop around it, whose yield
  // takes the inner loop's result, and so on out to a constant start.
  auto argument = dyn_cast<BlockArgument>(slot);
  auto current = dyn_cast_if_present<scf::ForOp>(loop);
  if (!argument || !current || argument.getOwner() != current.getBody() ||
      argument == current.getInductionVar())
    return nullptr;
  while (true) {
    Value init = current.getTiedLoopInit(argument)->get();
    auto outerArgument = dyn_cast<BlockArgument>(init);
    auto outer = dyn_cast<scf::ForOp>(current->getParentOp());
    if (!outerArgument || !outer || outerArgument.getOwner() != outer.getBody() ||
        outerArgument == outer.getInductionVar())
      return current;
    Value carried = outer.getTiedLoopYieldedValue(outerArgument)->get();
    if (carried != current.getTiedLoopResult(argument))
      return current;
    argument = outerArgument;
    current = outer;
  }
}

} // namespace dlsim::codegen
