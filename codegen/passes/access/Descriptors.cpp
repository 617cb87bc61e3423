// Tensor descriptors become tensors of pointers with masks. A descriptor that is an argument of the kernel is
// a pointer, with the array's sizes and strides in the arguments behind it.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/access/TileAddress.h"
#include "codegen/support/SourceLine.h"

using namespace mlir;

namespace dlsim::access {
namespace {

tt::AtomicKind atomicKind(tt::DescriptorReduceKind kind, bool isFloat) {
  switch (kind) {
  case tt::DescriptorReduceKind::MIN:
    return tt::AtomicKind::MIN;
  case tt::DescriptorReduceKind::MAX:
    return tt::AtomicKind::MAX;
  case tt::DescriptorReduceKind::AND:
    return tt::AtomicKind::AND;
  case tt::DescriptorReduceKind::OR:
    return tt::AtomicKind::OR;
  case tt::DescriptorReduceKind::XOR:
    return tt::AtomicKind::XOR;
  default:
    return isFloat ? tt::AtomicKind::FADD : tt::AtomicKind::ADD;
  }
}

bool isDescriptor(Type type) { return isa<tt::TensorDescType>(type); }

// Triton gives all of them the descriptor's name.
void rename(BlockArgument part, BlockArgument descriptor, const std::string& suffix) {
  if (auto name = dyn_cast<NameLoc>(descriptor.getLoc()))
    part.setLoc(
        NameLoc::get(StringAttr::get(part.getContext(), name.getName().str() + suffix), name.getChildLoc()));
}

// Triton passes a descriptor as itself, then its sizes (i32) and strides (i64): here a pointer, from which a
// descriptor is made again.
LogicalResult expandArguments(func::FuncOp function) {
  Block& entry = function.getBody().front();
  OpBuilder b(&entry, entry.begin());
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<tt::TensorDescType>(argument.getType());
    if (!type)
      continue;
    unsigned rank = unsigned(type.getBlock().getRank()), first = argument.getArgNumber() + 1;
    SmallVector<Value> shape, strides;
    for (unsigned i = 0; i < 2 * rank; ++i) {
      bool size = i < rank;
      auto part = first + i < entry.getNumArguments() ? entry.getArgument(first + i) : BlockArgument();
      if (!part || !part.getType().isInteger(size ? 32 : 64))
        return errorAt(function) << "argument " << argument.getArgNumber() << " of type " << type << " needs "
                                 << rank << " sizes (i32) and " << rank << " strides (i64) behind it";
      (size ? shape : strides).push_back(part);
      rename(part, argument, (size ? ".shape." : ".stride.") + std::to_string(size ? i : i - rank));
    }
    strides.back() =
        b.create<arith::ConstantIntOp>(argument.getLoc(), 1, 64); // the host makes no other descriptors
    argument.setType(tt::PointerType::get(type.getBlock().getElementType()));
    auto made = b.create<tt::MakeTensorDescOp>(argument.getLoc(), type, argument, shape, strides,
                                               tt::PaddingOption::PAD_ZERO);
    argument.replaceAllUsesExcept(made, made);
  }
  function.setType(FunctionType::get(function.getContext(), entry.getArgumentTypes(), {}));
  return success();
}

class Expander {
public:
  explicit Expander(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    WalkResult result = function.walk([&](Operation* op) {
      if (!isa<tt::MakeTensorDescOp>(op) && !expand(op))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    for (Operation* op : dead)
      op->erase();
    return failure(result.wasInterrupted());
  }

private:
  struct Descriptor {
    StridedArray array;
    RankedTensorType block;
    tt::PaddingOption padding;
  };

  const Descriptor* descriptorOf(Operation* op, Value value) {
    if (auto known = descriptors.find(value); known != descriptors.end())
      return &known->second;
    auto made = value.getDefiningOp<tt::MakeTensorDescOp>();
    if (!made) {
      errorAt(op) << op->getName()
                  << " through a descriptor of unknown origin is not supported; make it with "
                  << "tl.make_tensor_descriptor where it is used";
      return nullptr;
    }
    OpBuilder b(made);
    Descriptor descriptor{{made.getBase(), {}, llvm::to_vector(made.getStrides())},
                          made.getType().getBlock(),
                          made.getPadding()};
    for (Value size : made.getShape())
      descriptor.array.shape.push_back(widened(b, made.getLoc(), size));
    return &(descriptors[value] = descriptor);
  }

  TileAddress block(OpBuilder& b, Location loc, const Descriptor& descriptor, ValueRange indices) {
    SmallVector<Value> positions;
    SmallVector<int32_t> all;
    for (auto [d, index] : llvm::enumerate(indices)) {
      positions.push_back(positionsFrom(b, loc, index, descriptor.block.getDimSize(d)));
      all.push_back(int32_t(d));
    }
    return addressOfTile(b, loc, descriptor.array, positions, descriptor.block, all);
  }

  // Rows that a vector names.
  TileAddress rows(OpBuilder& b, Location loc, const Descriptor& descriptor, Value rows, Value column,
                   RankedTensorType tile) {
    SmallVector<Value> positions{widened(b, loc, rows), positionsFrom(b, loc, column, tile.getDimSize(1))};
    return addressOfTile(b, loc, descriptor.array, positions, tile, {0, 1});
  }

  // In the shape of the pointers: results and operands may lack dimensions of size 1.
  static Value shaped(OpBuilder& b, Location loc, Value tensor, RankedTensorType type) {
    return tensor.getType() == type ? tensor
                                    : Value(b.create<tt::ReshapeOp>(loc, type, tensor, false, false));
  }

  void load(Operation* op, const Descriptor& descriptor, TileAddress at, tt::CacheModifier cache,
            tt::EvictionPolicy evict) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto tile = cast<RankedTensorType>(at.pointers.getType()).clone(descriptor.block.getElementType());
    Value loaded =
        b.create<tt::LoadOp>(loc, tile, at.pointers, at.mask, paddingOf(b, loc, descriptor.padding, tile),
                             ArrayRef<int32_t>(), tt::PaddingOptionAttr(), cache, evict, false);
    op->getResult(0).replaceAllUsesWith(
        shaped(b, loc, loaded, cast<RankedTensorType>(op->getResult(0).getType())));
    dead.push_back(op);
  }

  void store(Operation* op, Value value, TileAddress at) {
    OpBuilder b(op);
    auto tile = cast<RankedTensorType>(at.pointers.getType()).clone(getElementTypeOrSelf(value.getType()));
    b.create<tt::StoreOp>(op->getLoc(), at.pointers, shaped(b, op->getLoc(), value, tile), at.mask,
                          ArrayRef<int32_t>(), tt::CacheModifier::NONE, tt::EvictionPolicy::NORMAL);
    dead.push_back(op);
  }

  bool reduce(tt::DescriptorReduceOp op, const Descriptor& descriptor) {
    tt::DescriptorReduceKind kind = op.getKind();
    Type element = descriptor.block.getElementType();
    if (kind == tt::DescriptorReduceKind::INC || kind == tt::DescriptorReduceKind::DEC) {
      errorAt(op) << "tt.descriptor_reduce " << tt::stringifyDescriptorReduceKind(kind)
                  << " is not supported; add, min, max, and, or and xor are";
      return false;
    }
    OpBuilder b(op);
    TileAddress at = block(b, op.getLoc(), descriptor, op.getIndices());
    b.create<tt::AtomicRMWOp>(op.getLoc(), descriptor.block, atomicKind(kind, isa<FloatType>(element)),
                              at.pointers, shaped(b, op.getLoc(), op.getSrc(), descriptor.block), at.mask,
                              tt::MemSemantic::RELAXED, tt::MemSyncScope::GPU);
    dead.push_back(op);
    return true;
  }

  bool expand(Operation* op) {
    auto used = llvm::find_if(op->getOperands(), [&](Value v) { return isDescriptor(v.getType()); });
    if (used == op->operand_end())
      return true;
    const Descriptor* descriptor = descriptorOf(op, *used);
    if (!descriptor)
      return false;
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (auto reads = dyn_cast<tt::DescriptorLoadOp>(op))
      load(op, *descriptor, block(b, loc, *descriptor, reads.getIndices()), reads.getCache(),
           reads.getEvict());
    else if (auto writes = dyn_cast<tt::DescriptorStoreOp>(op))
      store(op, writes.getSrc(), block(b, loc, *descriptor, writes.getIndices()));
    else if (auto gather = dyn_cast<tt::DescriptorGatherOp>(op))
      load(op, *descriptor,
           rows(b, loc, *descriptor, gather.getXOffsets(), gather.getYOffset(),
                cast<RankedTensorType>(gather.getType())),
           tt::CacheModifier::NONE, tt::EvictionPolicy::NORMAL);
    else if (auto scatter = dyn_cast<tt::DescriptorScatterOp>(op))
      store(op, scatter.getSrc(),
            rows(b, loc, *descriptor, scatter.getXOffsets(), scatter.getYOffset(),
                 cast<RankedTensorType>(scatter.getSrc().getType())));
    else if (auto combines = dyn_cast<tt::DescriptorReduceOp>(op))
      return reduce(combines, *descriptor);
    else if (!op->hasTrait<OpTrait::IsTerminator>()) {
      errorAt(op) << op->getName() << " of a tensor descriptor is not supported";
      return false;
    }
    return true;
  }

  func::FuncOp function;
  DenseMap<Value, Descriptor> descriptors;
  SmallVector<Operation*> dead;
};
} // namespace

LogicalResult expandDescriptors(func::FuncOp function) {
  bool any = llvm::any_of(function.getArgumentTypes(), isDescriptor);
  function.walk([&](tt::MakeTensorDescOp) { any = true; });
  if (!any)
    return success();
  return failure(failed(expandArguments(function)) || failed(unpackDescriptors(function)) ||
                 failed(Expander(function).run()));
}
} // namespace dlsim::access
