#include "codegen/passes/multibuffer/multibuffer.h"

#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/plan_memory/planner.h"
#include "codegen/support/NestCounter.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

struct Candidate {
  npu::AllocOp alloc;
  scf::ForOp loop; // the loop whose iterations rotate it
  int64_t slots = 1;
  bool fixed = false; // the slots are parts of one tensor
};

bool isTransferUnit(npu::Unit unit) {
  return unit == npu::Unit::MTE1 || unit == npu::Unit::MTE2 || unit == npu::Unit::MTE3 ||
         unit == npu::Unit::FIX;
}

// The outermost loop of the straight nest around `loop`: the counter runs through all of it, so the pipeline
// does not drain when an outer iteration ends.
scf::ForOp nestOf(scf::ForOp loop) {
  while (auto outer = dyn_cast<scf::ForOp>(loop->getParentOp()))
    loop = outer;
  return loop;
}

// A buffer qualifies if at least two units touch it, one of them a transfer unit, all inside one loop body,
// and each iteration begins by writing it.
std::optional<Candidate> asCandidate(const AccessTable& table, unsigned index) {
  const Buffer& buffer = table.buffers[index];
  if (!buffer.onChip() || buffer.slots != 1)
    return std::nullopt;
  Block* block = nullptr;
  unsigned units = 0;
  bool transfer = false;
  const Access* first = nullptr;
  bool readsFirst = false;
  for (const Access& a : table.accesses) {
    if (a.buffer != index)
      continue;
    if (!first)
      first = &a;
    readsFirst |= a.op == first->op && !a.write;
    block = block ? block : a.op->getBlock();
    while (!ancestorIn(block, a.op))
      block = block->getParentOp()->getBlock();
    units |= 1u << unsigned(a.unit);
    transfer |= isTransferUnit(a.unit);
  }
  if (!block || !transfer || llvm::popcount(units) < 2)
    return std::nullopt;
  auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
  // An alloc in the body is new in every iteration; one outside must be written before it is read.
  bool local = loop && loop->isProperAncestor(buffer.alloc);
  auto parts = buffer.alloc->getAttrOfType<IntegerAttr>("npu.parts");
  if (!loop || (loop->hasAttr("dl.brief") && !parts) || (!local && readsFirst && !parts))
    return std::nullopt;
  return Candidate{buffer.alloc, loop, parts ? parts.getInt() : 1, parts != nullptr};
}

class MultibufferPass : public PassWrapper<MultibufferPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MultibufferPass)
  MultibufferPass() = default;
  explicit MultibufferPass(MultibufferOptions o) : settings(std::move(o)) { slots = settings.slots.text; }
  MultibufferPass(const MultibufferPass& o) : PassWrapper(o), settings(o.settings) {
    slots = std::string(o.slots);
  }

  StringRef getArgument() const override { return "npu-multibuffer"; }
  StringRef getDescription() const override {
    return "rotate slots of buffers that units hand to each other in loops";
  }
  void getDependentDialects(DialectRegistry& registry) const override {
    registry.insert<npu::NpuDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    std::optional<SlotWish> wish = SlotWish::parse(slots);
    if (!wish) {
      getOperation().emitError() << "slots '" << slots << "': not 1 to " << mostSlots
                                 << ", auto or a list like l1:2,ub:1";
      return signalPassFailure();
    }
    settings.slots = *wish;
    AccessTable table = AccessTable::build(getOperation());
    std::vector<Candidate> candidates;
    for (unsigned i = 0; i < table.buffers.size(); ++i)
      if (auto c = asCandidate(table, i)) {
        auto wanted = c->alloc->getAttrOfType<IntegerAttr>("npu.deep");
        if (!c->fixed)
          c->slots =
              wanted && !settings.slots.asked() ? wanted.getInt() : settings.slots.of(table.buffers[i].space);
        candidates.push_back(*c);
      }
    for (const Buffer& buffer : table.buffers)
      if (buffer.onChip() && buffer.alloc->hasAttr("npu.parts") &&
          llvm::none_of(candidates, [&](const Candidate& c) { return c.fixed && c.alloc == buffer.alloc; })) {
        buffer.alloc->emitError("a tensor in parts is used outside the loop over its parts");
        return signalPassFailure();
      }
    if (failed(makeFit(table, candidates)))
      return signalPassFailure();
    rotate(candidates);
  }

