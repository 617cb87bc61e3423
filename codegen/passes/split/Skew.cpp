#include "codegen/passes/split/Skew.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr unsigned stageCount = 2;

// What each stage consists of: its bound operations and the free ones that these need.
class Membership {
public:
  explicit Membership(const StagedLoop& staged) : staged(staged), loop(staged.loop) {
    Operation* end = loop.getBody()->getTerminator();
    for (Operation& op : loop.getBody()->without_terminator())
      if (staged.isBound(&op))
        include(staged.stageOf(staged.phaseOf.lookup(&op)), &op);
    for (auto [i, value] : llvm::enumerate(end->getOperands()))
      if (auto carried = staged.carriedPhase.find(i); carried != staged.carriedPhase.end())
        require(staged.stageOf(carried->second), value);
      else if (!loop.getResult(i).use_empty())
        require(stageCount - 1, loop.getRegionIterArg(i));
  }

  llvm::DenseSet<Operation*> operations[stageCount];
  llvm::SetVector<unsigned>
      freeCarried[stageCount];   // numbers of free carried values that the stage computes itself
  llvm::SetVector<Value> handed; // from stage 0 to stage 1

private:
  void include(unsigned stage, Operation* op) {
    if (!operations[stage].insert(op).second)
      return;
    for (Value value : staged.reads(op))
      require(stage, value);
  }
  void require(unsigned stage, Value value) {
    if (value.getParentBlock() != loop.getBody() || value == loop.getInductionVar())
      return;
    if (std::optional<unsigned> phase = staged.phase(value)) {
      if (staged.stageOf(*phase) < stage)
        handed.insert(value);
      return;
    }
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return include(stage, value.getDefiningOp());
    unsigned number = argument.getArgNumber() - 1;
    if (freeCarried[stage].insert(number))
      require(stage, loop.getYieldedValues()[number]);
  }

  const StagedLoop& staged;
  scf::ForOp loop;
};

// Something that the new loops carry. `value` is what it is at the point that has been built.
struct Carried {
  enum Kind { own, free, kept } kind;
  unsigned stage = 0;  // own and free: which stage computes it
  unsigned number = 0; // own and free: of the old loop's carried value; kept: of the handed value
  int64_t age = 0;     // kept: 0 is what stage 1 reads next
  Value value;
};

class Skewer {
public:
  Skewer(const StagedLoop& staged, int64_t distance)
      : staged(staged), loop(staged.loop), members(staged), distance(distance), builder(loop),
        loc(loop.getLoc()) {}

