// Pass dl-split. Both functions keep the kernel's scalar control flow. A tensor that crosses goes through the
// group's workspace in global memory: the writer waits until its place is free, writes, and sets a cross-core
// flag in the writing unit's queue; the reader waits in MTE2's queue, loads, and frees the place.
#include "codegen/passes/split/Split.h"

#include "codegen/passes/dot/Scale.h"
#include "codegen/passes/split/Channels.h"
#include "codegen/passes/split/FirstCore.h"
#include "codegen/passes/split/KeptProducts.h"
#include "codegen/passes/split/MemoryOrder.h"
#include "codegen/passes/split/Rows.h"
#include "codegen/support/SourceLine.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

bool readsVectorData(Operation* op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<RankedTensorType>(type); });
}

// One side of the kernel under construction.
class Side {
public:
  Side(func::FuncOp function, bool vector) : function(function), vector(vector), builder(function) {}

  // The tensor is written to its place, or read from it; `value` is this side's copy of the channel's.
  void cross(const Channel& channel, Value value) {
    loc = value.getLoc();
    afterDefinition(builder, value);
    if (channel.toVector != vector)
      write(channel, value);
    else
      read(channel, value);
  }

private:
  void write(const Channel& channel, Value value) {
    npu::Unit unit = vector ? npu::Unit::MTE3 : npu::Unit::FIX;
    builder.create<npu::CrossWaitOp>(loc, unit, uint64_t(channel.id));
    Place place = placeOf(channel);
    builder.create<dl::StoreOp>(loc, value, place.base, place.strides, place.lo, place.hi,
                                dl::AtomicKind::none, argument(channel), DictionaryAttr());
    builder.create<npu::CrossSetOp>(loc, unit, uint64_t(channel.id));
    builder.setInsertionPoint(function.getBody().front().getTerminator());
    builder.create<npu::CrossWaitOp>(loc, unit, uint64_t(channel.id)); // the last token that says "free"
  }

  void read(const Channel& channel, Value value) {
    builder.create<npu::CrossWaitOp>(loc, npu::Unit::MTE2, uint64_t(channel.id));
    Place place = placeOf(channel);
    auto load = builder.create<dl::LoadOp>(loc, value.getType(), place.base, place.strides, place.lo,
                                           place.hi, Value(), Value(), Value(), IntegerAttr(),
                                           argument(channel), DictionaryAttr());
    builder.create<npu::CrossSetOp>(loc, npu::Unit::MTE2, uint64_t(channel.id));
    value.replaceUsesWithIf(load.getResult(), [&](OpOperand& use) { return reads(use); });
    builder.setInsertionPointToStart(&function.getBody().front());
    builder.create<npu::CrossSetOp>(loc, npu::Unit::MTE2, uint64_t(channel.id)); // free at first
  }

  // Whether a user is a dot, or the other kind; a transposition is what its users are.
  static bool isFor(bool dots, Operation* user) {
    if (isa<tt::TransOp>(user))
      return llvm::any_of(user->getUsers(), [&](Operation* next) { return isFor(dots, next); });
    return isa<tt::DotOp>(user) == dots;
  }

  // Which users of a channel's tensor want what comes through the workspace.
  bool reads(OpOperand& use) const {
    Operation* user = use.getOwner();
    if (auto dot = dyn_cast<tt::DotOp>(user); dot && use.get() == dot.getC() && use.getOperandNumber() == 2)
      return false;
    bool carries = isa<scf::ForOp, scf::YieldOp>(user);
    return isFor(!vector, user) && !carries;
  }

  Place placeOf(const Channel& channel) {
    return placeAt(builder, loc, cast<RankedTensorType>(channel.value.getType()), channel.offset);
  }
  // Places count as arguments behind the kernel's own, so that flags are not set between different ones.
  IntegerAttr argument(const Channel& channel) {
    return builder.getI64IntegerAttr(int64_t(function.getNumArguments()) + channel.id);
  }

  func::FuncOp function;
  bool vector;
  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
};

// Loop-carried tensors that `dead` names keep their start value, so that nothing needs what they were.
void cutCarried(func::FuncOp function, llvm::function_ref<bool(Value)> dead) {
  function.walk([&](scf::ForOp loop) {
    for (auto [argument, yielded] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValuesMutable().value()))
      if (isTile(argument) && dead(argument))
        yielded.set(argument);
  });
}

