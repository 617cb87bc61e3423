#include "codegen/passes/split/Stages.h"

#include "codegen/support/SourceLine.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr unsigned mostStages = 2; // of one side: in one iteration, what is ahead and what is behind

int64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 8;
  return tensor.getNumElements() *
         (tensor.getElementType().isIntOrFloat() ? std::max(8u, tensor.getElementTypeBitWidth()) / 8 : 8);
}

// The analysis of one loop, both sides.
class StageFinder {
public:
  StageFinder(StagedLoop& cube, StagedLoop& vector) : sides{&cube, &vector} {}

  std::string run() {
    for (StagedLoop* side : sides) {
      checkEffects(*side);
      bind(*side);
    }
    if (!reason.empty() || !settle())
      return reason;
    for (StagedLoop* side : sides) {
      number(*side);
      if (side->phases.size() > mostStages)
        return "the chain crosses between cube and vector cores more often than is supported";
      delay(*side);
    }
    return "";
  }

private:
  void fail(Operation* at, const Twine& what) {
    if (reason.empty())
      reason = (sourceLine(at->getLoc()) + ": " + at->getName().getStringRef() + " " + what).str();
  }

  static bool ofLink(const StagedLoop& side, Operation* op) {
    return llvm::any_of(side.links, [&](Link link) {
      return llvm::is_contained(link.accesses, op) || op == link.wait || op == link.set;
    });
  }