private:
  // Asks the planner; takes slots away, largest buffer first, until the plan fits
  // (not in memories whose slots were asked for).
  LogicalResult makeFit(const AccessTable& table, std::vector<Candidate>& candidates) {
    Planner planner(getOperation(), table, settings.target);
    while (true) {
      Plan plan = planWith(planner, candidates);
      if (!plan.overflow) {
        separateUnits(planner, table, plan, candidates);
        if (!settings.slots.asked())
          deepen(planner, table, candidates);
        return success();
      }
      if (settings.slots.of(plan.overflow->space) > 1 && settings.slots.exactly.count(plan.overflow->space))
        return getOperation().emitError()
               << "--multibuffer=" << settings.slots.text << ": " << describeOverflow(*plan.overflow);
      Candidate* largest = nullptr;
      for (Candidate& c : candidates)
        if (c.slots > 1 && !c.fixed && spaceOf(table, c) == plan.overflow->space &&
            (!largest || bytesOf(table, c) > bytesOf(table, *largest)))
          largest = &c;
      if (!largest)
        return success(); // it does not fit without slots either: npu-plan-memory says so
      --largest->slots;
      reportFewer(*largest, plan.overflow->space);
    }
  }

  // A warning where a number was asked for in a memory that usually has room for it.
  void reportFewer(Candidate& c, npu::Space space) const {
    bool asked = space == npu::Space::UB && settings.slots.atMost.count(space);
    InFlightDiagnostic report = asked ? c.alloc->emitWarning() : c.alloc->emitRemark();
    report << "multibuffer: '" << nameOf(c.alloc) << "' gets " << c.slots << " slot(s): " << c.slots + 1
           << " do not fit in " << npu::stringifySpace(space);
  }

  static Plan planWith(const Planner& planner, ArrayRef<Candidate> candidates) {
    SlotChoices choices;
    for (Candidate c : candidates)
      choices[c.alloc.getOperation()] = {c.slots, nestOf(c.loop).getOperation()};
    return planner.plan(choices);
  }

  static unsigned depthOf(const Candidate& c) {
    unsigned depth = 0;
    for (Operation* loop = scf::ForOp(c.loop); loop; loop = loop->getParentOp())
      depth += isa<scf::ForOp>(loop);
    return depth;
  }

  // Slots of outer loops that leave inner ones too little memory go, large buffers first, if units then no
  // longer take turns at the same bytes within a loop; where different units share bytes, those of inner
  // loops too, and where there are pieces of tiles: two of them in turn are worth more than two slots of
  // some. `fitting` is the plan with what the candidates have.
  void separateUnits(const Planner& planner, const AccessTable& table, const Plan& fitting,
                     std::vector<Candidate>& candidates) {
    for (auto [space, reuse] : fitting.reuse) {
      npu::Space memory = space;
      if (reuse <= Reuse::everySecond || settings.slots.exactly.count(space))
        continue;
      std::vector<Candidate> trial = candidates;
      bool alsoInner = reuse == Reuse::any || llvm::any_of(fitting.buffers, [&](const PlannedBuffer& b) {
                         return b.space == memory && b.turn > 0;
                       });
      std::vector<Candidate*> order = slotsToGive(table, trial, space, alsoInner);
      for (Candidate* c : order) {
        c->slots = 1;
        Plan plan = planWith(planner, trial);
        if (plan.overflow || plan.reuse[space] > Reuse::everySecond)
          continue;
        for (auto [now, before] : llvm::zip_equal(trial, candidates))
          if (now.slots != before.slots)
            now.alloc->emitRemark() << "multibuffer: '" << nameOf(now.alloc)
                                    << "' gets 1 slot(s): with more, units would take turns at "
                                    << npu::stringifySpace(space) << " in inner loops";
        candidates = trial;
        break;
      }
    }
  }

  // Two small tiles leave a transfer unit waiting for most of a latency: such buffers of UB get slots until
  // their tiles are what the unit can have in flight, unless the plan then has to reuse more bytes than
  // before. Not in loops that begin again and again: there the slots are handed over anew each time.
  void deepen(const Planner& planner, const AccessTable& table, std::vector<Candidate>& candidates) {
    Reuse before = planWith(planner, candidates).reuse[npu::Space::UB];
    for (int64_t most : {mostSlots, (automaticSlots + mostSlots) / 2}) {
      std::vector<Candidate> trial = candidates;
      for (Candidate& c : trial) {
        const Buffer& buffer = bufferOf(table, c);
        int64_t wanted =
            llvm::divideCeil(settings.target.inFlightBytes, std::max<int64_t>(buffer.slotBytes, 1));
        bool once = !nestOf(c.loop)->getParentOfType<LoopLikeOpInterface>();
        if (buffer.space == npu::Space::UB && once && c.slots == automaticSlots && !c.fixed)
          c.slots = std::clamp<int64_t>(wanted, automaticSlots, most);
      }
      Plan plan = planWith(planner, trial);
      if (!plan.overflow && plan.reuse[npu::Space::UB] <= before) {
        candidates = trial;
        return;
      }
    }
  }

  static std::vector<Candidate*> slotsToGive(const AccessTable& table, std::vector<Candidate>& candidates,
                                             npu::Space space, bool alsoInner) {
    unsigned deepest = 0;
    for (Candidate& c : candidates)
      if (spaceOf(table, c) == space)
        deepest = std::max(deepest, depthOf(c));
    std::vector<Candidate*> order;
    for (Candidate& c : candidates)
      if (c.slots > 1 && !c.fixed && spaceOf(table, c) == space && (alsoInner || depthOf(c) < deepest))
        order.push_back(&c);
    llvm::sort(order, [&](Candidate* a, Candidate* b) {
      return std::make_tuple(depthOf(*a), -bytesOf(table, *a), a) <
             std::make_tuple(depthOf(*b), -bytesOf(table, *b), b);
    });
    return order;
  }

  static const Buffer& bufferOf(const AccessTable& table, Candidate& c) {
    return *llvm::find_if(table.buffers, [&](const Buffer& b) { return b.alloc == c.alloc; });
  }
  static npu::Space spaceOf(const AccessTable& table, Candidate& c) { return bufferOf(table, c).space; }
  static int64_t bytesOf(const AccessTable& table, Candidate& c) {
    return bufferOf(table, c).slotBytes * c.slots;
  }

  void rotate(std::vector<Candidate>& candidates) {
    IRRewriter rewriter(&getContext());
    // One counter per loop and number of slots. Loops are replaced on the way, so they are looked up by their
    // body, which the replacement keeps.
    llvm::MapVector<std::pair<Operation*, int64_t>, llvm::SmallVector<npu::AllocOp>> groups;
    for (Candidate& c : candidates)
      if (c.slots > 1)
        groups[{&c.loop.getBody()->back(), c.slots}].push_back(c.alloc);
    for (auto& [key, allocs] : groups) {
      auto loop = cast<scf::ForOp>(key.first->getParentOp());
      Value counter = addNestCounter(rewriter, loop, 1, key.second);
      for (npu::AllocOp alloc : allocs)
        insertSlot(rewriter, alloc, counter, key.second);
    }
  }

  static void insertSlot(IRRewriter& rewriter, npu::AllocOp alloc, Value counter, int64_t count) {
    alloc.setSlots(count);
    Block* body = counter.getParentBlock();
    if (alloc->getBlock() == body)
      rewriter.setInsertionPointAfter(alloc);
    else
      rewriter.setInsertionPointToStart(body);
    auto slot = rewriter.create<npu::SlotOp>(alloc.getLoc(), alloc.getType(), alloc.getResult(), counter);
    alloc.getResult().replaceAllUsesExcept(slot.getResult(), slot);
  }

  MultibufferOptions settings;
  Option<std::string> slots{*this, "slots", llvm::cl::desc("1..7, auto or a list like l1:2,ub:1"),
                            llvm::cl::init("auto")};
};

} // namespace

