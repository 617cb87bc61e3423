#include "codegen/passes/split/Rows.h"

#include "codegen/passes/split/Channels.h"
#include "codegen/support/SourceLine.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <string>

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t subCores = 2;

bool hasHalves(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > 0 && tensor.getDimSize(0) % subCores == 0;
}

RankedTensorType half(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[0] /= subCores;
  return RankedTensorType::get(shape, tensor.getElementType());
}

bool isElementwise(Operation* op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         (op->hasTrait<OpTrait::Elementwise>() ||
          isa<arith::SelectOp, tt::FpToFpOp, tt::PreciseSqrtOp, tt::PreciseDivFOp, tt::ClampFOp,
              tt::BitcastOp, tt::MulhiUIOp>(op));
}

// Builds, next to the operations on whole tiles, those on this core's half of the rows (dimension 0). What is
// then no longer used dies.
class RowSplit {
public:
  explicit RowSplit(func::FuncOp function) : function(function), builder(function.getContext()) {}

  // An empty string if it worked; else why not, and the function is of no use.
  std::string run() {
    Block& body = function.getBody().front();
    builder.setInsertionPointToStart(&body);
    sub = builder.create<npu::SubCoreOp>(function.getLoc(), builder.getI64Type());
    retypeLoops();
    SmallVector<Operation*> stores;
    function.walk([&](Operation* op) {
      if (isa<dl::StoreOp, dl::StoreScalarOp, dl::ScatterOp, dl::AtomicOp, tt::PrintOp>(op))
        stores.push_back(op);
    });
    for (Operation* op : stores)
      if (auto store = dyn_cast<dl::StoreOp>(op))
        splitStore(store);
      else if (auto scatter = dyn_cast<dl::ScatterOp>(op))
        splitScatter(scatter);
      else
        onlyFirst(op);
    if (reason.empty())
      splitCarried();
    if (reason.empty())
      eraseDead();
    if (reason.empty())
      checkUses();
    return reason;
  }

