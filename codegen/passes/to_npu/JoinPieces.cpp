// Pass npu-join-pieces: where rows are computed in pieces, commands that do the same to each piece's few
// numbers (the statistics of its rows, say) cost more in their start than in their work. Such commands become
// one, at the last one's place, on a buffer that has the pieces side by side; other commands access its
// parts. Only buffers that the vector unit alone touches are joined: transfers of one piece run beside
// commands on another.
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/dialects/npu/VectorForms.h"
#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/to_npu/ToNpu.h"
#include "codegen/support/RowPieces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t mostTemporaryBytes = 8192; // of pieces in a loop: side by side all are alive at once

using Group = SmallVector<Operation*>; // a command for each piece, in program order

// Bytes of a buffer.
struct Bytes {
  Operation* alloc = nullptr;
  int64_t begin = 0, end = 0;

  static Bytes of(Value buffer) {
    Root root = rootOf(buffer);
    return {root.alloc, root.part.value_or(0),
            root.part.value_or(0) + npu::slotBytes(cast<MemRefType>(buffer.getType()))};
  }
  bool overlaps(const Bytes& other) const {
    return alloc == other.alloc && begin < other.end && other.begin < end;
  }
};

bool overlap(ArrayRef<Value> some, ArrayRef<Value> others) {
  return llvm::any_of(some, [&](Value a) {
    return llvm::any_of(others, [&](Value b) { return Bytes::of(a).overlaps(Bytes::of(b)); });
  });
}

