// Products of three dimensions become products of two, one for each element of the first dimension, with
// everything between loads and stores that they need. Loops carry the slices in place of the whole tensors.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/support/GrowLoop.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlsim::access {
namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

bool isBatched(Operation* op) {
  auto dot = dyn_cast<tt::DotOp>(op);
  return dot && cast<RankedTensorType>(dot.getType()).getRank() == 3;
}

// Of one element of the first dimension: a tensor without it, or a scalar.
Type sliceOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getRank() == 1)
    return tensor.getElementType();
  return RankedTensorType::get(tensor.getShape().drop_front(), tensor.getElementType());
}

bool isLaneByLane(Operation* op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         (op->hasTrait<OpTrait::Elementwise>() ||
          isa<arith::SelectOp, tt::AddPtrOp, tt::BitcastOp, tt::FpToFpOp, tt::ClampFOp, tt::MulhiUIOp,
              tt::PreciseDivFOp, tt::PreciseSqrtOp, tt::IntToPtrOp, tt::PtrToIntOp, tt::ExternElementwiseOp,
              tt::LoadOp>(op));
}

class Unbatcher {
public:
  explicit Unbatcher(func::FuncOp function) : function(function), builder(function.getContext()) {}

  void run() {
    growLoops();
    SmallVector<Operation*> dots, sinks;
    function.walk([&](Operation* op) {
      if (isBatched(op))
        dots.push_back(op);
      bool effect = isa<tt::StoreOp>(op) || (isa<tt::AtomicRMWOp>(op) && op->use_empty());
      if (effect && isTensor(op->getOperand(1)) && comesFromBatch(op->getOperand(1)))
        sinks.push_back(op);
    });
    for (Operation* sink : sinks)
      sliceSink(sink);
    fillLoops();
    removeDeadCarriedValues(function);
    function.walk([&](Operation* op) {
      if (isBatched(op))
        join(op);
    });
    removeDeadCarriedValues(function);
  }

private:
  struct Grown {
    scf::ForOp loop;
    unsigned whole, first; // positions among the carried values
    int64_t size;
  };

  static std::optional<int64_t> batchOf(scf::ForOp loop) {
    std::optional<int64_t> size;
    loop.walk([&](Operation* op) {
      if (isBatched(op))
        size = cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(0);
    });
    return size;
  }

