#include "codegen/passes/panels/KLoop.h"

#include "codegen/support/SourceLine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using dlsim::access::Polynomial;

namespace dlsim::codegen {
namespace {

dl::RunOp runOf(Operation* gather) {
  return cast<dl::RunOp>(cast<dl::GatherOp>(gather).getBody().front().back());
}

class Recognizer {
public:
  Recognizer(scf::ForOp loop, std::string& reason) : steps(loop), reason(reason) { found.loop = loop; }

  std::optional<KLoop> run() {
    if (!body() || !counter() || !accumulators() || !carriedScalars())
      return std::nullopt;
    for (dl::DotOp dot : found.dots)
      if (!dotOf(dot))
        return std::nullopt;
    return std::move(found);
  }

private:
  bool no(Operation* at, const Twine& why) {
    reason = (why + " (" + sourceLine(at->getLoc()) + ")").str();
    return false;
  }

  // Products, the loads of their operands, and scalars: nothing else may happen between two steps.
  bool body() {
    for (Operation& op : found.loop.getBody()->without_terminator()) {
      if (auto dot = dyn_cast<dl::DotOp>(op))
        found.dots.push_back(dot);
      else if (!isa<dl::LoadOp, dl::GatherOp>(op) && (!isMemoryEffectFree(&op) || op.getNumRegions() != 0))
        return no(&op, "it contains " + op.getName().getStringRef());
    }
    return !found.dots.empty();
  }

  bool counter() {
    auto stride = getConstantIntValue(found.loop.getStep());
    if (!stride || *stride <= 0)
      return no(found.loop, "its step is known only at run time");
    found.stride = *stride;
    found.counter = found.loop.getInductionVar();
    if (*stride == 1 && getConstantIntValue(found.loop.getLowerBound()) == 0)
      findOffset();
    steps.countBy(found.counter);
    return true;
  }

  // The form that a K offset leaves: sum = counter + offset, less the end where it reaches it.
  void findOffset() {
    Value end = found.loop.getUpperBound();
    for (Operation* user : found.loop.getInductionVar().getUsers()) {
      auto sum = dyn_cast<arith::AddIOp>(user);
      if (!sum)
        continue;
      Value other = sum.getLhs() == found.loop.getInductionVar() ? sum.getRhs() : sum.getLhs();
      for (Operation* next : sum->getUsers()) {
        auto select = dyn_cast<arith::SelectOp>(next);
        auto reaches = select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
        auto less = select ? select.getTrueValue().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
        if (reaches && less && reaches.getPredicate() == arith::CmpIPredicate::sge &&
            reaches.getLhs() == sum.getResult() && reaches.getRhs() == end &&
            less.getLhs() == sum.getResult() && less.getRhs() == end &&
            select.getFalseValue() == sum.getResult() && found.loop.isDefinedOutsideOfLoop(other)) {
          found.counter = select.getResult();
          found.offset = other;
        }
      }
    }
  }

  // Each dot adds to a carried accumulator of its own, so that its products may run before those of others.
  bool accumulators() {
    for (dl::DotOp dot : found.dots) {
      auto argument = dyn_cast<BlockArgument>(dot.getAcc());
      if (!argument || argument.getOwner() != found.loop.getBody() || !argument.hasOneUse() ||
          !dot.getResult().hasOneUse() ||
          found.loop.getTiedLoopYieldedValue(argument)->get() != dot.getResult())
        return no(dot, "a product is not simply added to a carried sum");
      if (!startsOnce(dot.getInit()))
        return no(dot, "a sum starts again on the way");
    }
    return true;
  }

  // Never, or in the first iteration.
  bool startsOnce(Value init) {
    if (getConstantIntValue(init) == 0)
      return true;
    auto compare = init.getDefiningOp<arith::CmpIOp>();
    return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
           compare.getLhs() == found.loop.getInductionVar() && compare.getRhs() == found.loop.getLowerBound();
  }