  void run() {
    collect();
    countIterations();
    Value ahead = builder.createOrFold<arith::MinSIOp>(loc, trips, constant(distance));
    Value behind = builder.createOrFold<arith::MaxSIOp>(
        loc, builder.createOrFold<arith::SubIOp>(loc, trips, constant(distance)), constant(0));
    emit(constant(0), ahead, true, false);
    if (!members.handed.empty() && distance > 1)
      emit(ahead, constant(distance), false, false); // too few iterations: the kept values still move on
    emit(constant(distance), trips, true, true);
    emit(behind, trips, false, true);
    replace();
  }

private:
  Value constant(int64_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 64); }

  void collect() {
    for (unsigned stage = 0; stage < stageCount; ++stage)
      for (unsigned number : members.freeCarried[stage])
        carried.push_back({Carried::free, stage, number, 0, loop.getInitArgs()[number]});
    for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
      if (auto found = staged.carriedPhase.find(number); found != staged.carriedPhase.end())
        carried.push_back(
            {Carried::own, staged.stageOf(found->second), number, 0, loop.getInitArgs()[number]});
    for (auto [number, value] : llvm::enumerate(members.handed))
      for (int64_t age = 0; age < distance; ++age)
        carried.push_back({Carried::kept, 0, unsigned(number), age,
                           builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(value.getType()))});
  }

  Value wide(Value value) {
    return value.getType().isInteger(64) ? value
           : value.getType().isIndex()
               ? builder.createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(), value)
               : builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), value);
  }

  void countIterations() {
    first = wide(loop.getLowerBound());
    step = wide(loop.getStep());
    Value range = builder.createOrFold<arith::SubIOp>(loc, wide(loop.getUpperBound()), first);
    range = builder.createOrFold<arith::MaxSIOp>(loc, range, constant(0));
    range = builder.createOrFold<arith::AddIOp>(loc, range,
                                                builder.createOrFold<arith::SubIOp>(loc, step, constant(1)));
    trips = builder.createOrFold<arith::DivSIOp>(loc, range, step);
  }

  // The old loop's induction variable in iteration `number`.
  Value induction(Value number) {
    Value value = builder.createOrFold<arith::AddIOp>(loc, first,
                                                      builder.createOrFold<arith::MulIOp>(loc, number, step));
    Type type = loop.getInductionVar().getType();
    if (type.isIndex())
      return builder.createOrFold<arith::IndexCastOp>(loc, type, value);
    return type.isInteger(64) ? value : builder.createOrFold<arith::TruncIOp>(loc, type, value);
  }

  // A loop over iterations from..to. With both stages, the iterations are those of stage 0.
  void emit(Value from, Value to, bool ahead, bool behind) {
    bool active[stageCount] = {ahead, behind};
    SmallVector<Carried*> live;
    SmallVector<Value> inits;
    for (Carried& one : carried)
      if (one.kind == Carried::kept || active[one.stage]) {
        live.push_back(&one);
        inits.push_back(one.value);
      }
    auto made = builder.create<scf::ForOp>(loc, from, to, constant(1), inits);
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    if (ahead != behind)
      made->setAttr(briefLoop, builder.getUnitAttr());
    for (auto [one, argument] : llvm::zip_equal(live, made.getRegionIterArgs())) {
      one->value = argument;
      argument.setLoc(one->kind == Carried::kept ? members.handed[one->number].getLoc()
                                                 : loop.getRegionIterArg(one->number).getLoc());
    }
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(made.getBody());
    IRMapping maps[stageCount];
    Value number = made.getInductionVar();
    if (ahead)
      fill(maps[0], 0, number);
    if (behind)
      fill(maps[1], 1, ahead ? builder.create<arith::SubIOp>(loc, number, constant(distance)) : number);
    SmallVector<Value> yields;
    for (Carried* one : live)
      yields.push_back(next(*one, maps, ahead));
    if (!yields.empty())
      builder.create<scf::YieldOp>(loc, yields);
    for (auto [one, result] : llvm::zip_equal(live, made.getResults()))
      one->value = result;
  }

  void fill(IRMapping& map, unsigned stage, Value number) {
    map.map(loop.getInductionVar(), induction(number));
    for (Carried& one : carried) {
      if (one.kind != Carried::kept && one.stage == stage)
        map.map(loop.getRegionIterArg(one.number), one.value);
      if (one.kind == Carried::kept && stage == 1 && one.age == 0)
        map.map(members.handed[one.number], one.value);
    }
    for (Operation& op : loop.getBody()->without_terminator())
      if (members.operations[stage].contains(&op))
        builder.clone(op, map);
  }

  // What a carried value becomes after an iteration of the loop being built.
  Value next(const Carried& one, IRMapping (&maps)[stageCount], bool ahead) {
    if (one.kind != Carried::kept)
      return maps[one.stage].lookupOrDefault(loop.getYieldedValues()[one.number]);
    if (one.age + 1 < distance)
      return llvm::find_if(carried,
                           [&](const Carried& other) {
                             return other.kind == Carried::kept && other.number == one.number &&
                                    other.age == one.age + 1;
                           })
          ->value;
    return ahead ? maps[0].lookup(members.handed[one.number]) : one.value;
  }

  void replace() {
    for (const Carried& one : carried) // free ones of stage 1 come last and are complete
      if (one.kind != Carried::kept)
        results[one.number] = one.value;
    for (auto [number, result] : llvm::enumerate(loop.getResults()))
      if (!result.use_empty())
        result.replaceAllUsesWith(results.lookup(number));
    loop.erase();
  }

  const StagedLoop& staged;
  scf::ForOp loop;
  Membership members;
  int64_t distance;
  OpBuilder builder;
  Location loc;
  Value first, step, trips;
  SmallVector<Carried> carried;
  llvm::DenseMap<unsigned, Value> results;
};

} // namespace

std::optional<int64_t> handedBytes(const StagedLoop& staged) {
  int64_t bytes = 0;
  for (Value value : Membership(staged).handed) {
    Type element = getElementTypeOrSelf(value.getType());
    if (!element.isIntOrIndexOrFloat())
      return std::nullopt;
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      bytes += tensor.getNumElements() * std::max(8u, tensor.getElementTypeBitWidth()) / 8;
  }
  return bytes;
}

void skew(const StagedLoop& staged, int64_t distance) { Skewer(staged, distance).run(); }

} // namespace dlsim::codegen
