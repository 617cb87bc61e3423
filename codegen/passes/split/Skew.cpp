#include "codegen/passes/split/Skew.h"

#include "codegen/passes/split/Members.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

// Something that the new loops carry. `value` is what it is at the point that has been built.
struct Carried {
  enum Kind { own, free, kept } kind;
  unsigned stage = 0;  // own and free: which stage computes it
  unsigned number = 0; // own and free: of the old loop's carried value; kept: of the handed value
  int64_t age = 0;     // kept: 0 is what stage 1 reads next
  Value value;
};

// What a stage's iterations belong to: one iteration of the loop around, whose values `outside` holds.
struct Run {
  IRMapping outside;
  Value first, step; // of the old loop's induction variable
};

class Skewer {
public:
  Skewer(const StagedLoop& staged, int64_t distance)
      : staged(staged), loop(staged.loop), members(staged), distance(distance), builder(loop),
        loc(loop.getLoc()) {}

  void run() {
    collect();
    for (Carried& one : carried)
      if (one.kind == Carried::kept)
        one.value = zero(members.handed[one.number].getType());
    begin(0);
    begin(1);
    Value trips = count(runs[0]);
    runs[1] = runs[0];
    Value ahead = least(trips, constant(distance));
    Value behind = most(difference(trips, constant(distance)), constant(0));
    emit(constant(0), ahead, true, false);
    keepUp(ahead);
    emit(constant(distance), trips, true, true, constant(distance), false);
    emit(behind, trips, false, true);
    for (const Carried& one : carried) // free ones of stage 1 come last and are complete
      if (one.kind != Carried::kept)
        loop.getResult(one.number).replaceAllUsesWith(one.value);
    loop.erase();
  }

  void runAcross() {
    auto tasks = cast<scf::ForOp>(loop->getParentOp());
    for (Value yielded : tasks.getYieldedValues())
      if (yielded.getDefiningOp() == loop)
        members.alsoAhead(cast<OpResult>(yielded).getResultNumber());
    collect();
    builder.setInsertionPoint(tasks);
    Value first = wide(tasks.getLowerBound()), end = wide(tasks.getUpperBound()),
          step = wide(tasks.getStep());
    Value any = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, first, end);
    Value further = builder.create<arith::SelectOp>(loc, any, sum(end, step), end);
    SmallVector<Value> inits(tasks.getInitArgs());
    inits.push_back(constant(0));
    SmallVector<Carried*> passed = passedOn();
    for (Carried* one : passed)
      inits.push_back(zero(typeOf(*one)));
    auto made = builder.create<scf::ForOp>(tasks.getLoc(), first, further, step, inits);
    made->setDiscardableAttrs(tasks->getDiscardableAttrDictionary());
    builder.setInsertionPointToStart(made.getBody());
    SmallVector<Value> yields = fillTask(tasks, made, passed);
    builder.create<scf::YieldOp>(loc, yields);
    tasks.erase();
  }

