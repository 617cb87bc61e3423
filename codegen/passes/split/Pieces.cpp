#include "codegen/passes/split/Pieces.h"

#include "codegen/passes/split/Channels.h"
#include "codegen/passes/split/Split.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t mostPieces = 8; // of one core's rows
constexpr int64_t mostPieceBytes =
    32768; // a sixth of UB: room for what a tile is made into, and for what comes next

using PieceNumbers = llvm::DenseMap<Operation*, int64_t>;

bool isFence(Operation* op, const PieceNumbers& pieceOf) {
  if (auto wait = dyn_cast<npu::CrossWaitOp>(op))
    return wait.getUnit() != npu::Unit::MTE3;
  if (auto store = dyn_cast<dl::StoreOp>(op)) // of results: their order stays
    return !store.getArg() || *store.getArg() < op->getParentOfType<func::FuncOp>().getNumArguments();
  return isa<dl::StoreScalarOp, dl::ScatterOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
         (op->getNumRegions() > 0 && !pieceOf.contains(op));
}

} // namespace

int64_t choosePieces(func::FuncOp vector) {
  int64_t largest = 0;
  vector.walk([&](Operation* op) {
    if (!isa<dl::LoadOp, dl::StoreOp>(op))
      return;
    Value tile = isa<dl::LoadOp>(op) ? op->getResult(0) : op->getOperand(0);
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getElementType().isIntOrFloat())
      largest = std::max(largest, type.getNumElements() * type.getElementTypeBitWidth() / 8);
  });
  int64_t pieces = 1;
  while (pieces < mostPieces && largest / (boundVectorCores * pieces) > mostPieceBytes)
    pieces *= 2;
  return pieces;
}

void orderPieces(Block& block, int64_t pieces, const PieceNumbers& pieceOf) {
  auto number = [&](Operation* op) {
    if (isa<npu::CrossSetOp>(op))
      return pieces - 1;
    auto found = pieceOf.find(op);
    return found == pieceOf.end() ? -1 : found->second;
  };
  SmallVector<Operation*> run;
  auto flush = [&] {
    if (!run.empty()) {
      Operation* end = run.back()->getNextNode();
      for (int64_t which = -1; which < pieces; ++which) // what is for all pieces goes first
        for (Operation* op : run)
          if (number(op) == which)
            op->moveBefore(end);
    }
    run.clear();
  };
  for (Operation& op : llvm::make_early_inc_range(block)) {
    if (isFence(&op, pieceOf))
      flush();
    else
      run.push_back(&op);
  }
}

} // namespace dlsim::codegen
