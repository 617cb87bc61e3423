#include "codegen/passes/split/Pieces.h"

#include "codegen/passes/split/Channels.h"
#include "codegen/passes/split/Split.h"
#include "codegen/passes/split/Stages.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t mostPieces = 8; // of one core's rows
constexpr int64_t mostPieceBytes =
    32768; // a sixth of UB: room for what a tile is made into, and for what comes next

using PieceNumbers = llvm::DenseMap<Operation*, int64_t>;

// Whether a piece's store may go before what other pieces load and store: that is elsewhere, or the same
// rows.
bool mayPass(dl::StoreOp store, Block& block, const WholeAccesses& wholeOf) {
  auto whole = wholeOf.find(store);
  if (!store.getArg() || whole == wholeOf.end())
    return false;
  return llvm::all_of(block, [&](Operation& other) {
    if (isMemoryEffectFree(&other) || isa<npu::CrossWaitOp, npu::CrossSetOp>(other))
      return true;
    if (!isa<dl::LoadOp, dl::StoreOp, dl::LoadScalarOp, dl::GatherOp>(other))
      return other.hasTrait<OpTrait::HasRecursiveMemoryEffects>(); // a loop or branch is a fence itself
    std::optional<int64_t> argument = argumentOf(&other);
    auto with = wholeOf.find(&other);
    return (argument && argument != argumentOf(store)) ||
           (with != wholeOf.end() && with->second == whole->second);
  });
}

bool isFence(Operation* op, const PieceNumbers& pieceOf, const WholeAccesses& wholeOf) {
  if (auto wait = dyn_cast<npu::CrossWaitOp>(op))
    return wait.getUnit() != npu::Unit::MTE3;
  if (auto store = dyn_cast<dl::StoreOp>(op); store && !mayPass(store, *op->getBlock(), wholeOf))
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

void orderPieces(Block& block, int64_t pieces, const PieceNumbers& pieceOf, const WholeAccesses& wholeOf) {
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
    if (isFence(&op, pieceOf, wholeOf))
      flush();
    else
      run.push_back(&op);
  }
}

} // namespace dlsim::codegen