// The cube side carries no tensors through loops with a condition.
void cutWhileLoops(func::FuncOp cube) {
  cube.walk([&](scf::WhileOp loop) {
    OpBuilder builder(loop);
    auto cut = [&](MutableArrayRef<OpOperand> operands) {
      for (OpOperand& operand : operands)
        if (isTile(operand.get()))
          operand.set(
              builder.create<arith::ConstantOp>(loop.getLoc(), builder.getZeroAttr(operand.get().getType())));
    };
    cut(loop->getOpOperands());
    cut(loop.getConditionOp().getArgsMutable());
    cut(loop.getYieldOp()->getOpOperands());
  });
}

class SplitPass : public PassWrapper<SplitPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitPass)
  explicit SplitPass(bool bindSubCores = true, int64_t leastRowPieces = 1) {
    bind = bindSubCores;
    leastPieces = leastRowPieces;
  }
  SplitPass(const SplitPass& other) : PassWrapper(other) {
    bind = bool(other.bind);
    leastPieces = int64_t(other.leastPieces);
  }
  StringRef getArgument() const final { return "dl-split"; }
  StringRef getDescription() const final {
    return "Kernels for cube and vector units: a function for each, joined by a workspace and flags";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<dl::DlDialect, npu::NpuDialect, arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() final {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      bool dots = false;
      function.walk([&](tt::DotOp) { dots = true; });
      if (dots && failed(split(function)))
        return signalPassFailure();
      if (!dots && leastPieces > 1)
        cutRows(function, leastPieces);
    }
  }