// Whether `op` may not change places with what `other`, or a command in its regions, does.
bool dependsOn(Operation* op, Operation* other) {
  auto command = cast<npu::NpuCommand>(op);
  return other
      ->walk([&](npu::NpuCommand with) {
        bool conflict = overlap(command.writes(), with.reads()) || overlap(command.writes(), with.writes()) ||
                        overlap(command.reads(), with.writes());
        return conflict ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isBuffer(Value value) { return isa<MemRefType>(value.getType()); }

MemRefType typeOfAll(MemRefType piece, int64_t pieces) {
  SmallVector<int64_t> shape(piece.getShape());
  shape[0] *= pieces;
  return MemRefType::get(shape, piece.getElementType(), piece.getLayout(), piece.getMemorySpace());
}

// Whether the pieces lie behind each other as the tile of all of them does.
bool fitTogether(MemRefType piece, int64_t pieces) {
  return npu::elementBits(piece) >= 8 && npu::spaceOf(piece) == npu::Space::UB &&
         npu::slotBytes(typeOfAll(piece, pieces)) == pieces * npu::slotBytes(piece);
}

class Joiner {
public:
  Joiner(func::FuncOp function, int64_t pieces) : function(function), pieces(pieces) {
    AccessTable table = AccessTable::build(function);
    for (const Access& access : table.accesses)
      if (access.unit != npu::Unit::V && table.buffers[access.buffer].onChip())
        shared.insert(npu::AllocOp(table.buffers[access.buffer].alloc).getOperation());
  }

  // From the end backwards, so that what reads a result has moved before its command does. Commands of which
  // each piece has one tell which buffers belong together; the others follow.
  void run() {
    SmallVector<Group> alike = collect();
    for (const Group& group : llvm::reverse(alike))
      if (int64_t(group.size()) == pieces && buffersMatch(group))
        join(group);
    for (const Group& group : llvm::reverse(alike))
      if (int64_t(group.size()) > pieces)
        joinSeveral(group);
  }

private:
  static bool isPiecewise(Operation* op) {
    if (auto column = dyn_cast<npu::VColumnOp>(op))
      return !column.getTmp();
    return isa<npu::VBinaryOp, npu::VUnaryOp, npu::VScalarOp, npu::VCastOp, npu::VBlocksOp, npu::VDupOp>(op);
  }

  static bool isAlike(Operation* a, Operation* b) {
    return a->getName() == b->getName() && a->getLoc() == b->getLoc() &&
           a->getAttrDictionary() == b->getAttrDictionary() &&
           llvm::all_of(llvm::zip_equal(a->getOperands(), b->getOperands()), [](auto pair) {
             auto [x, y] = pair;
             return x.getType() == y.getType() && (isBuffer(x) || x == y);
           });
  }

  // Commands of a block that come from one operation of the kernel, in the order of the first of each group.
  SmallVector<Group> collect() const {
    SmallVector<Group> found;
    func::FuncOp(function).walk([&](Block* block) {
      size_t before = found.size();
      for (Operation& op : *block) {
        if (!isPiecewise(&op))
          continue;
        auto* group = std::find_if(found.begin() + before, found.end(),
                                   [&](const Group& g) { return isAlike(g.front(), &op); });
        (group == found.end() ? found.emplace_back() : *group).push_back(&op);
      }
    });
    return found;
  }

  // Those that access parts of the same buffer belong together.
  void joinSeveral(Group group) {
    for (bool again = true; again;) {
      again = false;
      for (Operation* first : group) {
        Group some = ofOneBuffer(group, first);
        if (int64_t(some.size()) != pieces || !buffersMatch(some) || !join(some))
          continue;
        llvm::erase_if(group, [&](Operation* op) { return llvm::is_contained(some, op); });
        again = true;
        break;
      }
    }
  }

  // The commands one of whose operands is part of the same buffer as that operand of `first`.
  static Group ofOneBuffer(const Group& group, Operation* first) {
    Group found;
    for (unsigned i = 0; i < first->getNumOperands() && found.empty(); ++i)
      if (auto part = first->getOperand(i).getDefiningOp<npu::PartOp>())
        llvm::copy_if(group, std::back_inserter(found), [&](Operation* op) {
          auto other = op->getOperand(i).getDefiningOp<npu::PartOp>();
          return other && other.getSource() == part.getSource();
        });
    return found;
  }

  // Whether each operand is a piece's part of one buffer, or may become one.
  bool buffersMatch(const Group& group) const {
    for (unsigned i = 0; i < group.front()->getNumOperands(); ++i) {
      if (!isBuffer(group.front()->getOperand(i)))
        continue;
      SmallVector<Value> buffers;
      for (Operation* op : group)
        buffers.push_back(op->getOperand(i));
      if (!areParts(buffers) && !mayBecomeParts(buffers))
        return false;
    }
    return keepsForm(group.front());
  }

  bool areParts(ArrayRef<Value> buffers) const {
    auto first = buffers.front().getDefiningOp<npu::PartOp>();
    int64_t at = 0;
    return first && llvm::all_of(buffers, [&](Value buffer) {
             auto part = buffer.getDefiningOp<npu::PartOp>();
             bool next = part && part.getSource() == first.getSource() && int64_t(part.getOffset()) == at;
             at += npu::slotBytes(cast<MemRefType>(buffer.getType()));
             return next;
           });
  }

  bool mayBecomeParts(ArrayRef<Value> buffers) const {
    auto type = cast<MemRefType>(buffers.front().getType());
    if (!fitTogether(type, pieces))
      return false;
    llvm::SmallPtrSet<Operation*, 8> seen;
    return llvm::all_of(buffers, [&](Value buffer) {
      auto alloc = buffer.getDefiningOp<npu::AllocOp>();
      if (!alloc || shared.contains(alloc) || !seen.insert(alloc).second ||
          alloc->getBlock() != buffers.front().getDefiningOp()->getBlock())
        return false;
      return !alloc->getParentOfType<LoopLikeOpInterface>() ||
             pieces * npu::slotBytes(type) <= mostTemporaryBytes;
    });
  }

  // Whether all pieces together are a command of the same kind without more scratch.
  bool keepsForm(Operation* op) const {
    auto all = [&](Value piece) { return typeOfAll(cast<MemRefType>(piece.getType()), pieces); };
    if (auto column = dyn_cast<npu::VColumnOp>(op))
      return npu::columnScratch(all(column.getDst()), column.getKind()) == 0;
    if (auto blocks = dyn_cast<npu::VBlocksOp>(op)) {
      MemRefType from = all(blocks.getSrc()), to = all(blocks.getDst());
      return npu::blockElements(from.getNumElements(), npu::elementBits(from)) == to.getNumElements();
    }
    return true;
  }

  bool join(const Group& group) {
    Operation* last = group.back();
    for (Operation* op : ArrayRef(group).drop_back())
      for (Operation* between = op->getNextNode(); between != last; between = between->getNextNode())
        if (!llvm::is_contained(group, between) && dependsOn(op, between))
          return false;
    for (unsigned i = 0; i < last->getNumOperands(); ++i)
      if (isBuffer(last->getOperand(i)) && !wholeOf(group, i))
        return false;
    for (unsigned i = 0; i < last->getNumOperands(); ++i)
      if (isBuffer(last->getOperand(i)))
        last->setOperand(i, wholeOf(group, i));
    for (Operation* op : ArrayRef(group).drop_back())
      op->erase();
    return true;
  }

  // The buffer that has an operand's pieces side by side; null if they are parts of others by now.
  Value wholeOf(const Group& group, unsigned operand) {
    SmallVector<Value> buffers;
    for (Operation* op : group)
      buffers.push_back(op->getOperand(operand));
    if (!areParts(buffers)) {
      if (!mayBecomeParts(buffers))
        return {};
      makeParts(buffers);
    }
    return group.front()->getOperand(operand).getDefiningOp<npu::PartOp>().getSource();
  }

  void makeParts(ArrayRef<Value> buffers) {
    SmallVector<npu::AllocOp> allocs;
    for (Value buffer : buffers)
      allocs.push_back(buffer.getDefiningOp<npu::AllocOp>());
    auto first = *llvm::min_element(allocs, [](auto a, auto b) { return a->isBeforeInBlock(b); });
    auto type = cast<MemRefType>(first.getType());
    OpBuilder builder(first);
    auto whole = cast<npu::AllocOp>(builder.clone(*first));
    whole.getResult().setType(typeOfAll(type, pieces));
    for (auto [i, alloc] : llvm::enumerate(allocs)) {
      builder.setInsertionPoint(alloc);
      alloc.getResult().replaceAllUsesWith(
          builder.create<npu::PartOp>(alloc.getLoc(), type, whole, int64_t(i) * npu::slotBytes(type)));
      alloc.erase();
    }
  }

  func::FuncOp function;
  int64_t pieces;
  llvm::DenseSet<Operation*> shared; // buffers that other units touch
};

class JoinPiecesPass : public PassWrapper<JoinPiecesPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(JoinPiecesPass)
  StringRef getArgument() const final { return "npu-join-pieces"; }
  StringRef getDescription() const final { return "Small commands of several pieces of rows become one"; }
  void runOnOperation() final {
    if (auto pieces = getOperation()->getAttrOfType<IntegerAttr>(rowPieces))
      Joiner(getOperation(), pieces.getInt()).run();
  }
};

} // namespace

std::unique_ptr<Pass> createNpuJoinPiecesPass() { return std::make_unique<JoinPiecesPass>(); }

} // namespace dlsim::codegen
