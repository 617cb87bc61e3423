#include "codegen/dialects/npu/NpuDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include "codegen/dialects/npu/NpuOpsDialect.cpp.inc"
#include "codegen/dialects/npu/NpuOpsEnums.cpp.inc"
#include "codegen/dialects/npu/NpuOpsInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "codegen/dialects/npu/NpuOpsAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "codegen/dialects/npu/NpuOps.cpp.inc"

using namespace mlir;

namespace dlsim::npu {

void NpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "codegen/dialects/npu/NpuOpsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "codegen/dialects/npu/NpuOps.cpp.inc"
      >();
}

llvm::SmallVector<Value> bufferAccesses(Operation* op, bool writes) {
  llvm::SmallVector<Value> found;
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(op).getEffects(effects);
  for (auto& effect : effects) {
    Value value = effect.getValue();
    bool matches =
        writes ? isa<MemoryEffects::Write>(effect.getEffect()) : isa<MemoryEffects::Read>(effect.getEffect());
    if (value && matches && isa<MemRefType>(value.getType()) && !llvm::is_contained(found, value))
      found.push_back(value);
  }
  // These kinds accumulate into their destination.
  auto binary = dyn_cast<VBinaryOp>(op);
  auto scalar = dyn_cast<VScalarOp>(op);
  if (!writes && binary && binary.getKind() == BinaryKind::mla)
    found.push_back(binary.getDst());
  if (!writes && scalar && scalar.getKind() == ScalarKind::axpy)
    found.push_back(scalar.getDst());
  return found;
}

std::optional<GmAccess> gmAccessOf(Operation* op) {
  if (auto copy = dyn_cast<CopyInOp>(op); copy && matchPattern(copy.getCols(), m_Zero()))
    return std::nullopt; // padding only
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(op).getEffects(effects);
  for (auto& effect : effects)
    if (isa<GlobalMemory>(effect.getResource())) {
      auto arg = op->getAttrOfType<IntegerAttr>("arg");
      return GmAccess{arg ? std::optional(arg.getInt()) : std::nullopt, effect.getValue(),
                      isa<MemoryEffects::Write>(effect.getEffect())};
    }
  return std::nullopt;
}

Space spaceOf(MemRefType type) { return cast<SpaceAttr>(type.getMemorySpace()).getValue(); }

int64_t elementBits(MemRefType type) { return type.getElementTypeBitWidth(); }

int64_t ubRowElements(MemRefType type) {
  int64_t cols = type.getShape().back();
  return type.getRank() == 1 ? cols : int64_t(llvm::alignTo(cols, elementBits(type) == 8 ? 32 : 16));
}

int64_t ubElements(MemRefType type) {
  return (type.getRank() == 1 ? 1 : type.getDimSize(0)) * ubRowElements(type);
}

// Rows or columns of an L1 tile with their padding.
static int64_t l1Padded(MemRefType type, unsigned dim) {
  int64_t c0 = 256 / elementBits(type);
  return int64_t(llvm::alignTo(type.getDimSize(dim), std::max<int64_t>(16, c0)));
}

int64_t nzBlockStride(MemRefType type) { return l1Padded(type, 0) * 32; }

int64_t slotBytes(MemRefType type) {
  int64_t bits = elementBits(type), c0 = 256 / std::max<int64_t>(bits, 8);
  auto rounded = [&](unsigned dim, int64_t to) { return int64_t(llvm::alignTo(type.getDimSize(dim), to)); };
  switch (spaceOf(type)) {
  case Space::UB:
    return int64_t(llvm::alignTo(llvm::divideCeil(ubElements(type) * bits, 8), 32));
  case Space::L1:
    return l1Padded(type, 0) * l1Padded(type, 1) * bits / 8;
  case Space::L0A:
    return rounded(0, 16) * rounded(1, c0) * bits / 8;
  case Space::L0B:
    return rounded(0, c0) * rounded(1, 16) * bits / 8;
  case Space::L0C:
    return rounded(0, 16) * rounded(1, 16) * bits / 8;
  case Space::BT:
  case Space::FB:
    return int64_t(llvm::alignTo(type.getNumElements() * bits / 8, 64));
  }
  llvm_unreachable("no such memory");
}

Value bufferRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (!isa_and_nonnull<SpaceAttr>(type.getMemorySpace()))
    return emitOpError() << "needs a memory space #npu.space<..>, has " << type;
  bool rank2 = spaceOf(type) == Space::L1 || spaceOf(type) == Space::L0A || spaceOf(type) == Space::L0B ||
               spaceOf(type) == Space::L0C;
  if (!type.hasStaticShape() || type.getRank() > 2 || type.getRank() < (rank2 ? 2 : 1))
    return emitOpError() << "needs a static shape of rank " << (rank2 ? "2" : "1 or 2") << ", has " << type;
  if (getSlots() < 1)
    return emitOpError() << "needs at least one slot, has " << getSlots();
  return success();
}

LogicalResult PartOp::verify() {
  auto whole = cast<MemRefType>(getSource().getType()), part = cast<MemRefType>(getType());
  if (spaceOf(whole) != Space::UB || whole.getMemorySpace() != part.getMemorySpace())
    return emitOpError() << "is of a buffer in UB";
  int64_t begin = getOffset(), end = begin + slotBytes(part);
  if (begin < 0 || begin % 32 != 0 || end > slotBytes(whole))
    return emitOpError() << "bytes " << begin << " to " << end << " are no aligned part of "
                         << slotBytes(whole);
  return success();
}

} // namespace dlsim::npu
