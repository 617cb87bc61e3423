// npu-check-sync: runs the program abstractly for a few iterations with a vector clock per unit and reports
// accesses of two units to the same bytes that nothing orders, waits without a token, flags that overflow,
// tokens left over, and unit flags of L0C that are not set and cleared in turns, for the same blocks. It
// shares nothing with npu-sync but the access table.
#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/sync/known_values.h"
#include "codegen/passes/sync/sync.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <deque>
#include <map>
#include <set>
#include <tuple>

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr unsigned mostTokens = 15; // isa/isa/DLNPUSync.td: counters of 0..15

using Clock = std::array<uint64_t, unitCount>;

void join(Clock& into, const Clock& other) {
  for (unsigned u = 0; u < unitCount; ++u)
    into[u] = std::max(into[u], other[u]);
}

// One way through the program: which branch unknown conditions take, how often unknown loops run.
struct Schedule {
  unsigned seed = 0;
  unsigned trips = 3;
  bool varied = false;

  unsigned draw(unsigned counter) const { return (seed + 1) * 2654435761u * (counter + 1) >> 13; }
  bool takes(unsigned counter) const { return varied ? draw(counter) & 1 : seed == 0; }
  unsigned tripsOf(unsigned counter) const {
    if (!varied)
      return trips;
    unsigned choice = draw(counter) % 4;
    return choice < 2 ? choice : trips;
  }
};

class Interpreter {
public:
  Interpreter(func::FuncOp function, const AccessTable& table, Schedule schedule,
              std::set<std::string>& reported)
      : table(table), schedule(schedule), reported(reported) {
    for (const Access& a : table.accesses)
      byOp[a.op].push_back(&a);
    runBlock(function.getBody().front());
    for (const HandedOver& tile : handedOver)
      report(tile.op, "the unit flags of " + bufferName(tile.buffer) + " are left set at the end");
    for (auto& [flag, tokens] : flags)
      if (!tokens.empty())
        report(function,
               llvm::formatv("flag {0} is left with {1} token(s) at the end", name(flag), tokens.size()));
  }
  bool failed = false;

private:
  using Flag = std::tuple<npu::Unit, npu::Unit, uint64_t>;

  struct Range {
    int space; // -1 - buffer for what is known by buffer only (global memory, unplanned)
    int64_t begin, end;
    bool operator<(const Range& o) const {
      return std::tie(space, begin, end) < std::tie(o.space, o.begin, o.end);
    }
  };
  struct Last {
    uint64_t tick = 0;
    Operation* op = nullptr;
  };
  // Rows or columns of a command in L0C, in fractals where they are known, else the value in its present
  // version.
  struct Extent {
    std::optional<int64_t> fractals;
    Value value;
    unsigned version = 0;
    bool operator==(const Extent& o) const {
      return fractals || o.fractals ? fractals == o.fractals : value == o.value && version == o.version;
    }
  };
  // A tile of L0C whose unit flags a product has set and no store has cleared.
  struct HandedOver {
    Range range;
    unsigned buffer;
    Operation* op;
    Extent rows, columns;
  };
  // Who touched a range last, and the numbers of the ranges that share bytes with it, itself included.
  struct History {
    Range range;
    unsigned buffer;
    llvm::SmallVector<unsigned, 4> overlapping;
    std::array<Last, unitCount> reads, writes;
  };

  static std::string name(const Flag& f) {
    return llvm::formatv("{0} -> {1} id {2}", npu::stringifyUnit(std::get<0>(f)),
                         npu::stringifyUnit(std::get<1>(f)), std::get<2>(f));
  }

  void report(Operation* op, const std::string& text) {
    failed = true;
    if (reported.insert(text).second)
      op->emitError() << text;
  }

  // ---- control ----
  void runBlock(Block& block) {
    for (Operation& op : block)
      run(&op);
  }