  bool carriedScalars() {
    for (unsigned i = 0; i < found.loop.getNumRegionIterArgs(); ++i) {
      Value argument = found.loop.getRegionIterArg(i);
      if (isa<RankedTensorType>(argument.getType())) {
        if (llvm::none_of(found.dots, [&](dl::DotOp dot) { return dot.getAcc() == argument; }))
          return no(found.loop, "it carries a tensor that is no sum of products");
        continue;
      }
      Operation* next = found.loop.getYieldedValues()[i].getDefiningOp();
      if (!isa<IntegerType>(argument.getType()) || !steps.step(argument) ||
          !isa_and_nonnull<arith::AddIOp>(next))
        return no(found.loop, "it carries a value that does not grow evenly");
      if (!found.loop.getResult(i).use_empty())
        return no(found.loop, "a carried value is used after it");
      found.advanced.push_back(i);
    }
    return true;
  }

  bool dotOf(dl::DotOp dot) {
    if (dot.getDepth() || (found.depth && dot.getK() != found.depth))
      return no(dot, "its products differ in K");
    found.depth = dot.getK();
    int64_t bits = cast<RankedTensorType>(dot.getA().getType()).getElementTypeBitWidth();
    int64_t unit = std::max<int64_t>(16, 256 / bits); // a fractal's side in K, whichever way it lies
    if (found.depth % unit != 0 || found.depth % int64_t(dot.getKStep()) != 0)
      return no(dot, "K of its products, " + Twine(found.depth) + ", is no multiple of " + Twine(unit));
    return operandOf(dot.getA(), dot.getTransposeA() ? 0 : 1) &&
           operandOf(dot.getB(), dot.getTransposeB() ? 1 : 0);
  }

  bool operandOf(Value tile, unsigned k) {
    Operation* load = tile.getDefiningOp();
    if (!isa_and_nonnull<dl::LoadOp, dl::GatherOp>(load) || load->getBlock() != found.loop.getBody())
      return no(found.loop, "an operand is not loaded in each iteration");
    for (KOperand& other : found.operands)
      if (other.load == load)
        return other.k == k || no(load, "a tile is used both ways round");
    if (llvm::any_of(load->getUsers(), [](Operation* user) { return !isa<dl::DotOp>(user); }))
      return no(load, "a tile is used by more than products");
    KOperand operand{load, k, {}, false};
    auto rectangle = dyn_cast<dl::LoadOp>(load);
    bool ok = rectangle
                  ? isSteady(rectangle, k) && followsOn(operand, rectangle.getBase())
                  : isSteady(cast<dl::GatherOp>(load), k) && followsOn(operand, runOf(load).getAddress());
    if (!ok || !ends(operand))
      return false;
    found.operands.push_back(std::move(operand));
    return true;
  }

  bool areSteady(Operation* load, ValueRange values) {
    for (Value value : values)
      if (value && !steps.isInvariant(value))
        return no(load, "the shape of a tile changes from one iteration to the next");
    return true;
  }

  // Everything but the place along K stays as it is.
  bool isSteady(dl::LoadOp load, unsigned k) {
    if (load.getWrapDim() == std::optional<uint64_t>(k))
      return no(load, "addresses wrap around along K");
    Value others[] = {load.getHi()[1 - k], load.getOther(), load.getWrapStart(), load.getWrapModulus()};
    return areSteady(load, load.getStrides()) && areSteady(load, load.getLo()) &&
           areSteady(load, ArrayRef<Value>(others)) &&
           (getConstantIntValue(load.getLo()[k]) == 0 || no(load, "a mask cuts the beginning of K"));
  }

  bool isSteady(dl::GatherOp gather, unsigned k) {
    dl::RunOp run = runOf(gather);
    if (llvm::is_contained(gather.getWalk(), int64_t(k)))
      return no(gather, "the tile's elements along K are no rectangle");
    for (Operation& op : gather.getBody().front().without_terminator())
      if (!isMemoryEffectFree(&op))
        return no(gather, "addresses of a tile are read from memory");
    Value others[] = {gather.getHi()[1 - k], gather.getOther(), run.getCount(), run.getActive(),
                      run.getHi()[1 - k]};
    return areSteady(gather, gather.getStrides()) && areSteady(gather, gather.getLo()) &&
           areSteady(gather, run.getLo()) && areSteady(gather, ArrayRef<Value>(others)) &&
           ((getConstantIntValue(gather.getLo()[k]) == 0 && getConstantIntValue(run.getLo()[k]) == 0) ||
            no(gather, "a mask cuts the beginning of K")) &&
           (getConstantIntValue(run.getHi()[k]).value_or(0) >= found.depth ||
            no(gather, "a mask along K differs by row"));
  }

