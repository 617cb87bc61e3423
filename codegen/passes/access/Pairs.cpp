// Joins and splits behind or before a reshape that has the pairs in a row: dl.interleave and dl.deinterleave,
// which need no tile with rows of two elements.
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"

using namespace mlir;

namespace dlsim::access {

static bool moves(Type element) {
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  return bits == 16 || bits == 32 || element.isInteger(8);
}

// [.., n, 2] as [.., 2 n].
static RankedTensorType inRow(RankedTensorType pairs) {
  SmallVector<int64_t> shape(pairs.getShape().drop_back());
  shape.back() *= 2;
  return pairs.clone(shape);
}

static Value reshaped(OpBuilder& b, Location loc, Value value, RankedTensorType type) {
  return value.getType() == type ? value : b.create<tt::ReshapeOp>(loc, type, value, false, false);
}

void pairNeighbours(func::FuncOp function) {
  SmallVector<Operation*> found;
  function.walk([&](Operation* op) {
    auto reshape = dyn_cast<tt::ReshapeOp>(op);
    auto split = dyn_cast<tt::SplitOp>(op);
    bool joins = reshape && reshape.getSrc().getDefiningOp<tt::JoinOp>();
    bool splits = split && split.getSrc().getDefiningOp<tt::ReshapeOp>();
    if ((joins || splits) && moves(getElementTypeOrSelf(op->getOperand(0).getType())) &&
        cast<RankedTensorType>(op->getOperand(0).getType()).getRank() > 1)
      found.push_back(op);
  });
  for (Operation* op : found) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto row = inRow(cast<RankedTensorType>(op->getOperand(0).getType()));
    if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
      auto join = reshape.getSrc().getDefiningOp<tt::JoinOp>();
      Value pairs = b.create<dl::InterleaveOp>(loc, row, ValueRange{join.getLhs(), join.getRhs()});
      reshape.getResult().replaceAllUsesWith(
          reshaped(b, loc, pairs, cast<RankedTensorType>(reshape.getType())));
    } else {
      auto before = op->getOperand(0).getDefiningOp<tt::ReshapeOp>();
      Value pairs = reshaped(b, loc, before.getSrc(), row);
      for (auto [number, result] : llvm::enumerate(op->getResults()))
        result.replaceAllUsesWith(
            b.create<dl::DeinterleaveOp>(loc, result.getType(), pairs, int64_t(number), 2));
    }
    op->erase();
  }
}

} // namespace dlsim::access