  void run(Operation* op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runFor(loop);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return runWhile(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return runIf(branch);
    if (auto set = dyn_cast<npu::SetFlagOp>(op))
      return setFlag(op, {set.getSrc(), set.getDst(), set.getId()});
    if (auto wait = dyn_cast<npu::WaitFlagOp>(op))
      return waitFlag(op, {wait.getSrc(), wait.getDst(), wait.getId()});
    if (auto barrier = dyn_cast<npu::BarrierOp>(op))
      return runBarrier(barrier);
    if (auto command = dyn_cast<npu::NpuCommand>(op))
      return access(op, command.unit());
    values.evaluate(op);
  }

  void runFor(scf::ForOp loop) {
    int64_t low = values.knownOr(loop.getLowerBound(), 0),
            step = std::max<int64_t>(values.knownOr(loop.getStep(), 1), 1);
    unsigned trips = schedule.tripsOf(counter++);
    int64_t high = values.knownOr(loop.getUpperBound(), low + trips * step);
    int64_t all = std::max<int64_t>(0, (high - low + step - 1) / step);
    trips = unsigned(std::min<int64_t>(trips, all));
    std::vector<std::optional<int64_t>> carried;
    for (Value init : loop.getInitArgs())
      carried.push_back(values.known(init));
    for (unsigned t = 0; t < trips; ++t) {
      if (loop->hasAttr("dl.parallel"))
        forgetGlobalMemory();
      // Of a longer loop the first iterations, and the last one.
      values.set(loop.getInductionVar(), low + (t + 1 < trips ? t : all - 1) * step);
      for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
        values.set(argument, value);
      runBlock(*loop.getBody());
      for (auto [value, yielded] : llvm::zip(carried, loop.getYieldedValues()))
        value = values.known(yielded);
    }
    for (auto [result, value] : llvm::zip(loop.getResults(), carried))
      values.set(result, value);
  }

  void runWhile(scf::WhileOp loop) {
    unsigned trips = schedule.tripsOf(counter++);
    for (unsigned t = 0; t <= trips; ++t) {
      runBlock(loop.getBefore().front());
      if (t < trips)
        runBlock(loop.getAfter().front());
    }
  }

  void runIf(scf::IfOp branch) {
    auto condition = values.known(branch.getCondition());
    bool taken = condition ? *condition != 0 : schedule.takes(counter++);
    values.assume(branch.getCondition(), taken);
    Region& region = taken ? branch.getThenRegion() : branch.getElseRegion();
    if (region.empty())
      return;
    runBlock(region.front());
    for (auto [result, yielded] :
         llvm::zip(branch.getResults(), region.front().getTerminator()->getOperands()))
      values.set(result, values.known(yielded));
  }

  // ---- units ----
  // The scalar unit is a unit like the others here, although its commands also precede all that is issued
  // after them: what orders units is a flag that the program shows.
  Clock& clockOf(npu::Unit unit) { return clocks[unsigned(unit)]; }

  void setFlag(Operation* op, Flag flag) {
    auto& tokens = flags[flag];
    tokens.push_back(clockOf(std::get<0>(flag)));
    if (tokens.size() > mostTokens)
      report(op, "flag " + name(flag) + " overflows");
  }

  void waitFlag(Operation* op, Flag flag) {
    auto& tokens = flags[flag];
    if (tokens.empty())
      return report(op, "wait for flag " + name(flag) + " that nothing has set");
    join(clockOf(std::get<1>(flag)), tokens.front());
    tokens.pop_front();
  }

  void runBarrier(npu::BarrierOp barrier) {
    if (barrier.getUnit())
      return; // a unit runs its own commands in order anyway
    Clock all{};
    for (Clock& clock : clocks)
      join(all, clock);
    clocks.fill(all);
  }

  // ---- memory ----
  Range rangeOf(const Access& a) {
    const Buffer& buffer = table.buffers[a.buffer];
    if (!buffer.onChip())
      return {-1 - int(a.buffer), 0, 1};
    int64_t begin = 0, end = buffer.totalBytes();
    if (auto slot = a.slot ? values.known(a.slot) : std::nullopt) {
      begin = *slot * buffer.slotBytes;
      end = begin + buffer.slotBytes;
    }
    if (!buffer.offset)
      return {-1 - int(a.buffer), begin, end};
    return {int(buffer.space), *buffer.offset + begin, *buffer.offset + end};
  }

  bool overlap(const Range& a, unsigned bufferA, const Range& b, unsigned bufferB) {
    if (a.space == b.space)
      return a.begin < b.end && b.begin < a.end;
    return !table.buffers[bufferA].onChip() && table.mayOverlap(bufferA, bufferB);
  }

  void forgetGlobalMemory() {
    for (History& history : histories)
      if (!table.buffers[history.buffer].onChip())
        history.reads = history.writes = {};
  }

  History& historyOf(const Access& a) {
    Range range = rangeOf(a);
    auto [it, isNew] = numberOf.try_emplace(range, histories.size());
    if (!isNew)
      return histories[it->second];
    histories.push_back({range, a.buffer, {}, {}, {}});
    for (unsigned other = 0; other < histories.size(); ++other)
      if (overlap(range, a.buffer, histories[other].range, histories[other].buffer)) {
        histories.back().overlapping.push_back(other);
        if (other != it->second)
          histories[other].overlapping.push_back(it->second);
      }
    return histories.back();
  }

  void access(Operation* op, npu::Unit unit) {
    unsigned u = unsigned(unit);
    Clock& clock = clockOf(unit);
    ++clock[u];
    for (const Access* a : byOp[op])
      check(*a, historyOf(*a), clock);
    for (const Access* a : byOp[op])
      if (a->unitFlag && (a->write || unit == npu::Unit::FIX))
        heedUnitFlags(*a);
    for (const Access* a : byOp[op])
      (a->write ? historyOf(*a).writes : historyOf(*a).reads)[u] = {clock[u], op};
    values.forget(op->getResults());
  }

  // ---- unit flags ----
  Extent extentOf(Value size) {
    auto exact = values.known(size);
    return {exact ? std::optional(int64_t(llvm::divideCeil(*exact, 16))) : std::nullopt, size,
            values.version(size)};
  }

  // A product finds all flags clear; it sets those of its rows and columns, or leaves them.
  void produce(const Access& a, Value rows, Value columns, bool sets) {
    Range range = rangeOf(a);
    for (const HandedOver& tile : handedOver)
      if (overlap(range, a.buffer, tile.range, tile.buffer))
        return report(a.op,
                      "m waits for unit flags of " + bufferName(tile.buffer) + " that nothing has cleared");
    if (sets)
      handedOver.push_back({range, a.buffer, a.op, extentOf(rows), extentOf(columns)});
  }

  // A store finds the flags of its rows and columns set; it clears them, or leaves them.
  void consume(const Access& a, npu::FixpipeOp store) {
    Range range = rangeOf(a);
    auto tile = llvm::find_if(handedOver,
                              [&](const HandedOver& t) { return !(t.range < range) && !(range < t.range); });
    if (tile == handedOver.end())
      return report(a.op, "fix waits for unit flags of " + bufferName(a.buffer) + " that nothing has set");
    bool whole = values.known(store.getRow()) == 0 && values.known(store.getCol()) == 0 &&
                 tile->rows == extentOf(store.getRows()) && tile->rows == extentOf(store.getM()) &&
                 tile->columns == extentOf(store.getCols());
    if (!whole)
      report(a.op,
             "fix takes other blocks of " + bufferName(a.buffer) + " than those whose unit flags are set");
    if (store.getUnitFlag() == npu::UnitFlag::change)
      handedOver.erase(tile);
  }

  void heedUnitFlags(const Access& a) {
    if (auto store = dyn_cast<npu::FixpipeOp>(a.op))
      consume(a, store);
    else if (auto product = dyn_cast<npu::MmadOp>(a.op))
      produce(a, product.getM(), product.getN(), product.getUnitFlag() == npu::UnitFlag::change);
    else if (auto product = dyn_cast<npu::HandOverOp>(a.op))
      produce(a, product.getM(), product.getN(), true);
    else
      produce(a, Value(), Value(), false);
  }

  static bool byUnitFlags(const Last& last) { return !last.op || heedsUnitFlags(last.op); }

  void check(const Access& a, const History& here, const Clock& clock) {
    for (unsigned number : here.overlapping) {
      const History& history = histories[number];
      for (unsigned u = 0; u < unitCount; ++u) {
        if (u == unsigned(a.unit))
          continue;
        const Last& write = history.writes[u];
        const Last& read = history.reads[u];
        if (a.unitFlag && byUnitFlags(write) && byUnitFlags(read) &&
            waitsForAllBlocks(table.buffers[history.buffer], table.buffers[a.buffer]))
          continue; // heedUnitFlags looks at their order
        if (write.tick > clock[u])
          conflict(a, npu::Unit(u), write.op, "write", history.buffer);
        else if (a.write && read.tick > clock[u])
          conflict(a, npu::Unit(u), read.op, "read", history.buffer);
      }
    }
  }

  std::string bufferName(unsigned index) {
    const Buffer& buffer = table.buffers[index];
    if (buffer.onChip())
      return ("'" + nameOf(buffer.alloc) + "'").str();
    return buffer.argument < 0 ? "global memory" : llvm::formatv("argument {0}", buffer.argument).str();
  }

  void conflict(const Access& a, npu::Unit other, Operation* op, StringRef what, unsigned buffer) {
    report(a.op,
           llvm::formatv("{0} {1} {2} without waiting for the {3} of {4} by {5} at {6}",
                         npu::stringifyUnit(a.unit), a.write ? "writes" : "reads", bufferName(a.buffer), what,
                         bufferName(buffer), npu::stringifyUnit(other), sourceLine(op->getLoc())));
  }

  const AccessTable& table;
  Schedule schedule;
  std::set<std::string>& reported;
  llvm::DenseMap<Operation*, llvm::SmallVector<const Access*, 4>> byOp;
  KnownValues values;
  std::array<Clock, unitCount> clocks{};
  std::map<Flag, std::deque<Clock>> flags;
  std::vector<HandedOver> handedOver;
  std::vector<History> histories;
  std::map<Range, unsigned> numberOf; // of a range's history
  unsigned counter = 0;
};

class CheckSyncPass : public PassWrapper<CheckSyncPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckSyncPass)
  StringRef getArgument() const override { return "npu-check-sync"; }
  StringRef getDescription() const override {
    return "verify that units are ordered where they touch the same memory";
  }

  void runOnOperation() override {
    AccessTable table = AccessTable::build(getOperation());
    int64_t slots = 1;
    for (const Buffer& b : table.buffers)
      slots = std::max(slots, b.slots);
    std::set<std::string> reported;
    // Enough iterations that each slot is used twice; then branches and trip counts that vary.
    unsigned trips = unsigned(slots) + 1;
    bool failed = false;
    for (Schedule schedule : {Schedule{0, trips, false}, Schedule{1, trips, false}, Schedule{2, trips, true},
                              Schedule{3, trips, true}, Schedule{4, trips, true}})
      failed |= Interpreter(getOperation(), table, schedule, reported).failed;
    if (failed)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createCheckSyncPass() { return std::make_unique<CheckSyncPass>(); }

} // namespace dlsim::codegen