  bool followsOn(const KOperand& operand, Value address) {
    auto change = steps.step(address);
    int64_t bytes = operand.type().getElementTypeBitWidth() / 8;
    Polynomial tile = steps.polynomial(operand.stride()) * Polynomial(found.depth * bytes);
    return (change && *change == tile) ||
           no(operand.load, "tiles of consecutive iterations do not follow on one another");
  }

  // The end of the elements along K: the tile's depth, or the smallest of several, cut to 0.
  bool ends(KOperand& operand) {
    SmallVector<Value> work{endsOf(operand.load)[operand.k].get()};
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (auto constant = getConstantIntValue(value)) {
        if (*constant < found.depth)
          return no(operand.load, "a mask leaves out a part of each step of K");
        continue;
      }
      Operation* op = value.getDefiningOp();
      if (isa_and_nonnull<arith::MinSIOp>(op)) {
        llvm::append_range(work, op->getOperands());
      } else if (isa_and_nonnull<arith::MaxSIOp>(op) && getConstantIntValue(op->getOperand(1)) == 0) {
        operand.clamped = true;
        work.push_back(op->getOperand(0));
      } else if (auto change = steps.step(value); change && *change == Polynomial(-found.depth)) {
        operand.ends.push_back(value);
      } else if (isa_and_nonnull<arith::ExtSIOp>(op)) {
        work.push_back(op->getOperand(0));
      } else {
        return no(operand.load, "a mask along K does not move with the steps");
      }
    }
    return true;
  }

  KLoop found;
  Steps steps;
  std::string& reason;
};

} // namespace

RankedTensorType KOperand::type() const { return cast<RankedTensorType>(load->getResult(0).getType()); }

Value KOperand::stride() const {
  if (auto rectangle = dyn_cast<dl::LoadOp>(load))
    return rectangle.getStrides()[k];
  return cast<dl::GatherOp>(load).getStrides()[k];
}

MutableOperandRange endsOf(Operation* load) {
  if (auto rectangle = dyn_cast<dl::LoadOp>(load))
    return rectangle.getHiMutable();
  return cast<dl::GatherOp>(load).getHiMutable();
}

int64_t bytesInL1(RankedTensorType type) {
  int64_t bits = type.getElementTypeBitWidth(), unit = std::max<int64_t>(16, 256 / bits);
  return int64_t(llvm::alignTo(type.getDimSize(0), unit) * llvm::alignTo(type.getDimSize(1), unit)) * bits /
         8;
}

int64_t KLoop::bytesOfStep() const {
  int64_t bytes = 0;
  for (const KOperand& operand : operands)
    bytes += bytesInL1(operand.type());
  return bytes;
}

int64_t KLoop::rowBytes() const {
  int64_t narrowest = 0;
  for (const KOperand& operand : operands)
    if (getConstantIntValue(operand.stride()) == 1) {
      int64_t bytes = depth * operand.type().getElementTypeBitWidth() / 8;
      narrowest = narrowest ? std::min(narrowest, bytes) : bytes;
    }
  return narrowest;
}

std::optional<int64_t> KLoop::trips() const {
  scf::ForOp counted = loop;
  auto lower = getConstantIntValue(counted.getLowerBound()),
       upper = getConstantIntValue(counted.getUpperBound());
  if (!lower || !upper)
    return std::nullopt;
  return std::max<int64_t>(0, int64_t(llvm::divideCeilSigned(*upper - *lower, stride)));
}

std::optional<KLoop> asKLoop(scf::ForOp loop, std::string& reason) {
  reason.clear();
  return Recognizer(loop, reason).run();
}

} // namespace dlsim::codegen