  // Without a split: the second core stores nothing.
  void firstCoreStores() {
    builder.setInsertionPointToStart(&function.getBody().front());
    sub = builder.create<npu::SubCoreOp>(function.getLoc(), builder.getI64Type());
    SmallVector<Operation*> stores;
    function.walk([&](Operation* op) {
      if (isa<dl::StoreOp, dl::StoreScalarOp, dl::ScatterOp, dl::AtomicOp, tt::PrintOp>(op))
        stores.push_back(op);
    });
    for (Operation* op : stores)
      onlyFirst(op);
  }

private:
  Value constant(Location loc, int64_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 64); }
  void fail(Operation* at, const Twine& what) {
    if (reason.empty())
      reason = (sourceLine(at->getLoc()) + ": " + at->getName().getStringRef() + " " + what).str();
  }

  // Number of this core's first row of a tile of `rows` rows.
  Value firstRow(Location loc, int64_t rows) {
    return builder.createOrFold<arith::MulIOp>(loc, sub, constant(loc, rows / subCores));
  }

  void onlyFirst(Operation* op) {
    builder.setInsertionPoint(op);
    Location loc = op->getLoc();
    if (auto store = dyn_cast<dl::StoreOp>(op)) {
      Value rest = builder.create<arith::SubIOp>(loc, constant(loc, 1), sub);
      if (store.getHi().empty())
        return fail(op, "stores no tile");
      store.getHiMutable()[0].set(builder.create<arith::MulIOp>(loc, store.getHi()[0], rest));
      return;
    }
    Value first = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, sub, constant(loc, 0));
    auto branch = builder.create<scf::IfOp>(loc, first, /*withElseRegion=*/false);
    op->moveBefore(branch.thenBlock()->getTerminator());
  }

  void retypeLoops() {
    auto retype = [&](Value value) {
      if (!hasHalves(value.getType()))
        return;
      value.setType(half(value.getType()));
      carried.insert(value);
    };
    function.walk([&](scf::ForOp loop) {
      loops.push_back(loop);
      for (Value argument : loop.getRegionIterArgs())
        retype(argument);
      for (Value result : loop.getResults())
        retype(result);
    });
    function.walk([&](Operation* op) {
      if (isa<scf::IfOp, scf::WhileOp>(op) && llvm::any_of(op->getResults(), isTile))
        fail(op, "hands on tensors");
    });
  }

  void splitCarried() {
    for (scf::ForOp loop : loops)
      for (auto [argument, init, yielded] : llvm::zip_equal(
               loop.getRegionIterArgs(), loop.getInitArgsMutable(), loop.getYieldedValuesMutable().value())) {
        if (!carried.contains(argument))
          continue;
        for (OpOperand* operand : {&init, &yielded})
          if (Value rows = split(operand->get()))
            operand->set(rows);
      }
  }

  Value split(Value value) {
    if (carried.contains(value))
      return value;
    if (Value known = memo.lookup(value))
      return known;
    Operation* op = value.getDefiningOp();
    if (!reason.empty())
      return {};
    if (!op || !hasHalves(value.getType())) {
      fail(op ? op : function.getOperation(), "has no rows to share");
      return {};
    }
    Value made = splitOp(op, value);
    if (made) {
      memo[value] = made;
      created.insert(made.getDefiningOp());
    }
    return made;
  }

  // The same operation on other operands, with half of the rows as its result.
  Value rebuild(Operation* op, Value value, ValueRange operands) {
    builder.setInsertionPointAfter(op);
    IRMapping mapping;
    Operation* clone = builder.clone(*op, mapping);
    clone->setOperands(operands);
    for (Value result : clone->getResults())
      result.setType(half(result.getType()));
    created.insert(clone);
    return clone->getResult(cast<OpResult>(value).getResultNumber());
  }

  Value splitOp(Operation* op, Value value) {
    SmallVector<Value> operands(op->getOperands());
    auto type = cast<RankedTensorType>(value.getType());
    if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
      auto dense = dyn_cast<SplatElementsAttr>(constantOp.getValue());
      builder.setInsertionPointAfter(op);
      if (dense)
        return builder.create<arith::ConstantOp>(op->getLoc(), dense.resizeSplat(half(type)));
    } else if (isa<tt::SplatOp>(op)) {
      return rebuild(op, value, operands);
    } else if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
      return splitRange(range, type);
    } else if (auto load = dyn_cast<dl::LoadOp>(op)) {
      return splitLoad(load, type);
    } else if (auto gather = dyn_cast<dl::GatherOp>(op)) {
      if (Value other = gather.getOther(); other && isTile(other)) {
        operands.back() = split(other); // the last operand
        if (!operands.back())
          return {};
      }
      auto made = rebuild(op, value, operands).getDefiningOp<dl::GatherOp>();
      shareWalk(made, type);
      return made;
    } else if (auto mask = dyn_cast<dl::RangeMaskOp>(op)) {
      auto made = rebuild(op, value, operands).getDefiningOp<dl::RangeMaskOp>();
      builder.setInsertionPoint(made);
      made.getLoMutable()[0].set(bound(mask.getLo()[0], type.getDimSize(0), op->getLoc()));
      made.getHiMutable()[0].set(bound(mask.getHi()[0], type.getDimSize(0), op->getLoc()));
      return made;
    } else if (rowwise(op, type)) {
      for (Value& operand : operands)
        if (isTile(operand) &&
            cast<RankedTensorType>(operand.getType()).getDimSize(0) == type.getDimSize(0)) {
          operand = split(operand);
          if (!operand)
            return {};
        } else if (carried.contains(operand) && !isa<tt::BroadcastOp>(op)) {
          operand = split(operand);
        }
      return rebuild(op, value, operands);
    }
    fail(op, "mixes rows");
    return {};
  }

  bool rowwise(Operation* op, RankedTensorType type) {
    if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
      return expand.getAxis() > 0;
    if (auto reduce = dyn_cast<tt::ReduceOp>(op))
      return reduce.getAxis() > 0;
    return isElementwise(op) || (isa<tt::BroadcastOp>(op) && type.getRank() > 0);
  }

  Value splitRange(tt::MakeRangeOp range, RankedTensorType type) {
    Value made = rebuild(range, range.getResult(), {});
    auto op = made.getDefiningOp<tt::MakeRangeOp>();
    Location loc = range.getLoc();
    int64_t rows = type.getDimSize(0);
    op->setAttr("end", builder.getI32IntegerAttr(int32_t(range.getStart() + rows / subCores)));
    builder.setInsertionPointAfter(op);
    Value first = builder.create<arith::TruncIOp>(loc, type.getElementType(), firstRow(loc, rows));
    return builder.create<arith::AddIOp>(loc, made, builder.create<tt::SplatOp>(loc, half(type), first));
  }

  // A bound of dimension 0, counted from this core's first row and clamped to its half.
  Value bound(Value whole, int64_t rows, Location loc) {
    APInt known;
    if (matchPattern(whole, m_ConstantInt(&known)) && (known == 0 || known == uint64_t(rows)))
      return constant(loc, known == 0 ? 0 : rows / subCores);
    Value here = builder.create<arith::SubIOp>(loc, whole, firstRow(loc, rows));
    here = builder.create<arith::MaxSIOp>(loc, here, constant(loc, 0));
    return builder.create<arith::MinSIOp>(loc, here, constant(loc, rows / subCores));
  }

  Value advanced(Value base, Value stride, RankedTensorType type, Location loc) {
    Value elements = builder.create<arith::MulIOp>(loc, firstRow(loc, type.getDimSize(0)), stride);
    if (isa<tt::PointerType>(base.getType()))
      return builder.create<tt::AddPtrOp>(loc, base.getType(), base, elements);
    Value bytes =
        builder.create<arith::MulIOp>(loc, elements, constant(loc, type.getElementTypeBitWidth() / 8));
    return builder.create<arith::AddIOp>(loc, base, bytes);
  }

  Value splitLoad(dl::LoadOp load, RankedTensorType type) {
    auto made =
        rebuild(load, load.getResult(), SmallVector<Value>(load->getOperands())).getDefiningOp<dl::LoadOp>();
    Location loc = load.getLoc();
    builder.setInsertionPoint(made);
    if (load.getWrapDim() == std::optional<uint64_t>(0)) {
      Value start =
          builder.create<arith::AddIOp>(loc, load.getWrapStart(), firstRow(loc, type.getDimSize(0)));
      made.getWrapStartMutable().assign(start);
    } else {
      made.getBaseMutable().set(advanced(load.getBase(), load.getStrides()[0], type, loc));
    }
    made.getLoMutable()[0].set(bound(load.getLo()[0], type.getDimSize(0), loc));
    made.getHiMutable()[0].set(bound(load.getHi()[0], type.getDimSize(0), loc));
    return made;
  }

  void splitStore(dl::StoreOp store) {
    RankedTensorType type = wholeType(store.getValue());
    if (!type)
      return onlyFirst(store);
    Value value = split(store.getValue());
    if (!value)
      return;
    Location loc = store.getLoc();
    builder.setInsertionPoint(store);
    store.getValueMutable().set(value);
    store.getBaseMutable().set(advanced(store.getBase(), store.getStrides()[0], type, loc));
    store.getLoMutable()[0].set(bound(store.getLo()[0], type.getDimSize(0), loc));
    store.getHiMutable()[0].set(bound(store.getHi()[0], type.getDimSize(0), loc));
    created.insert(store);
  }

  // The lanes of dimension 0 count from this core's first row; scalar code still gets those of the whole
  // tile.
  template <class Op> void shareWalk(Op op, RankedTensorType type) {
    Location loc = op.getLoc();
    int64_t rows = type.getDimSize(0);
    builder.setInsertionPoint(op);
    op.getLoMutable()[0].set(bound(op.getLo()[0], rows, loc));
    op.getHiMutable()[0].set(bound(op.getHi()[0], rows, loc));
    Block& body = op.getBody().front();
    auto run = cast<dl::RunOp>(body.back());
    if (op.getWalk().front() == 0) {
      builder.setInsertionPointToStart(&body);
      auto lane = builder.create<arith::AddIOp>(loc, body.getArgument(0), firstRow(loc, rows));
      body.getArgument(0).replaceAllUsesExcept(lane, lane);
      return;
    }
    builder.setInsertionPoint(run);
    run.getLoMutable()[0].set(bound(run.getLo()[0], rows, loc));
    run.getHiMutable()[0].set(bound(run.getHi()[0], rows, loc));
    run.getAddressMutable().set(advanced(run.getAddress(), op.getStrides()[0], type, loc));
  }

  // The type of a stored tensor before it was halved, or null.
  RankedTensorType wholeType(Value value) {
    if (!carried.contains(value))
      return hasHalves(value.getType()) ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape()); // has its half already
    shape[0] *= subCores;
    return RankedTensorType::get(shape, type.getElementType());
  }

  void splitScatter(dl::ScatterOp scatter) {
    RankedTensorType type = wholeType(scatter.getValue());
    if (!type)
      return onlyFirst(scatter);
    Value value = split(scatter.getValue());
    if (!value)
      return;
    scatter.getValueMutable().set(value);
    shareWalk(scatter, type);
    created.insert(scatter);
  }

  void eraseDead() {
    for (bool again = true; again;) {
      again = false;
      function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation* op) {
        if (!isOpTriviallyDead(op))
          return;
        created.erase(op);
        op->erase();
        again = true;
      });
    }
  }

  // Half a tile where a whole one was meant.
  void checkUses() {
    for (Value value : carried)
      for (Operation* user : value.getUsers())
        if (!created.contains(user) && !isa<scf::ForOp, scf::YieldOp>(user))
          fail(user, "needs all rows of a tensor that a loop carries");
  }

  func::FuncOp function;
  OpBuilder builder;
  Value sub;
  SmallVector<scf::ForOp> loops;
  llvm::DenseSet<Value> carried; // loop-carried tensors, which have half of their rows
  llvm::DenseMap<Value, Value> memo;
  llvm::DenseSet<Operation*> created;
  std::string reason;
};

} // namespace

LogicalResult bindSubCores(func::FuncOp vector) {
  OpBuilder builder(vector);
  builder.setInsertionPointAfter(vector);
  auto attempt = cast<func::FuncOp>(builder.clone(*vector));
  std::string reason = RowSplit(attempt).run();
  if (!reason.empty()) {
    attempt.erase();
    remarkAt(vector) << "the second vector core of each group is idle: " << reason
                     << "; rows cannot be shared";
    RowSplit(vector).firstCoreStores();
    return success();
  }
  std::string name = vector.getName().str();
  vector.erase();
  attempt.setName(name);
  return success();
}

void leaveSubCoresUnbound(func::FuncOp vector) { RowSplit(vector).firstCoreStores(); }

} // namespace dlsim::codegen
