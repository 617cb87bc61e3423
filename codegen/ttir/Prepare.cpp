// Brings the text into the form that the passes expect: structured control flow in every function (an early
// return becomes an if around the rest), no operations that only help debugging on the original machine,
// assertions of one condition, and prints that know their program.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/support/SourceLine.h"
#include "codegen/ttir/Ttir.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace dlsim::ttir {
namespace {
struct Structure : ControlFlowToSCFTransformation {
  // Ends a path that is never reached.
  FailureOr<Operation*> createUnreachableTerminator(Location loc, OpBuilder& builder,
                                                    Region& region) override {
    SmallVector<Value> results;
    for (Type type : cast<tt::FuncOp>(region.getParentOp()).getResultTypes())
      results.push_back(getUndefValue(loc, builder, type));
    return builder.create<tt::ReturnOp>(loc, results).getOperation();
  }
};

struct PreparePass : PassWrapper<PreparePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PreparePass)
  StringRef getArgument() const final { return "dl-ttir-prepare"; }
  StringRef getDescription() const final {
    return "structured control flow, assertions of scalars, arguments that exist";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<arith::ArithDialect, scf::SCFDialect, ub::UBDialect>();
  }

  static bool isElement(Type type) {
    return type.isF16() || type.isBF16() || type.isF32() || type.isInteger(1) || type.isInteger(8) ||
           type.isInteger(16) || type.isInteger(32) || type.isInteger(64);
  }
  // What a launch can pass.
  static bool isArgument(Type type) {
    if (auto pointer = dyn_cast<tt::PointerType>(type))
      return isElement(pointer.getPointee()) || isa<tt::PointerType>(pointer.getPointee());
    if (auto descriptor = dyn_cast<tt::TensorDescType>(type))
      return isElement(descriptor.getBlock().getElementType());
    return isElement(type);
  }
  LogicalResult checkArguments() {
    for (auto kernel : getOperation().getOps<tt::FuncOp>()) {
      if (kernel.isPrivate() || kernel.isExternal())
        continue;
      for (BlockArgument argument : kernel.getArguments()) {
        if (isArgument(argument.getType()))
          continue;
        auto name = dyn_cast<NameLoc>(argument.getLoc());
        return errorAt(kernel)
               << "argument " << argument.getArgNumber()
               << (name ? " '" + name.getName().str() + "'" : std::string()) << " of kernel '"
               << kernel.getName() << "' has type " << argument.getType()
               << ", which is not supported; pointers to, descriptors of and scalars of i1, i8, i16, "
               << "i32, i64, f16, bf16 and f32 are";
      }
    }
    return success();
  }

  // 1 + the highest grid dimension that the module asks for.
  unsigned gridRank() {
    unsigned rank = 1;
    getOperation().walk([&](Operation* op) {
      if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
        rank = std::max(rank, 1 + unsigned(id.getAxis()));
      if (auto count = dyn_cast<tt::GetNumProgramsOp>(op))
        rank = std::max(rank, 1 + unsigned(count.getAxis()));
    });
    return rank;
  }

  // Every lane must hold.
  static void joinCondition(tt::AssertOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getCondition().getType());
    if (!type)
      return;
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto flat = RankedTensorType::get({type.getNumElements()}, b.getI32Type());
    Value lanes = b.create<arith::ExtUIOp>(loc, type.clone(b.getI32Type()), op.getCondition());
    if (lanes.getType() != flat)
      lanes = b.create<tt::ReshapeOp>(loc, flat, lanes, false, false);
    auto least = b.create<tt::ReduceOp>(loc, TypeRange(b.getI32Type()), lanes, uint32_t(0));
    Block* body = b.createBlock(&least.getCombineOp(), {}, {b.getI32Type(), b.getI32Type()}, {loc, loc});
    Value smaller = b.create<arith::MinSIOp>(loc, body->getArgument(0), body->getArgument(1));
    b.create<tt::ReduceReturnOp>(loc, smaller);
    b.setInsertionPoint(op);
    Value zero = b.create<arith::ConstantIntOp>(loc, 0, 32);
    op.getConditionMutable().assign(
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, least->getResult(0), zero));
  }

  // The first operands of a print are its program's numbers.
  static void addPrograms(tt::PrintOp op, unsigned rank) {
    OpBuilder b(op);
    SmallVector<Value> all;
    SmallVector<int32_t> isSigned(op.getIsSigned());
    isSigned.resize(op.getArgs().size(), 1);
    for (unsigned axis = 0; axis < rank; ++axis)
      all.push_back(b.create<tt::GetProgramIdOp>(op.getLoc(), b.getI32Type(), tt::ProgramDim(axis)));
    isSigned.insert(isSigned.begin(), rank, 1);
    all.append(op.getArgs().begin(), op.getArgs().end());
    op.getArgsMutable().assign(all);
    op.setIsSigned(isSigned);
    op->setAttr(tt::kProgramsAttr, b.getI64IntegerAttr(rank));
  }

  void runOnOperation() final {
    if (failed(checkArguments()))
      return signalPassFailure();
    unsigned rank = gridRank();
    getOperation().walk([&](Operation* op) {
      // tl.debug_barrier joins the threads of one program; here a program is one thread.
      if (isa<LLVM::AssumeOp, gpu::BarrierOp>(op))
        return op->erase();
      if (auto assertion = dyn_cast<tt::AssertOp>(op))
        joinCondition(assertion);
      if (auto print = dyn_cast<tt::PrintOp>(op))
        addPrograms(print, rank);
    });
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<tt::FuncOp>()) // Triton leaves a dead block after each return
      (void)eraseUnreachableBlocks(rewriter, function->getRegions());
    auto& dominance = getAnalysis<DominanceInfo>();
    for (auto function : getOperation().getOps<tt::FuncOp>()) {
      if (function.isExternal() || function.getBody().hasOneBlock())
        continue;
      Structure structure;
      if (failed(transformCFGToSCF(function.getBody(), structure, dominance))) {
        errorAt(function) << "the control flow of '" << function.getName()
                          << "' cannot be structured; branch with cf.cond_br or scf.if";
        return signalPassFailure();
      }
    }
  }
};
} // namespace

std::unique_ptr<Pass> createPreparePass() { return std::make_unique<PreparePass>(); }
} // namespace dlsim::ttir
