// Block pointers (make_tensor_ptr, advance) become tensors of pointers with masks for the dimensions whose
// bounds are checked; loops carry their offsets. The analysis then sees one kind of address only.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/access/TileAddress.h"
#include "codegen/support/GrowLoop.h"
#include "codegen/support/SourceLine.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace dlsim::access {
namespace {
bool isBlockPointer(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointee());
}

struct Block {
  tt::MakeTensorPtrOp made;   // base, shape and strides
  SmallVector<Value> offsets; // i64
};

class Expander {
public:
  explicit Expander(func::FuncOp function) : function(function), rewriter(function.getContext()) {}

  LogicalResult run() {
    growLoops();
    auto result = function.walk([&](Operation* op) {
      if (auto load = dyn_cast<tt::LoadOp>(op); load && isBlockPointer(load.getPtr().getType()))
        return expand(load) ? WalkResult::advance() : WalkResult::interrupt();
      if (auto store = dyn_cast<tt::StoreOp>(op); store && isBlockPointer(store.getPtr().getType()))
        return expand(store) ? WalkResult::advance() : WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted() || failed(fillLoops()))
      return failure();
    for (Operation* op : dead)
      op->erase();
    return success();
  }

private:
  struct Slot {
    scf::ForOp loop;
    unsigned value, first, rank;
  };

  // Offsets as loop-carried values, filled by fillLoops.
  void growLoops() {
    SmallVector<scf::ForOp> loops;
    function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      SmallVector<Slot> fresh;
      unsigned next = loop.getNumRegionIterArgs();
      for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
        if (isBlockPointer(init.getType())) {
          auto tile = cast<RankedTensorType>(cast<tt::PointerType>(init.getType()).getPointee());
          fresh.push_back({{}, unsigned(i), next, unsigned(tile.getRank())});
          next += tile.getRank();
        }
      if (fresh.empty())
        continue;
      rewriter.setInsertionPoint(loop);
      Value zero = rewriter.create<arith::ConstantIntOp>(loop.getLoc(), 0, 64);
      SmallVector<Value> inits(next - loop.getNumRegionIterArgs(), zero);
      auto grown = growLoop(rewriter, loop, inits);
      for (Slot slot : fresh)
        slots.push_back({grown, slot.value, slot.first, slot.rank});
    }
  }

  LogicalResult fillLoops() {
    for (Slot& slot : slots) {
      scf::ForOp loop = slot.loop;
      Operation* yield = loop.getBody()->getTerminator();
      auto init = block(loop.getInitArgs()[slot.value]), next = block(yield->getOperand(slot.value));
      if (!init || !next || init->made != next->made)
        return errorAt(loop) << "block pointer carried by this loop is not the same tensor in every turn";
      for (unsigned d = 0; d < slot.rank; ++d) {
        loop.getInitArgsMutable()[slot.first + d].set(init->offsets[d]);
        yield->setOperand(slot.first + d, next->offsets[d]);
      }
    }
    return success();
  }

  // What a block pointer stands for; nothing if it is chosen by a branch.
  std::optional<Block> block(Value value) {
    if (auto carried = carriedBy(value)) {
      for (Slot& slot : slots)
        if (slot.loop == carried->first && slot.value == carried->second) {
          auto init = block(slot.loop.getInitArgs()[slot.value]);
          if (!init)
            return std::nullopt;
          for (unsigned d = 0; d < slot.rank; ++d)
            init->offsets[d] = isa<BlockArgument>(value) ? Value(slot.loop.getRegionIterArg(slot.first + d))
                                                         : slot.loop.getResult(slot.first + d);
          return init;
        }
      return std::nullopt;
    }
    if (auto known = blocks.find(value); known != blocks.end())
      return known->second;
    Operation* op = value.getDefiningOp();
    std::optional<Block> result;
    OpBuilder b(function.getContext());
    b.setInsertionPointAfterValue(value);
    auto wide = [&](Value offset) -> Value {
      return b.create<arith::ExtSIOp>(op->getLoc(), b.getI64Type(), offset);
    };
    if (auto made = dyn_cast_or_null<tt::MakeTensorPtrOp>(op)) {
      result = Block{made, {}};
      for (Value offset : made.getOffsets())
        result->offsets.push_back(wide(offset));
    } else if (auto advance = dyn_cast_or_null<tt::AdvanceOp>(op)) {
      result = block(advance.getPtr());
      if (result)
        for (auto [offset, step] : llvm::zip(result->offsets, advance.getOffsets()))
          offset = b.create<arith::AddIOp>(op->getLoc(), offset, wide(step));
    }
    if (result)
      blocks[value] = *result;
    return result;
  }

  std::optional<TileAddress> address(Operation* op, Value pointer, ArrayRef<int32_t> checked) {
    auto target = block(pointer);
    if (!target) {
      errorAt(op) << op->getName()
                  << " through a block pointer that is not made by tt.make_tensor_ptr and tt.advance in "
                  << "loops only is not supported";
      return std::nullopt;
    }
    OpBuilder b(op);
    auto tile = cast<RankedTensorType>(cast<tt::PointerType>(pointer.getType()).getPointee());
    SmallVector<Value> positions;
    for (auto [offset, size] : llvm::zip_equal(target->offsets, tile.getShape()))
      positions.push_back(positionsFrom(b, op->getLoc(), offset, size));
    tt::MakeTensorPtrOp made = target->made;
    StridedArray array{made.getBase(), llvm::to_vector(made.getShape()), llvm::to_vector(made.getStrides())};
    return addressOfTile(b, op->getLoc(), array, positions, tile, checked);
  }

  bool expand(tt::LoadOp load) {
    auto where = address(load, load.getPtr(), load.getBoundaryCheck());
    if (!where)
      return false;
    OpBuilder b(load);
    Value other;
    auto tile = cast<RankedTensorType>(load.getType());
    if (where->mask && load.getPadding())
      other = paddingOf(b, load.getLoc(), *load.getPadding(), tile);
    auto fresh =
        b.create<tt::LoadOp>(load.getLoc(), tile, where->pointers, where->mask, other, ArrayRef<int32_t>(),
                             tt::PaddingOptionAttr(), load.getCache(), load.getEvict(), load.getIsVolatile());
    fresh->setDiscardableAttrs(load->getDiscardableAttrDictionary());
    load.replaceAllUsesWith(fresh.getResult());
    dead.push_back(load);
    return true;
  }

  bool expand(tt::StoreOp store) {
    auto where = address(store, store.getPtr(), store.getBoundaryCheck());
    if (!where)
      return false;
    OpBuilder b(store);
    auto fresh = b.create<tt::StoreOp>(store.getLoc(), where->pointers, store.getValue(), where->mask,
                                       ArrayRef<int32_t>(), store.getCache(), store.getEvict());
    fresh->setDiscardableAttrs(store->getDiscardableAttrDictionary());
    dead.push_back(store);
    return true;
  }

  func::FuncOp function;
  IRRewriter rewriter;
  SmallVector<Slot> slots;
  DenseMap<Value, Block> blocks;
  SmallVector<Operation*> dead;
};
} // namespace

LogicalResult expandBlockPointers(func::FuncOp function) {
  bool any = false;
  function.walk([&](tt::MakeTensorPtrOp) { any = true; });
  if (!any)
    return success();
  if (failed(Expander(function).run()))
    return failure();
  removeDeadCarriedValues(function); // the block pointers themselves
  return success();
}
} // namespace dlsim::access
