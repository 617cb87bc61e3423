// Pass dl-dot. For every group of values that share one accumulator (dot results, loop-carried tensors,
// results of scf.if):
//   - a start value of zero is replaced by dl.acc_init and an init flag on the first dot, so that L0C is not
//   cleared;
//   - a store of the accumulator, through a product with a scalar and a narrowing cast if there are, becomes
//   dl.fixpipe;
//   - anything else that reads the accumulator needs the vector unit and is an error.
#include "codegen/passes/dot/Dot.h"

#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/dot/Accumulator.h"
#include "codegen/passes/dot/Pieces.h"
#include "codegen/passes/dot/Scale.h"
#include "codegen/passes/dot/SubTile.h"
#include "codegen/passes/dot/Unstored.h"
#include "codegen/support/SourceLine.h"

#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

class DotPass : public PassWrapper<DotPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DotPass)
  explicit DotPass(TargetMemory target) : target(std::move(target)) {}
  StringRef getArgument() const final { return "dl-dot"; }
  StringRef getDescription() const final {
    return "Matrix products to the cube: sub-tiles, accumulators in L0C, fixpipe";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<dl::DlDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  void runOnOperation() final {
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) { dots.push_back(dot); });
    llvm::DenseSet<Operation*> done; // erased by now: compared, not looked at
    for (tt::DotOp dot : dots) {
      if (done.contains(dot))
        continue;
      Accumulator accumulator(dot.getD());
      accumulator.grow();
      for (OpOperand* flow : accumulator.flows)
        done.insert(flow->getOwner());
      if (failed(lowerAccumulator(accumulator)))
        return signalPassFailure();
    }
    SmallVector<tt::TransOp> transposes;
    getOperation().walk([&](tt::TransOp op) { transposes.push_back(op); });
    for (tt::TransOp op : transposes)
      if (op->use_empty())
        op->erase();
  }

private:
  LogicalResult lowerAccumulator(Accumulator& accumulator);
  LogicalResult lowerStores(Accumulator& accumulator, SmallVectorImpl<dl::FixpipeOp>& fixpipes);
  LogicalResult lowerStarts(Accumulator& accumulator, llvm::DenseMap<Operation*, Value>& initFlags);
  FailureOr<dl::DotOp> lowerDot(tt::DotOp dot, Value init);
  FailureOr<Value> loadedOperand(tt::DotOp dot, Value operand, StringRef which, bool& transposed);

  TargetMemory target;
};

LogicalResult mixed(Operation* at, const Twine& what) {
  return errorAt(at)
         << what << ": a mixed kernel needs dl-split first (operands of tt.dot must come straight from "
         << "tt.load, through tt.trans at most, and its result may only be cast to f16 or bf16 and stored)";
}

// The dl.load or dl.gather behind a dot operand; `transposed` is set when a tt.trans lies between.
FailureOr<Value> DotPass::loadedOperand(tt::DotOp dot, Value operand, StringRef which, bool& transposed) {
  transposed = false;
  while (auto trans = operand.getDefiningOp<tt::TransOp>()) {
    transposed = !transposed;
    operand = trans.getSrc();
  }
  if (isa_and_nonnull<dl::LoadOp, dl::GatherOp>(operand.getDefiningOp()))
    return operand;
  Operation* source = operand.getDefiningOp();
  std::string from = source ? source->getName().getStringRef().str() : "a loop-carried value";
  (void)mixed(source ? source : dot.getOperation(),
              Twine("operand ") + which + " of tt.dot comes from " + from);
  return failure();
}

// The fixpipe can write these element types from an accumulator of f32 or i32.
bool fixpipeCasts(Type from, Type to) {
  if (from.isF32())
    return to.isF32() || to.isF16() || to.isBF16();
  return from.isInteger(32) && to.isInteger(32);
}

// Stores of an accumulator, and what lies between, which the fixpipe does as well.
struct AccumulatorStores {
  struct Store {
    dl::StoreOp op;
    Value acc;
    Operation *product = nullptr, *cast = nullptr; // with a scalar; to what is stored
  };
  SmallVector<Store> stores;
  SmallVector<Operation*> between;

  LogicalResult add(Operation* user, Store found) {
    if (auto store = dyn_cast<dl::StoreOp>(user)) {
      found.op = store;
      stores.push_back(found);
      return success();
    }
    if (!found.cast && isa<arith::TruncFOp, tt::FpToFpOp>(user))
      found.cast = user;
    else if (isScaled(user, found.acc))
      found.product = user;
    else
      return mixed(user, Twine(user->getName().getStringRef()) + " reads the result of tt.dot");
    for (Operation* next : user->getUsers())
      if (failed(add(next, found)))
        return failure();
    between.push_back(user); // behind those that read it
    return success();
  }
};

LogicalResult DotPass::lowerStores(Accumulator& accumulator, SmallVectorImpl<dl::FixpipeOp>& fixpipes) {
  AccumulatorStores found;
  for (Value value : accumulator.values)
    for (OpOperand& use : value.getUses())
      if (!accumulator.flows.contains(&use) && failed(found.add(use.getOwner(), {{}, value})))
        return failure();
  for (auto [store, acc, product, cast] : found.stores) {
    Type from = getElementTypeOrSelf(acc.getType()), to = getElementTypeOrSelf(store.getValue().getType());
    if (!fixpipeCasts(from, to))
      return errorAt(store) << "store of a " << from << " accumulator as " << to
                            << " is not supported; the fixpipe writes f32, "
                            << "f16 and bf16 from f32, and i32 from i32";
    OpBuilder builder(store);
    Value scale = product ? scaleOf(product, acc, builder) : Value();
    fixpipes.push_back(builder.create<dl::FixpipeOp>(
        store.getLoc(), acc, store.getBase(), store.getStrides(), store.getLo(), store.getHi(), scale, to,
        /*relu=*/false, store.getAtomic(), store.getArgAttr(), store.getHintsAttr()));
    store.erase();
  }
  for (Operation* op : found.between)
    op->erase();
  return success();
}