  void growLoops() {
    SmallVector<scf::ForOp> loops;
    function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      auto size = batchOf(loop);
      SmallVector<Grown> fresh;
      SmallVector<Value> inits;
      unsigned next = loop.getNumRegionIterArgs();
      for (auto [i, init] : llvm::enumerate(loop.getInitArgs())) {
        auto type = dyn_cast<RankedTensorType>(init.getType());
        if (!size || !type || type.getRank() != 3 || type.getDimSize(0) != *size)
          continue;
        for (int64_t s = 0; s < *size; ++s)
          inits.push_back(slice(init, s));
        fresh.push_back({{}, unsigned(i), next, *size});
        next += unsigned(*size);
      }
      if (fresh.empty())
        continue;
      IRRewriter rewriter(function.getContext());
      auto made = growLoop(rewriter, loop, inits);
      for (Grown one : fresh) {
        one.loop = made;
        for (int64_t s = 0; s < one.size; ++s) {
          slices[{made.getRegionIterArg(one.whole), s}] = made.getRegionIterArg(one.first + unsigned(s));
          slices[{made.getResult(one.whole), s}] = made.getResult(one.first + unsigned(s));
        }
        grown.push_back(one);
      }
    }
  }

  void fillLoops() {
    for (Grown& one : grown) {
      Operation* yield = one.loop.getBody()->getTerminator();
      for (int64_t s = 0; s < one.size; ++s)
        yield->setOperand(one.first + unsigned(s), slice(yield->getOperand(one.whole), s));
    }
  }

  bool comesFromBatch(Value value) {
    SmallVector<Value> work{value};
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value one = work.pop_back_val();
      if (!seen.insert(one).second)
        continue;
      if (slices.contains({one, 0}) && carriedBy(one))
        return true;
      Operation* op = one.getDefiningOp();
      if (!op)
        continue;
      if (isBatched(op))
        return true;
      work.append(op->operand_begin(), op->operand_end());
    }
    return false;
  }

  SmallVector<Value> slicedOperands(Operation* op, int64_t s) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isTensor(operand) ? slice(operand, s) : operand);
    return operands;
  }

  void sliceSink(Operation* op) {
    int64_t size = cast<RankedTensorType>(op->getOperand(1).getType()).getDimSize(0);
    for (int64_t s = 0; s < size; ++s) {
      SmallVector<Value> operands = slicedOperands(op, s);
      builder.setInsertionPoint(op);
      Operation* part = builder.clone(*op);
      part->setOperands(operands);
      if (part->getNumResults())
        part->getResult(0).setType(sliceOf(op->getResult(0).getType()));
    }
    op->erase();
  }

  // The whole product again, for what works across the first dimension.
  void join(Operation* dot) {
    auto type = cast<RankedTensorType>(dot->getResult(0).getType());
    Location loc = dot->getLoc();
    SmallVector<Value> parts;
    for (int64_t s = 0; s < type.getDimSize(0); ++s)
      parts.push_back(slice(dot->getResult(0), s));
    Operation* last = dot; // the parts stand right behind it
    for (Value part : parts)
      if (last->isBeforeInBlock(part.getDefiningOp()))
        last = part.getDefiningOp();
    builder.setInsertionPointAfter(last);
    Value whole = builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(type));
    for (auto [s, part] : llvm::enumerate(parts)) {
      SmallVector<int64_t> shape(type.getShape());
      shape[0] = 1;
      Value plane = builder.create<tt::ReshapeOp>(loc, type.clone(shape), part, false, false);
      whole = builder.create<tensor::InsertSliceOp>(loc, plane, whole, offsets(type, int64_t(s)), sizes(type),
                                                    ones(type));
    }
    dot->getResult(0).replaceAllUsesWith(whole);
  }

  SmallVector<OpFoldResult> offsets(RankedTensorType type, int64_t s) {
    SmallVector<OpFoldResult> list(size_t(type.getRank()), builder.getIndexAttr(0));
    list[0] = builder.getIndexAttr(s);
    return list;
  }
  SmallVector<OpFoldResult> sizes(RankedTensorType type) {
    SmallVector<OpFoldResult> list;
    for (int64_t size : type.getShape())
      list.push_back(builder.getIndexAttr(list.empty() ? 1 : size));
    return list;
  }
  SmallVector<OpFoldResult> ones(RankedTensorType type) {
    return SmallVector<OpFoldResult>(size_t(type.getRank()), builder.getIndexAttr(1));
  }

  Value slice(Value value, int64_t s) {
    auto type = cast<RankedTensorType>(value.getType());
    s = type.getDimSize(0) == 1 ? 0 : s;
    if (Value known = slices.lookup({value, s}))
      return known;
    Value made = compute(value, type, s);
    slices[{value, s}] = made;
    return made;
  }

  Value compute(Value value, RankedTensorType type, int64_t s) {
    Operation* op = value.getDefiningOp();
    Type result = sliceOf(type);
    Location loc = value.getLoc();
    auto after = [&]() -> OpBuilder& {
      builder.setInsertionPointAfterValue(value);
      return builder;
    };
    if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op)) {
      if (auto dense = dyn_cast<SplatElementsAttr>(constant.getValue())) {
        auto tensor = dyn_cast<RankedTensorType>(result);
        TypedAttr attr =
            tensor ? TypedAttr(dense.resizeSplat(tensor)) : cast<TypedAttr>(dense.getSplatValue<Attribute>());
        return after().create<arith::ConstantOp>(loc, attr);
      }
    } else if (auto splat = dyn_cast_or_null<tt::SplatOp>(op)) {
      return isa<RankedTensorType>(result) ? Value(after().create<tt::SplatOp>(loc, result, splat.getSrc()))
                                           : splat.getSrc();
    } else if (auto range = dyn_cast_or_null<tt::MakeRangeOp>(op)) {
      return after().create<arith::ConstantOp>(loc,
                                               builder.getIntegerAttr(result, int64_t(range.getStart()) + s));
    } else if (auto expand = dyn_cast_or_null<tt::ExpandDimsOp>(op)) {
      return sliceExpanded(expand, result, s);
    } else if (auto broadcast = dyn_cast_or_null<tt::BroadcastOp>(op)) {
      Value part = slice(broadcast.getSrc(), s);
      return part.getType() == result ? part : Value(after().create<tt::BroadcastOp>(loc, result, part));
    } else if (auto trans = dyn_cast_or_null<tt::TransOp>(op); trans && trans.getOrder()[0] == 0) {
      SmallVector<int32_t> order;
      for (int32_t dim : trans.getOrder().drop_front())
        order.push_back(dim - 1);
      Value part = slice(trans.getSrc(), s);
      return order.size() < 2 ? part : Value(after().create<tt::TransOp>(loc, result, part, order));
    } else if (auto reshape = dyn_cast_or_null<tt::ReshapeOp>(op);
               reshape && type.getRank() > 1 && reshape.getSrc().getType().getRank() > 1 &&
               reshape.getSrc().getType().getDimSize(0) == type.getDimSize(0)) {
      Value part = slice(reshape.getSrc(), s);
      return part.getType() == result ? part
                                      : Value(after().create<tt::ReshapeOp>(loc, result, part, false, false));
    } else if (auto reduce = dyn_cast_or_null<tt::ReduceOp>(op); reduce && reduce.getAxis() > 0) {
      return sliceReduce(reduce, cast<OpResult>(value).getResultNumber(), s);
    } else if (op && (isLaneByLane(op) || isBatched(op))) {
      return sameOperation(op, result, s);
    }
    return extract(value, type, result, s);
  }

  Value sliceExpanded(tt::ExpandDimsOp expand, Type result, int64_t s) {
    if (expand.getAxis() == 0)
      return expand.getSrc();
    Value part = slice(expand.getSrc(), s);
    builder.setInsertionPointAfter(expand);
    if (!isTensor(part))
      return builder.create<tt::SplatOp>(expand.getLoc(), result, part);
    return builder.create<tt::ExpandDimsOp>(expand.getLoc(), result, part, expand.getAxis() - 1);
  }

  Value sameOperation(Operation* op, Type result, int64_t s) {
    SmallVector<Value> operands = slicedOperands(op, s);
    builder.setInsertionPointAfter(op);
    Operation* part = builder.clone(*op);
    part->setOperands(operands);
    part->getResult(0).setType(result);
    return part->getResult(0);
  }

  Value sliceReduce(tt::ReduceOp reduce, unsigned number, int64_t s) {
    SmallVector<Value> operands;
    for (Value operand : reduce->getOperands())
      operands.push_back(slice(operand, s));
    builder.setInsertionPointAfter(reduce);
    auto part = cast<tt::ReduceOp>(builder.clone(*reduce));
    part->setOperands(operands);
    part.setAxis(reduce.getAxis() - 1);
    for (auto [whole, result] : llvm::zip_equal(reduce->getResults(), part->getResults())) {
      result.setType(sliceOf(whole.getType()));
      slices[{whole, s}] = result;
    }
    return part->getResult(number);
  }

  Value extract(Value value, RankedTensorType type, Type result, int64_t s) {
    builder.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    if (type.getRank() == 1)
      return builder.create<tensor::ExtractOp>(
          loc, value, ValueRange{builder.create<arith::ConstantIndexOp>(loc, s).getResult()});
    Value plane =
        builder.create<tensor::ExtractSliceOp>(loc, value, offsets(type, s), sizes(type), ones(type));
    return builder.create<tt::ReshapeOp>(loc, result, plane, false, false);
  }

  func::FuncOp function;
  OpBuilder builder;
  SmallVector<Grown> grown;
  DenseMap<std::pair<Value, int64_t>, Value> slices;
};
} // namespace

void unbatchDots(func::FuncOp function) {
  bool any = false;
  function.walk([&](Operation* op) { any |= isBatched(op); });
  if (any)
    Unbatcher(function).run();
}
} // namespace dlsim::access