int SlotWish::of(npu::Space space) const { return askedFor(space).value_or(automaticSlots); }

std::optional<int> SlotWish::askedFor(npu::Space space) const {
  for (auto* wishes : {&exactly, &atMost})
    if (auto it = wishes->find(space); it != wishes->end())
      return it->second;
  return std::nullopt;
}

bool SlotWish::wantsSlots() const {
  auto many = [](const std::pair<const npu::Space, int>& wish) { return wish.second > 1; };
  return llvm::any_of(exactly, many) || llvm::any_of(atMost, many);
}

static std::optional<int> parseCount(llvm::StringRef text) {
  int count = 0;
  if (text.getAsInteger(10, count) || count < 1 || count > mostSlots)
    return std::nullopt;
  return count;
}

std::optional<SlotWish> SlotWish::parse(llvm::StringRef text) {
  SlotWish wish;
  wish.text = text.str();
  if (text == "auto")
    return wish;
  if (auto count = parseCount(text)) {
    wish.exactly[npu::Space::L1] = *count;
    for (npu::Space space : {npu::Space::UB, npu::Space::L0A, npu::Space::L0B, npu::Space::L0C})
      wish.atMost[space] = *count;
    return wish;
  }
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [name, number] = part.split(':');
    auto space = npu::symbolizeSpace(name);
    auto count = parseCount(number);
    if (!space || !count)
      return std::nullopt;
    wish.exactly[*space] = *count;
  }
  return wish;
}

std::unique_ptr<Pass> createMultibufferPass(MultibufferOptions options) {
  return std::make_unique<MultibufferPass>(std::move(options));
}

void registerMultibufferPass() { PassRegistration<MultibufferPass>(); }

} // namespace dlsim::codegen
