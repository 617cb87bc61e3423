#include "codegen/passes/plan_memory/planner.h"

#include "codegen/support/SourceLine.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace dlsim::codegen {
namespace {

int64_t alignTo(int64_t value, int64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

// Whether what touches the buffers is in one loop of a nest, and not only in the outermost one.
bool shareInnerLoop(const PlannedBuffer& a, const PlannedBuffer& b) {
  return a.loop == b.loop || (a.innerNest && a.innerNest == b.innerNest);
}

// Pieces of a tile, say: handed on between the same units, one after the other in a loop.
bool isAlike(const PlannedBuffer& a, const PlannedBuffer& b) {
  return a.space == b.space && a.loop == b.loop && a.unitMask == b.unitMask &&
         a.totalBytes() == b.totalBytes();
}

bool mayShare(const PlannedBuffer& a, const PlannedBuffer& b, Reuse reuse) {
  if (reuse == Reuse::none || a.life.overlaps(b.life))
    return false;
  if (reuse <= Reuse::everySecond && llvm::popcount(a.unitMask) > 1 && shareInnerLoop(a, b))
    return reuse == Reuse::everySecond && isAlike(a, b) && (a.turn - b.turn) % 2 == 0;
  return reuse == Reuse::any || a.unitMask == b.unitMask;
}

using Stretch = std::pair<int64_t, int64_t>; // of memory: begin, end

Stretch takenBy(const PlannedBuffer& buffer) { return {buffer.offset, buffer.offset + buffer.totalBytes()}; }

// The buffers of a scope that have their places already.
class Placed {
public:
  explicit Placed(unsigned buffers) : offsets(buffers, -1) {}

  void add(PlannedBuffer& buffer) {
    offsets[buffer.number] = buffer.offset;
    auto behind = llvm::upper_bound(byPlace, &buffer, [](const PlannedBuffer* a, const PlannedBuffer* b) {
      return takenBy(*a) < takenBy(*b);
    });
    byPlace.insert(behind, &buffer);
  }
  int64_t offsetOf(unsigned number) const { return offsets[number]; } // -1: none yet

  // Where the buffer fits beside those that it may not share memory with; the last stretch has no end.
  llvm::SmallVector<Stretch> freeFor(const PlannedBuffer& buffer, int64_t alignment, Reuse reuse) const {
    llvm::SmallVector<Stretch> free;
    int64_t at = 0;
    for (const PlannedBuffer* other : byPlace) {
      if (mayShare(buffer, *other, reuse))
        continue;
      auto [begin, end] = takenBy(*other);
      if (at + buffer.totalBytes() <= begin)
        free.push_back({at, begin});
      at = std::max(at, alignTo(end, alignment));
    }
    free.push_back({at, std::numeric_limits<int64_t>::max()});
    return free;
  }

private:
  std::vector<PlannedBuffer*> byPlace;
  std::vector<int64_t> offsets; // by the buffer's number
};

// Of the beginnings of stretches and of banks in them, on either half of the bank groups, the one that costs
// least; nothing if none is within `bytes`.
std::optional<int64_t> cheapest(const PlannedBuffer& buffer, const Placed& placed,
                                llvm::ArrayRef<Stretch> free, int64_t bytes, const BankConflicts& conflicts) {
  std::optional<int64_t> best;
  int64_t least = std::numeric_limits<int64_t>::max();
  auto consider = [&](int64_t offset, int64_t end) {
    if (offset + buffer.totalBytes() > std::min(end, bytes))
      return;
    int64_t lost =
        conflicts.lost(buffer.number, offset, [&](unsigned number) { return placed.offsetOf(number); });
    if (lost < least || (lost == least && offset < *best)) {
      best = offset;
      least = lost;
    }
  };
  int64_t half = conflicts.groupSpan() / 2, bank = conflicts.bankSpan();
  for (auto [begin, end] : free) {
    consider(begin, end);
    if (!conflicts.matters(buffer.number))
      continue;
    for (int64_t from = alignTo(begin, half); from < std::min(end, bytes); from = from / bank * bank + bank) {
      consider(from, end);
      consider(from + half, end);
    }
  }
  return best;
}

// The buffers, large ones first, each where it costs least, or where it fits first if `conflicts` is null.
// Returns the bytes used; more than `enough` need not be all.
int64_t place(llvm::ArrayRef<PlannedBuffer*> buffers, const ScopeMemory& memory, Reuse reuse,
              const BankConflicts* conflicts, int64_t enough) {
  unsigned numbers = 0;
  for (const PlannedBuffer* b : buffers)
    numbers = std::max(numbers, b->number + 1);
  Placed placed(numbers);
  int64_t used = 0;
  for (PlannedBuffer* b : buffers) {
    llvm::SmallVector<Stretch> free = placed.freeFor(*b, memory.alignment, reuse);
    std::optional<int64_t> cheap;
    if (conflicts && b->space == npu::Space::UB)
      cheap = cheapest(*b, placed, free, memory.bytes, *conflicts);
    b->offset = cheap.value_or(free.front().first);
    used = std::max(used, b->offset + b->totalBytes());
    if (used > enough)
      return used;
    placed.add(*b);
  }
  return used;
}

// The buffers alive at the moment when their sum is largest.
std::vector<PlannedBuffer> peak(const std::vector<PlannedBuffer*>& buffers) {
  std::vector<PlannedBuffer> best;
  int64_t bestBytes = -1;
  for (const PlannedBuffer* at : buffers) {
    std::vector<PlannedBuffer> live;
    int64_t bytes = 0;
    for (const PlannedBuffer* b : buffers) {
      if (b->life.first > at->life.first || b->life.last < at->life.first)
        continue;
      live.push_back(*b);
      bytes += b->totalBytes();
    }
    if (bytes > bestBytes) {
      bestBytes = bytes;
      best = std::move(live);
    }
  }
  return best;
}

std::vector<PlannedBuffer*> inScope(std::vector<PlannedBuffer>& buffers, npu::Space space) {
  std::vector<PlannedBuffer*> result;
  for (PlannedBuffer& b : buffers)
    if (b.space == space)
      result.push_back(&b);
  return result;
}

// What any plan needs: the most bytes that are alive at once, or all of them if nothing is reused.
int64_t leastBytes(llvm::ArrayRef<PlannedBuffer*> buffers, Reuse reuse) {
  std::vector<std::pair<unsigned, int64_t>> changes; // of the bytes alive, at a moment
  int64_t all = 0, now = 0, most = 0;
  for (const PlannedBuffer* b : buffers) {
    all += b->totalBytes();
    changes.push_back({b->life.first, b->totalBytes()});
    changes.push_back({b->life.last + 1, -b->totalBytes()});
  }
  if (reuse == Reuse::none)
    return all;
  llvm::sort(changes); // what ends comes before what begins
  for (auto [moment, bytes] : changes)
    most = std::max(most, now += bytes);
  return most;
}

// Tries the levels of reuse in turn, with the places that cost least before those that fit first; returns the
// bytes needed at the freest one that was tried, which is `level` then.
int64_t placeScope(std::vector<PlannedBuffer>& buffers, npu::Space space, const ScopeMemory& memory,
                   const BankConflicts& conflicts, Reuse* level = nullptr) {
  auto chosen = inScope(buffers, space);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](auto* a, auto* b) { return a->totalBytes() > b->totalBytes(); });
  for (Reuse reuse : {Reuse::none, Reuse::otherLoops, Reuse::everySecond, Reuse::sameUnits, Reuse::any}) {
    if (level)
      *level = reuse;
    if (leastBytes(chosen, reuse) > memory.bytes)
      continue;
    for (const BankConflicts* costs : {&conflicts, static_cast<const BankConflicts*>(nullptr)})
      if (int64_t used = place(chosen, memory, reuse, costs, memory.bytes); used <= memory.bytes)
        return used;
  }
  return place(chosen, memory, Reuse::any, nullptr, std::numeric_limits<int64_t>::max());
}

