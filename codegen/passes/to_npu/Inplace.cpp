// Pass npu-inplace: in a chain of elementwise commands the result takes over the buffer of an operand whose
// last use that is. Only buffers that the vector unit alone touches are handed on: a buffer that a transfer
// fills or drains has slots of its own, and keeping it longer would hold the transfer up. Where rows are
// computed in pieces, large ones that a transfer fills are too: the memory of the result is what the next
// piece's load needs.
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/passes/to_npu/ToNpu.h"
#include "codegen/support/RowPieces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

bool isElementwise(Operation* op) {
  return llvm::isa<npu::VBinaryOp, npu::VColumnOp, npu::VScalarOp, npu::VUnaryOp, npu::VSelOp, npu::VSelsOp>(
      op);
}

constexpr int64_t largeBytes = 32768; // a sixth of UB

// All users are vector commands in the block of the allocation, or transfers to a large piece.
bool isLocal(npu::AllocOp alloc) {
  bool large = npu::slotBytes(llvm::cast<MemRefType>(alloc.getType())) >= largeBytes &&
               alloc->getParentOfType<func::FuncOp>()->hasAttr(rowPieces);
  return llvm::all_of(alloc->getUsers(), [&](Operation* user) {
    auto command = llvm::dyn_cast<npu::NpuCommand>(user);
    return user->getBlock() == alloc->getBlock() && command &&
           (command.unit() == npu::Unit::V || (large && llvm::isa<npu::CopyInOp>(user)));
  });
}

Operation* lastUser(npu::AllocOp alloc) {
  Operation* last = alloc;
  for (Operation* user : alloc->getUsers())
    if (last->isBeforeInBlock(user))
      last = user;
  return last;
}

// The first command that touches the buffer, and it only writes it.
bool begins(Operation* op, npu::AllocOp alloc) {
  for (Operation* user : alloc->getUsers())
    if (user->isBeforeInBlock(op))
      return false;
  return !llvm::is_contained(llvm::cast<npu::NpuCommand>(op).reads(), alloc.getResult());
}

class InplacePass : public PassWrapper<InplacePass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InplacePass)
  StringRef getArgument() const final { return "npu-inplace"; }
  StringRef getDescription() const final {
    return "Elementwise results take over buffers of operands that end there";
  }
  void runOnOperation() final {
    SmallVector<Operation*> commands;
    getOperation().walk([&](Operation* op) {
      if (isElementwise(op))
        commands.push_back(op);
    });
    for (Operation* op : commands)
      handOn(op);
  }

private:
  void handOn(Operation* op) {
    auto command = llvm::cast<npu::NpuCommand>(op);
    auto result = command.writes().front().getDefiningOp<npu::AllocOp>();
    if (!result || result->getBlock() != op->getBlock() || !begins(op, result))
      return;
    for (Value operand : command.reads()) {
      auto source = operand.getDefiningOp<npu::AllocOp>();
      if (!source || source == result || source.getType() != result.getType() ||
          source->getBlock() != op->getBlock() || !isLocal(source) || lastUser(source) != op)
        continue;
      // The name of the later value is the better one: it is what the kernel goes on with.
      if (result.getName())
        source.setNameAttr(result.getNameAttr());
      result.getResult().replaceAllUsesWith(source.getResult());
      result.erase();
      return;
    }
  }
};

} // namespace

std::unique_ptr<Pass> createNpuInplacePass() { return std::make_unique<InplacePass>(); }

} // namespace dlsim::codegen
