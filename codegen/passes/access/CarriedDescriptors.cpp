// Tensor descriptors that loops and branches hand on: their parts are handed on instead, and the descriptor
// is made from them where it is used.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/OneToNTypeConversion.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dlsim::access {
namespace {

bool isDescriptor(Type type) { return isa<tt::TensorDescType>(type); }

bool isHandedOn(Operation* op) {
  return !isa<tt::MakeTensorDescOp>(op) && llvm::any_of(op->getResultTypes(), isDescriptor);
}

// Base, sizes and strides but the last, which is 1.
void partTypes(tt::TensorDescType type, SmallVectorImpl<Type>& parts) {
  unsigned rank = unsigned(type.getBlock().getRank());
  OpBuilder b(type.getContext());
  parts.push_back(tt::PointerType::get(type.getBlock().getElementType()));
  parts.append(rank, b.getI32Type());
  parts.append(rank - 1, b.getI64Type());
}

std::optional<SmallVector<Value>> partsOf(Value descriptor) {
  auto made = descriptor.getDefiningOp<tt::MakeTensorDescOp>();
  if (!made)
    return std::nullopt;
  SmallVector<Value> parts{made.getBase()};
  llvm::append_range(parts, made.getShape());
  llvm::append_range(parts, made.getStrides().drop_back());
  return parts;
}

Value join(OpBuilder& b, Location loc, tt::TensorDescType type, ValueRange parts, tt::PaddingOption padding) {
  unsigned rank = unsigned(type.getBlock().getRank());
  SmallVector<Value> strides(parts.drop_front(1 + rank));
  strides.push_back(b.create<arith::ConstantIntOp>(loc, 1, 64));
  return b.create<tt::MakeTensorDescOp>(loc, type, parts.front(), parts.slice(1, rank), strides, padding);
}

// A choice between two is a branch.
void expandChoices(func::FuncOp function) {
  function.walk([](arith::SelectOp op) {
    if (!isDescriptor(op.getType()))
      return;
    OpBuilder b(op);
    auto branch = b.create<scf::IfOp>(
        op.getLoc(), op.getCondition(),
        [&](OpBuilder& in, Location loc) { in.create<scf::YieldOp>(loc, op.getTrueValue()); },
        [&](OpBuilder& in, Location loc) { in.create<scf::YieldOp>(loc, op.getFalseValue()); });
    op.replaceAllUsesWith(branch.getResult(0));
    op.erase();
  });
}

// The padding that a descriptor of unknown origin has: that of all descriptors with its type.
FailureOr<DenseMap<Type, tt::PaddingOption>> paddings(func::FuncOp function) {
  DenseMap<Type, tt::PaddingOption> known;
  WalkResult result = function.walk([&](tt::MakeTensorDescOp op) {
    auto [found, isNew] = known.try_emplace(op.getType(), op.getPadding());
    if (isNew || found->second == op.getPadding())
      return WalkResult::advance();
    errorAt(op)
        << "descriptors of one block shape with different paddings, in a kernel whose loops or branches hand "
        << "descriptors on, are not supported; give them all the same padding";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return known;
}
} // namespace

LogicalResult unpackDescriptors(func::FuncOp function) {
  bool any = false;
  function.walk([&](Operation* op) { any |= isHandedOn(op); });
  if (!any)
    return success();
  auto padding = paddings(function);
  if (failed(padding))
    return failure();
  expandChoices(function);
  OneToNTypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](tt::TensorDescType type, SmallVectorImpl<Type>& parts) -> std::optional<LogicalResult> {
        partTypes(type, parts);
        return success();
      });
  auto make = [&](OpBuilder& b, tt::TensorDescType type, ValueRange parts, Location loc) {
    return std::optional(join(b, loc, type, parts, padding->lookup(type)));
  };
  converter.addSourceMaterialization(make);
  converter.addArgumentMaterialization(make);
  static_cast<OneToNTypeConverter&>(converter).addTargetMaterialization(
      [](OpBuilder&, TypeRange, Value descriptor, Location) { return partsOf(descriptor); });
  RewritePatternSet patterns(function.getContext());
  scf::populateSCFStructuralOneToNTypeConversions(converter, patterns);
  if (failed(applyPartialOneToNConversion(function, converter, std::move(patterns))))
    return errorAt(function) << "a descriptor that a loop or a branch hands on cannot be taken apart; "
                             << "make it with tl.make_tensor_descriptor where it is used";
  // Sizes and strides are mostly the same in each turn: no longer carried, they are constants for the
  // analysis again.
  RewritePatternSet clean(function.getContext());
  scf::ForOp::getCanonicalizationPatterns(clean, function.getContext());
  return applyPatternsAndFoldGreedily(function, std::move(clean));
}
} // namespace dlsim::access