// Start values. The common case is a loop whose first iteration's dot can start from zero by itself.
LogicalResult DotPass::lowerStarts(Accumulator& accumulator, llvm::DenseMap<Operation*, Value>& initFlags) {
  for (OpOperand* flow : accumulator.flows) {
    Operation* owner = flow->getOwner();
    if (!isZero(flow->get())) {
      Operation* source = flow->get().getDefiningOp();
      Operation* carrier = source ? source : flow->get().getParentBlock()->getParentOp();
      if (isa<scf::ForOp>(carrier) || (source && isa<tt::DotOp, scf::IfOp>(source)))
        continue;
      return mixed(owner, Twine("the accumulator of tt.dot starts from ") +
                              carrier->getName().getStringRef() + " (zero and other dots are supported)");
    }
    OpBuilder builder(owner);
    Location loc = owner->getLoc();
    auto constant = [&](bool value) -> Value { return builder.create<arith::ConstantIntOp>(loc, value, 1); };
    Value zeroIf = constant(true);
    Location named = loc; // of the kernel's variable
    if (auto dot = dyn_cast<tt::DotOp>(owner)) {
      initFlags[dot] = constant(true);
      zeroIf = constant(false);
    } else if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      Value carried = loop.getRegionIterArg(flow->getOperandNumber() - loop.getNumControlOperands());
      if (isa<NameLoc>(carried.getLoc())) // printed text gives loop-carried values no location of the kernel
        named = carried.getLoc();
      auto first = carried.hasOneUse() ? dyn_cast<tt::DotOp>(*carried.user_begin()) : tt::DotOp();
      if (first && first->getBlock() == loop.getBody() && first.getC() == carried) {
        zeroIf = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, loop.getLowerBound(),
                                               loop.getUpperBound());
        OpBuilder inner(first);
        initFlags[first] = inner.create<arith::CmpIOp>(first.getLoc(), arith::CmpIPredicate::eq,
                                                       loop.getInductionVar(), loop.getLowerBound());
      }
    }
    Value start = builder.create<dl::AccInitOp>(named, flow->get().getType(), zeroIf);
    flow->set(start);
  }
  return success();
}

FailureOr<dl::DotOp> DotPass::lowerDot(tt::DotOp dot, Value init) {
  bool transposeA = false, transposeB = false;
  FailureOr<Value> a = loadedOperand(dot, dot.getA(), "a", transposeA),
                   b = loadedOperand(dot, dot.getB(), "b", transposeB);
  if (failed(a) || failed(b))
    return failure();
  auto typeA = cast<RankedTensorType>(dot.getA().getType()),
       typeB = cast<RankedTensorType>(dot.getB().getType());
  auto typeC = cast<RankedTensorType>(dot.getD().getType());
  FailureOr<int64_t> step = chooseKStep(dot, typeA, typeB, typeC, target);
  if (failed(step))
    return failure();
  OpBuilder builder(dot);
  // Several products of parts (tf32x3 and the like) are there to come close to f32, which the cube has.
  tt::InputPrecision precision = dot.getInputPrecision();
  bool hf32 = typeA.getElementType().isF32() &&
              (precision == tt::InputPrecision::TF32 || precision == tt::InputPrecision::HF32);
  if (!init)
    init = builder.create<arith::ConstantIntOp>(dot.getLoc(), 0, 1);
  auto lowered = builder.create<dl::DotOp>(dot.getLoc(), typeC, *a, *b, dot.getC(), init, /*depth=*/Value(),
                                           uint64_t(*step), transposeA, transposeB, hf32 ? "hf32" : "ieee");
  if (dot->hasAttr(straightProduct))
    lowered->setAttr(straightProduct, builder.getUnitAttr());
  dot.getD().replaceAllUsesWith(lowered.getResult());
  dot.erase();
  return lowered;
}

LogicalResult DotPass::lowerAccumulator(Accumulator& accumulator) {
  SmallVector<tt::DotOp> dots;
  for (OpOperand* flow : accumulator.flows)
    if (auto dot = dyn_cast<tt::DotOp>(flow->getOwner()))
      dots.push_back(dot);
  for (tt::DotOp dot : dots)
    if (failed(checkTypes(dot)))
      return failure();
  llvm::DenseMap<Operation*, Value> initFlags;
  SmallVector<dl::FixpipeOp> fixpipes;
  if (failed(lowerStores(accumulator, fixpipes)) || failed(lowerStarts(accumulator, initFlags)))
    return failure();
  SmallVector<dl::DotOp> lowered;
  for (tt::DotOp dot : dots) {
    FailureOr<dl::DotOp> one = lowerDot(dot, initFlags.lookup(dot));
    if (failed(one))
      return failure();
    lowered.push_back(*one);
  }
  if (fixpipes.size() == 1)
    cutWrappedLoads(lowered, fixpipes.front());
  return success();
}

} // namespace

std::unique_ptr<Pass> createDlDotPass(TargetMemory target) {
  return std::make_unique<DotPass>(std::move(target));
}
void registerDlDotPass() {
  PassRegistration<DotPass>([] { return createDlDotPass(); });
}

} // namespace dlsim::codegen