constexpr npu::Space allSpaces[] = {npu::Space::UB, npu::Space::L1, npu::Space::L0A, npu::Space::L0B,
                                    npu::Space::L0C};

} // namespace

Planner::Planner(func::FuncOp function, const AccessTable& table, const TargetMemory& target)
    : table(table), target(target), conflicts(table, target), function(function) {
  unsigned next = 0;
  function->walk([&](Operation* op, const WalkStage& stage) {
    if (stage.isBeforeAllRegions())
      spans[op].first = next++;
    if (stage.isAfterAllRegions())
      spans[op].last = next++;
  });
}

Lifetime Planner::spanOf(Operation* op) const { return spans.lookup(op); }

// Whether each iteration of `loop` writes all of the buffer before it reads it, so that nothing lives from
// one to the next.
static bool localToIteration(llvm::ArrayRef<const Access*> accesses, Operation* loop) {
  Operation* first = accesses.front()->op;
  for (const Access* a : accesses)
    if (!loop->isProperAncestor(a->op) || (a->op == first && (!a->write || a->part)))
      return false;
  for (Operation* parent = first->getParentOp(); parent != loop; parent = parent->getParentOp())
    if (!isa<LoopLikeOpInterface>(parent)) // a conditional: the write may not happen
      return false;
  return true;
}

