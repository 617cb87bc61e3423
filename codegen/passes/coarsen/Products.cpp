#include "codegen/passes/coarsen/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

bool isLoaded(Value operand) {
  while (auto trans = operand.getDefiningOp<tt::TransOp>())
    operand = trans.getSrc();
  return operand.getDefiningOp<tt::LoadOp>();
}

// One result, each element of which comes from an element of each operand.
bool isElementwise(Operation* op) {
  return op->getNumResults() == 1 && (isa<tt::FpToFpOp>(op) || op->hasTrait<OpTrait::Elementwise>());
}

// A result's way to memory.
bool isStored(Value result) {
  return llvm::all_of(result.getUses(), [&](OpOperand& use) {
    Operation* user = use.getOwner();
    if (auto dot = dyn_cast<tt::DotOp>(user))
      return dot.getC() == result;
    if (auto store = dyn_cast<tt::StoreOp>(user))
      return store.getValue() == result;
    return isa<scf::YieldOp>(user) || (isElementwise(user) && isStored(user->getResult(0)));
  });
}

bool allowed(Operation* op) {
  bool tensors = llvm::any_of(op->getOperands(), isTensor) || llvm::any_of(op->getResults(), isTensor);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return llvm::all_of(loop.getResults(), [](Value result) {
      bool sum = isTensor(result) && getElementTypeOrSelf(result.getType()).isIntOrFloat() &&
                 !isa<tt::PointerType>(getElementTypeOrSelf(result.getType()));
      return !sum || isStored(result);
    });
  if (isa<scf::YieldOp>(op))
    return true;
  if (!tensors)
    return isMemoryEffectFree(op) || isa<tt::LoadOp>(op);
  if (isa<tt::LoadOp, tt::StoreOp>(op))
    return true;
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return isLoaded(dot.getA()) && isLoaded(dot.getB()) && isStored(dot.getD());
  bool floats = llvm::any_of(op->getResultTypes(),
                             [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); });
  return isMemoryEffectFree(op) &&
         (!floats || isElementwise(op) ||
          isa<arith::ConstantOp, tt::SplatOp, tt::TransOp, tt::ExpandDimsOp, tt::BroadcastOp>(op));
}

} // namespace

std::vector<tt::DotOp> onlyProducts(scf::ForOp tasks) {
  std::vector<tt::DotOp> dots;
  bool only = true;
  tasks.getBody()->walk([&](Operation* op) {
    only &= allowed(op);
    if (auto dot = dyn_cast<tt::DotOp>(op))
      dots.push_back(dot);
  });
  return only ? dots : std::vector<tt::DotOp>();
}

TileCosts::TileCosts(const ChipFile& chip, const TargetMemory& target) : chip(chip), target(target) {}

double TileCosts::cycles(tt::DotOp dot, int64_t rows, int64_t columns) const {
  Type element = dot.getA().getType().getElementType();
  double bytes = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  std::string type = element.isF32() ? "hf32" : element.isInteger(8) ? "i8" : "f16";
  auto number = [&](const llvm::Twine& key, double otherwise) {
    return chip.number(key.str()).value_or(otherwise);
  };
  double products = number("cube.type." + type + ".m", 16) * number("cube.type." + type + ".n", 16) *
                    number("cube.type." + type + ".k", 16);
  double line = number("l2.line_bytes", 512), rate = number("dma.nd2nz_bytes_per_cycle", 1);
  double rowsOfB = std::ceil(double(columns) * bytes / line) * line;
  return std::max(double(rows) * double(columns) / products, (double(rows) * bytes + rowsOfB) / rate);
}

bool TileCosts::fit(ArrayRef<tt::DotOp> dots, int64_t rows, int64_t columns) const {
  auto round = [](int64_t side) { return int64_t(llvm::alignTo(uint64_t(side), 32)); };
  int64_t results = 0, operands = 0;
  bool slices = true; // two of the least depth fit L0A and L0B
  llvm::DenseSet<Value> seen;
  for (tt::DotOp dot : dots) {
    auto a = cast<RankedTensorType>(dot.getA().getType());
    int64_t m = round(a.getDimSize(0) * rows), n = round(dot.getType().getDimSize(1) * columns);
    int64_t depth = round(a.getDimSize(1)), bytes = std::max(1u, a.getElementTypeBitWidth() / 8);
    int64_t slice = 2 * std::max<int64_t>(16 * bytes, 32);
    slices &= m * slice <= target.l0a.bytes && n * slice <= target.l0b.bytes;
    results += m * n * 4;
    if (seen.insert(dot.getA()).second)
      operands += m * depth * bytes;
    if (seen.insert(dot.getB()).second)
      operands += n * depth * bytes;
  }
  return slices && results <= target.l0c.bytes && 2 * operands <= target.l1.bytes;
}

} // namespace dlsim::codegen
