#include "codegen/passes/split/Rowwise.h"
#include "codegen/dialects/dl/DlDialect.h"

#include "codegen/support/Elementwise.h"

using namespace mlir;

namespace dlsim::codegen {

bool rowwise(Operation* op, RankedTensorType type) {
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op))
    return reshape.getSrc().getType().getRank() > 0 &&
           reshape.getSrc().getType().getDimSize(0) == type.getDimSize(0);
  if (auto trans = dyn_cast<tt::TransOp>(op))
    return trans.getOrder().front() == 0;
  if (auto gather = dyn_cast<tt::GatherOp>(op))
    return gather.getAxis() > 0;
  if (auto scan = dyn_cast<tt::ScanOp>(op))
    return scan.getAxis() > 0;
  if (isa<tt::JoinOp, tt::SplitOp>(op))
    return type.getRank() > 0;
  if (isa<dl::InterleaveOp, dl::DeinterleaveOp>(op))
    return type.getRank() > 1;
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
    return expand.getAxis() > 0;
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return reduce.getAxis() > 0;
  return isElementwise(op) || (isa<tt::BroadcastOp>(op) && type.getRank() > 0);
}

} // namespace dlsim::codegen