Lifetime Planner::lifetimeOf(unsigned buffer, Operation* rotationLoop) const {
  llvm::SmallVector<const Access*> accesses;
  for (const Access& a : table.accesses)
    if (a.buffer == buffer)
      accesses.push_back(&a);
  Operation* alloc = table.buffers[buffer].alloc;
  if (accesses.empty())
    return spanOf(alloc);
  Lifetime life{std::numeric_limits<unsigned>::max(), 0};
  auto include = [&](Operation* op) {
    Lifetime span = spanOf(op);
    life.first = std::min(life.first, span.first);
    life.last = std::max(life.last, span.last);
  };
  for (const Access* a : accesses) {
    include(a->op);
    for (Operation* loop = a->op->getParentOp(); loop && loop != function; loop = loop->getParentOp())
      if (isa<LoopLikeOpInterface>(loop) && !loop->isProperAncestor(alloc) &&
          !localToIteration(accesses, loop))
        include(loop);
    Operation* root = rotationLoop;
    Value slot = a->slot;
    if (!root && slot)
      root = rotationRoot(slot, slot.getParentBlock()->getParentOp());
    if (root)
      include(root);
    else if (a->slot)
      include(function); // rotates in a way that is not understood
  }
  return life;
}

Operation* Planner::loopOf(unsigned buffer) const {
  Operation* loop = nullptr;
  for (const Access& a : table.accesses)
    if (a.buffer == buffer && !loop)
      loop = a.op->getParentOfType<LoopLikeOpInterface>();
  return loop;
}

// The loop around `loop`, or `loop` itself, that is directly in an outermost one.
static Operation* innerNestOf(Operation* loop) {
  Operation* inner = nullptr;
  for (Operation* around = loop; around; around = around->getParentOfType<LoopLikeOpInterface>())
    if (around->getParentOfType<LoopLikeOpInterface>())
      inner = around;
  return inner;
}

std::vector<PlannedBuffer> Planner::describe(const SlotChoices& choices) const {
  std::vector<PlannedBuffer> result;
  for (unsigned i = 0; i < table.buffers.size(); ++i) {
    const Buffer& buffer = table.buffers[i];
    if (!buffer.onChip())
      continue;
    PlannedBuffer b;
    b.alloc = buffer.alloc;
    b.number = i;
    b.space = buffer.space;
    b.slotBytes = alignTo(buffer.slotBytes, target.scope(b.space).alignment);
    b.slots = buffer.slots;
    Operation* rotationLoop = nullptr;
    auto choice = choices.find(npu::AllocOp(buffer.alloc).getOperation());
    if (choice != choices.end()) {
      b.slots = choice->second.slots;
      rotationLoop = b.slots > 1 ? choice->second.rotationLoop : nullptr;
    }
    b.life = lifetimeOf(i, rotationLoop);
    b.loop = loopOf(i);
    b.innerNest = innerNestOf(b.loop);
    for (const Access& a : table.accesses)
      if (a.buffer == i)
        b.unitMask |= 1u << unsigned(a.unit);
    result.push_back(b);
  }
  for (PlannedBuffer& b : result)
    b.turn = int(llvm::count_if(result, [&](const PlannedBuffer& other) {
      return isAlike(b, other) && other.life.first < b.life.first;
    }));
  return result;
}