  // Iterations overlap: nothing may be loaded that another iteration stores.
  void checkEffects(StagedLoop& side) {
    SmallVector<Operation*> loads, stores;
    side.loop.getBody()->walk([&](Operation* op) {
      if (ofLink(side, op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        return;
      if (isLoad(op))
        loads.push_back(op);
      else if (isStore(op))
        stores.push_back(op);
      else if (!isMemoryEffectFree(op))
        fail(op, "has an effect whose order must stay");
    });
    for (Operation* store : stores)
      for (Operation* load : loads)
        if (!argumentOf(store) || !argumentOf(load) || argumentOf(store) == argumentOf(load))
          fail(store, "may store what the loop loads");
  }

  static bool hasStore(Operation* op) {
    return op
        ->walk(
            [](Operation* inner) { return isStore(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  }

  // Bound operations: from links and stores on, whatever depends on them.
  static void bind(StagedLoop& side) {
    Block& body = *side.loop.getBody();
    for (bool again = true; again;) {
      again = false;
      for (Operation& op : body.without_terminator()) {
        bool bound = ofLink(side, &op) || hasStore(&op) || llvm::any_of(side.reads(&op), [&](Value value) {
                       return side.phase(value).has_value();
                     });
        if (bound && side.phaseOf.try_emplace(&op, 0).second)
          again = true;
      }
      for (auto [i, value] : llvm::enumerate(side.loop.getYieldedValues()))
        if (side.phase(value) && side.carriedPhase.try_emplace(i, 0).second)
          again = true;
    }
  }

  // Phases grow along data flow, around the loop and through the channels, until nothing changes. False if
  // they do not stop growing: an iteration's beginning needs the end of the one before.
  bool settle() {
    llvm::DenseMap<int64_t, unsigned> written; // phase in which a channel is written
    unsigned most = 2 * unsigned(sides[0]->links.size()) + 2;
    for (bool again = true; again;) {
      again = false;
      auto raise = [&](unsigned& phase, unsigned to) {
        again |= to > phase;
        phase = std::max(phase, to);
        return phase <= most;
      };
      for (StagedLoop* side : sides) {
        for (Operation& op : side->loop.getBody()->without_terminator()) {
          if (!side->isBound(&op))
            continue;
          unsigned wanted = 0;
          for (Value value : side->reads(&op))
            wanted = std::max(wanted, side->phase(value).value_or(0));
          for (const Link& link : side->links)
            if (!link.writes() && llvm::is_contained(link.accesses, &op) && written.contains(link.id()))
              wanted = std::max(wanted, written[link.id()] + 1);
          if (!raise(side->phaseOf[&op], wanted)) {
            fail(&op, "needs what the iteration before computed last");
            return false;
          }
        }
        for (const Link& link : side->links)
          for (Operation* access : link.accesses)
            if (link.writes()) {
              again |= written.try_emplace(link.id(), 0).second;
              raise(written[link.id()], side->phaseOf[access]);
            }
        for (auto& [i, phase] : side->carriedPhase)
          raise(phase, side->phase(side->loop.getYieldedValues()[i]).value_or(0));
      }
    }
    return true;
  }

  // The phases that a side has; what is bound but waits for nothing belongs to the first one.
  static void number(StagedLoop& side) {
    for (const Link& link : side.links) {
      unsigned phase = 0;
      for (Operation* access : link.accesses)
        phase = std::max(phase, side.phaseOf[access]);
      for (Operation* access : link.accesses) // one flag for all pieces
        side.phaseOf[access] = phase;
      if (!llvm::is_contained(side.phases, phase))
        side.phases.push_back(phase);
      side.phaseOf[link.wait] = side.phaseOf[link.set] = phase;
    }
    llvm::sort(side.phases);
    for (auto& [op, phase] : side.phaseOf)
      phase = std::max(phase, side.phases.front());
    for (auto& [i, phase] : side.carriedPhase)
      phase = std::max(phase, side.phases.front());
  }

  // What only later stages read, and is larger than what it is made from, is computed there: less has to be
  // kept.
  static void delay(StagedLoop& side) {
    Block& body = *side.loop.getBody();
    for (Operation& op : llvm::reverse(body.without_terminator())) {
      if (!side.isBound(&op) || !isMemoryEffectFree(&op) || op.use_empty() || op.getNumResults() != 1)
        continue;
      unsigned users = ~0u;
      for (Operation* user : op.getUsers()) {
        Operation* at = body.findAncestorOpInBlock(*user);
        bool bound = side.isBound(at); // the loop's own yield: not delayed
        users = std::min(users, bound ? side.phaseOf[at] : 0u);
      }
      int64_t from = 0;
      for (Value value : side.reads(&op))
        from += side.phase(value) ? bytesOf(value.getType()) : 0;
      if (users > side.phaseOf[&op] && from <= bytesOf(op.getResult(0).getType()))
        side.phaseOf[&op] = users;
    }
  }

  std::array<StagedLoop*, 2> sides;
  std::string reason;
};

} // namespace

bool isLoad(Operation* op) { return isa<dl::LoadOp, dl::LoadScalarOp, dl::GatherOp>(op); }
bool isStore(Operation* op) { return isa<dl::StoreOp, dl::StoreScalarOp, dl::ScatterOp>(op); }

std::optional<int64_t> argumentOf(Operation* op) {
  auto number = op->getAttrOfType<IntegerAttr>("arg");
  return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
}

unsigned StagedLoop::stageOf(unsigned phase) const {
  unsigned stage = 0;
  while (stage + 1 < phases.size() && phases[stage + 1] <= phase)
    ++stage;
  return stage;
}

std::optional<unsigned> StagedLoop::phase(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != body() || argument.getArgNumber() == 0)
      return std::nullopt;
    auto found = carriedPhase.find(argument.getArgNumber() - 1);
    return found == carriedPhase.end() ? std::nullopt : std::optional<unsigned>(found->second);
  }
  auto found = phaseOf.find(value.getDefiningOp());
  return found == phaseOf.end() ? std::nullopt : std::optional<unsigned>(found->second);
}

SmallVector<Value> StagedLoop::reads(Operation* op) const {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  if (op->getNumRegions())
    getUsedValuesDefinedAbove(op->getRegions(), values);
  auto inside = [&](Value value) { return value.getParentBlock() == body(); };
  SmallVector<Value> found;
  llvm::copy_if(values, std::back_inserter(found), inside);
  return found;
}

std::string findStages(StagedLoop& cube, StagedLoop& vector) { return StageFinder(cube, vector).run(); }

} // namespace dlsim::codegen