private:
  static bool needsVector(func::FuncOp function, const Crossing& crossing) {
    bool found = !crossing.channels.empty();
    function.walk([&](dl::StoreOp store) { found |= !crossing.fused.contains(store); });
    function.walk([&](Operation* op) {
      found |= isa<dl::ScatterOp, dl::AtomicOp>(op) || (isa<tt::PrintOp>(op) && readsVectorData(op));
    });
    return found;
  }

  // Both functions run the scalar code, but an update must happen once.
  static LogicalResult checkUpdates(func::FuncOp function) {
    WalkResult result = function.walk([&](dl::AtomicOp op) {
      if (op->use_empty())
        return WalkResult::advance();
      errorAt(op) << "an atomic update of a tensor whose result is used is not supported in a kernel that "
                     "needs cube and "
                     "vector cores; updates of one element, and those with the result unused, are";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult split(func::FuncOp function) {
    separateAccumulators(function);
    KeptProducts kept = keepProducts(function);
    Crossing crossing = findCrossing(function, kept.places, kept.bytes);
    if (kept.places)
      function->setAttr("npu.workspace_bytes", OpBuilder(function).getI64IntegerAttr(kept.bytes));
    if (!needsVector(function, crossing))
      return success();
    if (failed(checkUpdates(function)) || failed(checkMemoryOrder(function, crossing)))
      return failure();
    IRMapping toVector;
    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    auto vector = cast<func::FuncOp>(builder.clone(*function, toVector));
    vector.setName((function.getName() + ".aiv").str());
    Side cubeSide(function, false), vectorSide(vector, true);
    SmallVector<Value> copies;
    for (const Channel& channel : crossing.channels)
      copies.push_back(toVector.lookup(channel.value));
    cutVector(vector, crossing, toVector);
    SmallVector<Operation*> foreign = vectorEffects(function, crossing);
    for (auto [channel, copy] : llvm::zip_equal(crossing.channels, copies)) {
      vectorSide.cross(channel, copy);
      cubeSide.cross(channel, channel.value);
    }
    cutCarried(function, [&](Value value) { return !crossing.accumulators.contains(value); });
    cutWhileLoops(function);
    for (Operation* op : foreign)
      op->erase();
    shareUpdates(function, vector, crossing, kept.places);
    for (func::FuncOp side : {function, vector})
      side->setAttr("npu.workspace_bytes", builder.getI64IntegerAttr(crossing.workspaceBytes));
    if (failed(clean(function)) || failed(clean(vector)) || failed(checkCube(function)))
      return failure();
    if (bind)
      return bindSubCores(vector, leastPieces);
    leaveSubCoresUnbound(vector);
    return success();
  }

  // The vector side: no products, no stores of the fixpipe, no accumulators in loops.
  static void cutVector(func::FuncOp vector, const Crossing& crossing, IRMapping& toVector) {
    llvm::DenseSet<Value> accumulators;
    for (Value value : crossing.accumulators)
      accumulators.insert(toVector.lookup(value));
    cutCarried(vector, [&](Value value) { return accumulators.contains(value); });
    for (Operation* op : crossing.fused)
      if (isa<dl::StoreOp>(op))
        toVector.lookup(op)->erase();
  }

  // What the cube side leaves to the vector side.
  static SmallVector<Operation*> vectorEffects(func::FuncOp cube, const Crossing& crossing) {
    SmallVector<Operation*> found;
    cube.walk([&](Operation* op) {
      if (isa<dl::StoreScalarOp, dl::ScatterOp, dl::AtomicOp, tt::PrintOp, tt::AssertOp>(op) ||
          (isa<dl::StoreOp>(op) && !crossing.fused.contains(op)))
        found.push_back(op);
    });
    return found;
  }

  // The cube core does the updates of single elements, once the whole group has come to them, and tells the
  // others.
  static void shareUpdates(func::FuncOp cube, func::FuncOp vector, Crossing& crossing, int64_t places) {
    SmallVector<dl::AtomicScalarOp> updates, copies;
    cube.walk([&](dl::AtomicScalarOp op) { updates.push_back(op); });
    vector.walk([&](dl::AtomicScalarOp op) { copies.push_back(op); });
    if (updates.empty())
      return;
    uint64_t flag = uint64_t(places + int64_t(crossing.channels.size()));
    int64_t offset = crossing.workspaceBytes;
    crossing.workspaceBytes += workspaceAlign;
    // Like the places of channels: an argument of its own.
    IntegerAttr argument = OpBuilder(cube).getI64IntegerAttr(int64_t(cube.getNumArguments() + flag));
    auto place = [&](OpBuilder& b, Location loc) -> Value {
      Value base = b.create<npu::WorkspaceOp>(loc, b.getI64Type());
      return b.create<arith::AddIOp>(loc, base, b.create<arith::ConstantIntOp>(loc, offset, 64));
    };
    for (dl::AtomicScalarOp op : updates) {
      OpBuilder b(op);
      b.create<npu::CrossWaitOp>(op.getLoc(), npu::Unit::S, flag);
      b.setInsertionPointAfter(op);
      b.create<dl::StoreScalarOp>(op.getLoc(), op.getResult(), place(b, op.getLoc()), argument);
      b.create<npu::CrossSetOp>(op.getLoc(), npu::Unit::S, flag);
    }
    for (dl::AtomicScalarOp op : copies) {
      OpBuilder b(op);
      if (op.getOrdered())
        b.create<npu::BarrierOp>(op.getLoc(), npu::UnitAttr());
      b.create<npu::CrossSetOp>(op.getLoc(), npu::Unit::S, flag);
      b.create<npu::CrossWaitOp>(op.getLoc(), npu::Unit::S, flag);
      Value told =
          b.create<dl::LoadScalarOp>(op.getLoc(), op.getType(), place(b, op.getLoc()), argument, true);
      op.replaceAllUsesWith(told);
      op.erase();
    }
  }

  LogicalResult clean(func::FuncOp function) {
    OpPassManager passes("func.func");
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    passes.addPass(createCanonicalizerPass());
    return runPipeline(passes, function);
  }

  // Vector operations that are left decide something on the cube side.
  static LogicalResult checkCube(func::FuncOp cube) {
    WalkResult result = cube.walk([&](Operation* op) {
      bool scales = llvm::any_of(op->getOperands(), [&](Value acc) { return isScaled(op, acc); });
      if (isa<tt::DotOp, tt::TransOp, dl::StoreOp, scf::YieldOp, scf::ForOp, scf::IfOp>(op) ||
          isa<arith::TruncFOp, tt::FpToFpOp>(op) || scales || !readsVectorData(op))
        return WalkResult::advance();
      errorAt(op)
          << op->getName().getStringRef()
          << " computes on vector data what the cube side of the kernel needs; loop bounds, conditions and "
             "addresses around tt.dot must not depend on tensors";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  Option<bool> bind{*this, "bind-sub-cores", llvm::cl::desc("vector cores of a group share rows"),
                    llvm::cl::init(true)};
  Option<int64_t> leastPieces{
      *this, "row-pieces", llvm::cl::desc("pieces that rows are computed in, at least"), llvm::cl::init(1)};
};

} // namespace

std::unique_ptr<Pass> createDlSplitPass(bool bindSubCores, int64_t leastRowPieces) {
  return std::make_unique<SplitPass>(bindSubCores, leastRowPieces);
}
void registerDlSplitPass() {
  PassRegistration<SplitPass>([] { return createDlSplitPass(); });
}

} // namespace dlsim::codegen