private:
  Value constant(int64_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 64); }
  Value zero(Type type) { return builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(type)); }
  Value least(Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(loc, a, b); }
  Value most(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(loc, a, b); }
  Value sum(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
  Value difference(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); }

  void collect() {
    for (unsigned stage = 0; stage < stageCount; ++stage)
      for (unsigned number : members.freeCarried[stage])
        carried.push_back({Carried::free, stage, number, 0, Value()});
    for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
      if (auto found = staged.carriedPhase.find(number); found != staged.carriedPhase.end())
        carried.push_back({Carried::own, staged.stageOf(found->second), number, 0, Value()});
    for (unsigned number = 0; number < members.handed.size(); ++number)
      for (int64_t age = 0; age < distance; ++age)
        carried.push_back({Carried::kept, 0, number, age, Value()});
  }

  // What a stage carries gets its start values.
  void begin(unsigned stage) {
    for (Carried& one : carried)
      if (one.kind != Carried::kept && one.stage == stage)
        one.value = runs[stage].outside.lookupOrDefault(loop.getInitArgs()[one.number]);
  }

  // Too few iterations: the kept values still move on.
  void keepUp(Value done) {
    if (!members.handed.empty() && distance > 1)
      emit(done, constant(distance), false, false);
  }

  Type typeOf(const Carried& one) {
    return one.kind == Carried::kept ? members.handed[one.number].getType()
                                     : loop.getInitArgs()[one.number].getType();
  }

  // What a task hands to the next turn of the loop over tasks, in which its last iterations run: all of
  // stage 1, and of stage 0 what is read behind the loop.
  SmallVector<Carried*> passedOn() {
    SmallVector<Carried*> found;
    for (Carried& one : carried)
      if (one.kind == Carried::kept || one.stage == 1 ||
          (one.kind == Carried::own && !loop.getResult(one.number).use_empty()))
        found.push_back(&one);
    return found;
  }

  // One turn of the loop over tasks: the first iterations of this task's stage 0 with the last ones of the
  // stage 1 of the task before, what follows that task's loop, and the rest of this task's. The first turn
  // has no task before, the last one none of its own.
  SmallVector<Value> fillTask(scf::ForOp tasks, scf::ForOp made, ArrayRef<Carried*> passed) {
    Value number = made.getInductionVar(), tripsBefore = made.getRegionIterArg(tasks.getNumRegionIterArgs());
    Value first = made.getLowerBound(), end = wide(tasks.getUpperBound());
    Value follows = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, number, first);
    Value exists = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, number, end);
    Value back = difference(number, made.getStep());
    auto task = [&](Run& run, Value at) {
      run.outside.map(tasks.getInductionVar(), narrow(at, tasks.getInductionVar().getType()));
      run.outside.map(tasks.getRegionIterArgs(),
                      made.getRegionIterArgs().take_front(tasks.getNumRegionIterArgs()));
      for (Operation& op : tasks.getBody()->without_terminator()) {
        if (&op == loop)
          break;
        builder.clone(op, run.outside);
      }
      return count(run);
    };
    Value trips = task(runs[0], builder.create<arith::SelectOp>(loc, exists, number, back));
    trips = builder.create<arith::SelectOp>(loc, exists, trips, constant(0));
    task(runs[1], builder.create<arith::SelectOp>(loc, follows, back, number));

    llvm::DenseMap<unsigned, Value> ends;
    for (auto [one, value] : llvm::zip_equal(passed, made.getRegionIterArgs().take_back(passed.size()))) {
      one->value = value;
      if (one->kind == Carried::own && one->stage == 0)
        ends[one->number] = value;
    }
    begin(0);
    Value ahead = least(trips, constant(distance));
    Value behind = most(difference(tripsBefore, constant(distance)), constant(0));
    Value left = difference(tripsBefore, behind), both = least(ahead, left);
    emit(constant(0), both, true, true, difference(constant(0), behind));
    emit(sum(behind, both), tripsBefore, false, true);
    emit(both, ahead, true, false);
    keepUp(most(ahead, left));
    finish(tasks, follows, ends);
    runs[1] = runs[0];
    begin(1);
    emit(constant(distance), trips, true, true, constant(distance), false);

    SmallVector<Value> yields;
    for (const Carried& one : carried)
      if (one.kind != Carried::kept && one.stage == 0)
        runs[0].outside.map(loop.getResult(one.number), one.value);
    for (Value yielded : tasks.getYieldedValues())
      yields.push_back(runs[0].outside.lookupOrDefault(yielded));
    yields.push_back(trips);
    for (Carried* one : passed)
      yields.push_back(one->value);
    return yields;
  }

  // What follows the loop in the task before; `ends`: results of its stage 0.
  void finish(scf::ForOp tasks, Value follows, const llvm::DenseMap<unsigned, Value>& ends) {
    OpBuilder::InsertionGuard guard(builder);
    auto branch = builder.create<scf::IfOp>(loc, follows, false);
    builder.setInsertionPointToStart(branch.thenBlock());
    IRMapping map = runs[1].outside;
    for (const Carried& one : carried)
      if (one.kind != Carried::kept && one.stage == 1)
        map.map(loop.getResult(one.number), one.value);
    for (auto& [number, value] : ends)
      map.map(loop.getResult(number), value);
    for (Operation* op = loop->getNextNode(); op != tasks.getBody()->getTerminator(); op = op->getNextNode())
      builder.clone(*op, map);
  }

  Value wide(Value value) {
    return value.getType().isInteger(64) ? value
           : value.getType().isIndex()
               ? builder.createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(), value)
               : builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), value);
  }

  Value narrow(Value value, Type type) {
    if (type.isIndex())
      return builder.createOrFold<arith::IndexCastOp>(loc, type, value);
    return type.isInteger(64) ? value : builder.createOrFold<arith::TruncIOp>(loc, type, value);
  }

  // Iterations of the old loop in a run.
  Value count(Run& run) {
    auto bound = [&](Value value) { return wide(run.outside.lookupOrDefault(value)); };
    run.first = bound(loop.getLowerBound());
    run.step = bound(loop.getStep());
    Value range = most(difference(bound(loop.getUpperBound()), run.first), constant(0));
    range = sum(range, difference(run.step, constant(1)));
    return builder.createOrFold<arith::DivSIOp>(loc, range, run.step);
  }

  // The old loop's induction variable in iteration `number`.
  Value induction(const Run& run, Value number) {
    return narrow(sum(run.first, builder.createOrFold<arith::MulIOp>(loc, number, run.step)),
                  loop.getInductionVar().getType());
  }

  // A loop over iterations from..to. With both stages, the iterations are those of stage 0; stage 1 is `lag`
  // iterations behind.
  void emit(Value from, Value to, bool ahead, bool behind, Value lag = {}, bool isBrief = true) {
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
    if (isBrief)
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
      fill(maps[1], 1, lag ? builder.create<arith::SubIOp>(loc, number, lag) : number);
    SmallVector<Value> yields;
    for (Carried* one : live)
      yields.push_back(next(*one, maps, ahead));
    if (!yields.empty())
      builder.create<scf::YieldOp>(loc, yields);
    for (auto [one, result] : llvm::zip_equal(live, made.getResults()))
      one->value = result;
  }

  void fill(IRMapping& map, unsigned stage, Value number) {
    map = runs[stage].outside;
    map.map(loop.getInductionVar(), induction(runs[stage], number));
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

  const StagedLoop& staged;
  scf::ForOp loop;
  Members members;
  int64_t distance;
  OpBuilder builder;
  Location loc;
  Run runs[stageCount];
  SmallVector<Carried> carried;
};

} // namespace

std::optional<int64_t> handedBytes(const StagedLoop& staged) {
  int64_t bytes = 0;
  for (Value value : Members(staged).handed) {
    Type element = getElementTypeOrSelf(value.getType());
    if (!element.isIntOrIndexOrFloat())
      return std::nullopt;
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      bytes += tensor.getNumElements() * std::max(8u, tensor.getElementTypeBitWidth()) / 8;
  }
  return bytes;
}

void skew(const StagedLoop& staged, int64_t distance) { Skewer(staged, distance).run(); }
void skewAcross(const StagedLoop& staged, int64_t distance) { Skewer(staged, distance).runAcross(); }

} // namespace dlsim::codegen
