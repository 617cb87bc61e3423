// Functions, blocks and scalar operations.
#include "codegen/passes/to_npu/Lowering.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::codegen {

Type Lowering::convert(Type type) { return llvm::isa<tt::PointerType>(type) ? builder.getI64Type() : type; }

void Lowering::copyArgumentAttributes(func::FuncOp target) {
  for (unsigned i = 0; i < source.getNumArguments(); ++i) {
    for (NamedAttribute attr : source.getArgAttrs(i))
      target.setArgAttr(i, attr.getName(), attr.getValue());
    if (auto pointer = llvm::dyn_cast<tt::PointerType>(source.getArgument(i).getType()))
      target.setArgAttr(i, "npu.pointee", TypeAttr::get(convert(pointer.getPointee())));
  }
}

LogicalResult Lowering::run() {
  source.walk([&](dl::DotOp) { cube = true; });
  source.walk([&](dl::FixpipeOp) { cube = true; });
  if (source.getNumResults() != 0)
    return unsupported(source, "a kernel returns nothing; device functions must be inlined first");
  if (!llvm::hasSingleElement(source.getFunctionBody()))
    return unsupported(source,
                       "unstructured control flow is not supported; scf.for, scf.if and scf.while are");
  SmallVector<Type> inputs;
  for (Type type : source.getArgumentTypes())
    inputs.push_back(convert(type));
  auto target =
      builder.create<func::FuncOp>(source.getLoc(), source.getName(), builder.getFunctionType(inputs, {}));
  for (NamedAttribute attr : source->getDiscardableAttrs())
    target->setAttr(attr.getName(), attr.getValue());
  target->setAttr("npu.kind", builder.getStringAttr(cube ? "aic" : "aiv"));
  copyArgumentAttributes(target);
  entry = target.addEntryBlock();
  for (auto [old, fresh] : llvm::zip_equal(source.getArguments(), entry->getArguments())) {
    fresh.setLoc(old.getLoc());
    scalars.map(old, fresh);
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  if (failed(lowerBlock(source.getFunctionBody().front())))
    return failure();
  builder.create<func::ReturnOp>(source.getLoc());
  return success();
}

// Every operation but the terminator, which belongs to the parent's lowering.
LogicalResult Lowering::lowerBlock(Block& block) {
  for (Operation& op : block.without_terminator()) {
    loc = op.getLoc();
    if (failed(lowerOp(&op)))
      return failure();
  }
  return success();
}

LogicalResult Lowering::lowerOp(Operation* op) {
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
    return lowerFor(loop);
  if (auto branch = llvm::dyn_cast<scf::IfOp>(op))
    return lowerIf(branch);
  if (auto loop = llvm::dyn_cast<scf::WhileOp>(op))
    return lowerWhile(loop);
  if (auto load = llvm::dyn_cast<dl::LoadOp>(op))
    return lowerLoad(load);
  if (auto store = llvm::dyn_cast<dl::StoreOp>(op))
    return lowerStore(store);
  if (auto gather = llvm::dyn_cast<dl::GatherOp>(op))
    return lowerGather(gather);
  if (auto scatter = llvm::dyn_cast<dl::ScatterOp>(op))
    return lowerScatter(scatter);
  if (auto atomic = llvm::dyn_cast<dl::AtomicOp>(op))
    return lowerAtomic(atomic);
  if (auto atomic = llvm::dyn_cast<dl::AtomicScalarOp>(op))
    return lowerAtomicScalar(atomic);
  if (auto print = llvm::dyn_cast<tt::PrintOp>(op))
    return lowerPrint(print);
  if (auto assertion = llvm::dyn_cast<tt::AssertOp>(op))
    return lowerAssert(assertion);
  if (auto element = llvm::dyn_cast<dl::ExtractOp>(op))
    return lowerExtract(element);
  if (auto fixpipe = llvm::dyn_cast<dl::FixpipeOp>(op))
    return lowerFixpipe(fixpipe);
  if (auto dot = llvm::dyn_cast<dl::DotOp>(op))
    return lowerDot(dot);
  if (auto start = llvm::dyn_cast<dl::AccInitOp>(op))
    return lowerAccInit(start);
  if (auto splat = llvm::dyn_cast<tt::SplatOp>(op))
    return lowerSplat(splat);
  if (auto mask = llvm::dyn_cast<dl::RangeMaskOp>(op))
    return lowerRangeMask(mask);
  if (auto trans = llvm::dyn_cast<tt::TransOp>(op))
    return lowerTrans(trans);
  if (auto reduce = llvm::dyn_cast<tt::ReduceOp>(op))
    return lowerReduce(reduce);
  if (auto scan = llvm::dyn_cast<tt::ScanOp>(op))
    return lowerScan(scan);
  if (llvm::any_of(op->getOperands(), isTensor) || llvm::any_of(op->getResults(), isTensor))
    if (auto done = lowerMove(op))
      return *done;
  if (llvm::any_of(op->getResults(), isTensor))
    return lowerElementwise(op);
  return lowerScalarOp(op);
}

std::optional<int64_t> Lowering::argumentOf(Value address, unsigned depth) {
  if (depth > 32)
    return std::nullopt;
  if (auto argument = llvm::dyn_cast<BlockArgument>(address)) {
    Operation* parent = argument.getOwner()->getParentOp();
    if (parent == source)
      return argument.getArgNumber();
    auto loop = llvm::dyn_cast<scf::ForOp>(parent);
    if (loop && argument.getArgNumber() > 0)
      return argumentOf(loop.getInitArgs()[argument.getArgNumber() - 1], depth + 1);
    return std::nullopt;
  }
  Operation* op = address.getDefiningOp();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
    return argumentOf(loop.getInitArgs()[llvm::cast<OpResult>(address).getResultNumber()], depth + 1);
  if (llvm::isa<tt::AddPtrOp, tt::PtrToIntOp, tt::IntToPtrOp, tt::BitcastOp>(op))
    return argumentOf(op->getOperand(0), depth + 1);
  if (llvm::isa<arith::AddIOp>(op)) {
    auto left = argumentOf(op->getOperand(0), depth + 1), right = argumentOf(op->getOperand(1), depth + 1);
    auto pointer = [&](std::optional<int64_t> arg) {
      return arg && llvm::isa<tt::PointerType>(source.getArgument(*arg).getType());
    };
    return pointer(left) ? left : pointer(right) ? right : std::nullopt;
  }
  return std::nullopt;
}

// Operations that only put elements elsewhere; nothing if `op` is none of them.
std::optional<LogicalResult> Lowering::lowerMove(Operation* op) {
  if (op->use_empty() && isMemoryEffectFree(op))
    return success();
  if (llvm::isa<tt::ExpandDimsOp, tt::ReshapeOp>(op))
    return lowerReshape(op, op->getOperand(0));
  if (auto constantOp = llvm::dyn_cast<arith::ConstantOp>(op))
    return lowerConstant(constantOp);
  if (llvm::isa<ub::PoisonOp>(op) && elementOf(op->getResult(0)).isIntOrFloat()) { // any value will do
    tiles[op->getResult(0)].splat = constant(elementOf(op->getResult(0)), 0);
    return success();
  }
  using Result = std::optional<LogicalResult>;
  auto onVectors = [&](auto method, auto typed) -> Result {
    if (cube)
      return unsupported(op, "needs the vector unit: a mixed kernel needs dl-split first");
    return (this->*method)(typed);
  };
  return llvm::TypeSwitch<Operation*, Result>(op)
      .Case([&](tt::JoinOp o) { return onVectors(&Lowering::lowerJoin, o); })
      .Case([&](tt::SplitOp o) { return onVectors(&Lowering::lowerSplit, o); })
      .Case([&](dl::PickOp o) { return onVectors(&Lowering::lowerPick, o); })
      .Case([&](dl::InterleaveOp o) { return onVectors(&Lowering::lowerInterleave, o); })
      .Case([&](dl::DeinterleaveOp o) { return onVectors(&Lowering::lowerDeinterleave, o); })
      .Case([&](dl::HalfOp o) { return onVectors(&Lowering::lowerHalf, o); })
      .Case([&](dl::WideOp o) { return onVectors(&Lowering::lowerWide, o); })
      .Case([&](tt::CatOp o) { return onVectors(&Lowering::lowerCat, o); })
      .Case([&](tt::GatherOp o) { return onVectors(&Lowering::lowerTileGather, o); })
      .Case([&](tt::HistogramOp o) { return onVectors(&Lowering::lowerHistogram, o); })
      .Case([&](tensor::ExtractSliceOp o) { return onVectors(&Lowering::lowerExtractSlice, o); })
      .Case([&](tensor::InsertSliceOp o) { return onVectors(&Lowering::lowerInsertSlice, o); })
      .Case([&](tensor::ExtractOp o) { return onVectors(&Lowering::lowerTensorExtract, o); })
      .Case([&](tt::UnsplatOp o) -> Result {
        Value src = o.getSrc();
        scalars.map(o.getResult(), splatOf(src) ? splatOf(src)
                                                : Value(builder.create<npu::LoadScalarOp>(
                                                      loc, elementOf(src), bufferOf(src), constant(0))));
        return success();
      })
      .Case<tt::BitcastOp, arith::BitcastOp>([&](Operation* o) -> Result {
        return llvm::isa<tt::PointerType>(elementOf(o->getResult(0))) ? Result() : lowerBitcast(o);
      })
      .Default([](Operation*) { return Result(); });
}

// exp and the like exist on the vector unit only: through a one-element tile.
Value Lowering::scalarViaVector(Operation* op, Value operand) {
  Value tile = alloc(builder.getF32Type(), {1}), zero = constant(0);
  builder.create<npu::StoreScalarOp>(loc, operand, tile, zero);
  auto scale = [&](double factor) {
    builder.create<npu::VScalarOp>(loc, npu::ScalarKind::muls, tile, tile,
                                   constant(builder.getF32Type(), factor));
  };
  if (llvm::isa<math::Exp2Op>(op))
    scale(0.693147180559945309417);
  unary(llvm::isa<math::ExpOp, math::Exp2Op>(op) ? npu::UnaryKind::exp : npu::UnaryKind::ln, tile, tile);
  if (llvm::isa<math::Log2Op>(op))
    scale(1.44269504088896340736);
  return builder.create<npu::LoadScalarOp>(loc, builder.getF32Type(), tile, zero);
}

LogicalResult Lowering::lowerScalarOp(Operation* op) {
  auto operand = [&](unsigned i) { return scalarOf(op->getOperand(i)); };
  auto becomes = [&](Value value) {
    scalars.map(op->getResult(0), value);
    return success();
  };
  if (auto pointer = llvm::dyn_cast<tt::AddPtrOp>(op)) {
    Value offset = operand(1);
    if (!offset.getType().isInteger(64))
      offset = builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), offset);
    int64_t bits = llvm::cast<tt::PointerType>(pointer.getType()).getPointee().getIntOrFloatBitWidth();
    return becomes(address(operand(0), offset, std::max<int64_t>(bits / 8, 1)));
  }
  if (llvm::isa<tt::PtrToIntOp, tt::IntToPtrOp>(op) ||
      (llvm::isa<tt::BitcastOp>(op) && llvm::isa<tt::PointerType>(op->getResult(0).getType())))
    return becomes(operand(0));
  if (llvm::isa<tt::BitcastOp>(op)) {
    Type type = op->getResult(0).getType();
    return becomes(operand(0).getType() == type
                       ? operand(0)
                       : Value(builder.create<arith::BitcastOp>(loc, type, operand(0))));
  }
  if (llvm::isa<ub::PoisonOp>(op))
    return becomes(constant(convert(op->getResult(0).getType()), 0));
  if (auto programs = llvm::dyn_cast<tt::GetNumProgramsOp>(op))
    return becomes(builder.create<npu::GridSizeOp>(loc, programs.getType(), int64_t(programs.getAxis())));
  if (auto query = llvm::dyn_cast<dl::CoreIdOp>(op))
    return becomes(builder.create<npu::CoreIdOp>(loc, query.getType()));
  if (auto query = llvm::dyn_cast<dl::CoreCountOp>(op))
    return becomes(builder.create<npu::CoreCountOp>(loc, query.getType()));
  if (auto query = llvm::dyn_cast<dl::GridSizeOp>(op))
    return becomes(builder.create<npu::GridSizeOp>(loc, query.getType(), int64_t(query.getDim())));
  if (auto load = llvm::dyn_cast<dl::LoadScalarOp>(op)) {
    auto arg = load.getArg() ? std::optional<int64_t>(*load.getArg()) : argumentOf(load.getBase());
    return becomes(builder.create<npu::GmLoadOp>(loc, convert(load.getType()), operand(0),
                                                 arg ? builder.getI64IntegerAttr(*arg) : IntegerAttr(),
                                                 load.getIsVolatile()));
  }
  if (auto store = llvm::dyn_cast<dl::StoreScalarOp>(op)) {
    auto arg = store.getArg() ? std::optional<int64_t>(*store.getArg()) : argumentOf(store.getBase());
    builder.create<npu::GmStoreOp>(loc, operand(0), operand(1),
                                   arg ? builder.getI64IntegerAttr(*arg) : IntegerAttr());
    return success();
  }
  if (llvm::isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op>(op) &&
      op->getResult(0).getType().isF32() && !cube)
    return becomes(scalarViaVector(op, operand(0)));
  if (llvm::isa<math::RsqrtOp>(op)) {
    Value root = builder.create<math::SqrtOp>(loc, operand(0));
    return becomes(builder.create<arith::DivFOp>(loc, constant(root.getType(), 1.0), root));
  }
  if (llvm::isa<tt::PreciseSqrtOp>(op))
    return becomes(builder.create<math::SqrtOp>(loc, operand(0)));
  if (llvm::isa<tt::PreciseDivFOp>(op))
    return becomes(builder.create<arith::DivFOp>(loc, operand(0), operand(1)));
  if (auto call = llvm::dyn_cast<tt::ExternElementwiseOp>(op))
    return unknownFunction(call);
  StringRef dialect = op->getName().getDialectNamespace();
  bool known = dialect == "arith" || dialect == "npu" ||
               llvm::isa<math::SqrtOp, math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp>(op);
  if (!known || op->getNumRegions() != 0)
    return unsupported(
        op, "not supported on scalars here; arith, and exp, exp2, log, log2, sqrt, rsqrt, abs of f32 on "
            "vector cores are");
  Operation* clone = builder.clone(*op, scalars);
  for (Value result : clone->getResults())
    result.setType(convert(result.getType()));
  return success();
}

} // namespace dlsim::codegen