Plan Planner::plan(const SlotChoices& choices) const {
  Plan plan;
  plan.buffers = describe(choices);
  for (npu::Space space : allSpaces) {
    const ScopeMemory& memory = target.scope(space);
    Reuse level = Reuse::none;
    int64_t used = placeScope(plan.buffers, space, memory, conflicts, &level);
    plan.reuse[space] = level;
    if (used <= memory.bytes || plan.overflow)
      continue;
    Overflow overflow;
    overflow.space = space;
    overflow.needed = used;
    overflow.available = memory.bytes;
    overflow.live = peak(inScope(plan.buffers, space));
    overflow.advice = adviseFor(overflow, plan.buffers);
    plan.overflow = std::move(overflow);
  }
  return plan;
}

std::string Planner::adviseFor(const Overflow& overflow, const std::vector<PlannedBuffer>& buffers) const {
  const ScopeMemory& memory = target.scope(overflow.space);
  auto fitsWith = [&](auto change) {
    std::vector<PlannedBuffer> trial = buffers;
    for (PlannedBuffer& b : trial)
      if (b.space == overflow.space)
        change(b);
    return placeScope(trial, overflow.space, memory, conflicts) <= memory.bytes;
  };
  std::vector<PlannedBuffer> candidates = overflow.live;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](auto& a, auto& b) { return a.slotBytes < b.slotBytes; });
  for (const PlannedBuffer& c : candidates)
    if (c.slots > 1 &&
        fitsWith([&](PlannedBuffer& b) { b.slots = b.alloc == c.alloc ? b.slots - 1 : b.slots; }))
      return llvm::formatv("it fits with {0} slot{1} for '{2}'", c.slots - 1, c.slots == 2 ? "" : "s",
                           nameOf(c.alloc));
  if (fitsWith([](PlannedBuffer& b) { b.slots = 1; }) &&
      llvm::any_of(candidates, [](auto& c) { return c.slots > 1; }))
    return "it fits with --multibuffer=1";
  for (const PlannedBuffer& c : candidates)
    if (fitsWith([&](PlannedBuffer& b) {
          if (b.alloc == c.alloc)
            b.slotBytes = alignTo((b.slotBytes + 1) / 2, memory.alignment);
        }))
      return llvm::formatv("it fits with half of '{0}' ({1} bytes instead of {2})", nameOf(c.alloc),
                           alignTo((c.slotBytes + 1) / 2, memory.alignment), c.slotBytes);
  for (int64_t part = 2; part <= 64; part *= 2)
    if (fitsWith([&](PlannedBuffer& b) {
          b.slots = 1;
          b.slotBytes = alignTo((b.slotBytes + part - 1) / part, memory.alignment);
        }))
      return llvm::formatv("it fits with tiles of 1/{0} of the size and --multibuffer=1", part);
  return "make the tiles smaller";
}

std::string describeOverflow(const Overflow& overflow) {
  std::string text = llvm::formatv("{0} overflow: {1} bytes are needed, {2} are available; live at once:",
                                   npu::stringifySpace(overflow.space), overflow.needed, overflow.available);
  for (const PlannedBuffer& b : overflow.live) {
    text += llvm::formatv("\n  '{0}' {1} {2} bytes", nameOf(b.alloc), npu::stringifySpace(b.space),
                          b.totalBytes())
                .str();
    if (b.slots > 1)
      text += llvm::formatv(" ({0} slots of {1})", b.slots, b.slotBytes).str();
    text += " at " + sourceLine(npu::AllocOp(b.alloc).getLoc());
  }
  return text + "\n  " + overflow.advice;
}

} // namespace dlsim::codegen
