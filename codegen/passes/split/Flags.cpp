#include "codegen/passes/split/Flags.h"

#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/split/Links.h"
#include "codegen/support/SourceLine.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace dlsim::codegen {
namespace {

std::optional<int64_t> flagOf(Operation* op) {
  if (auto set = dyn_cast<npu::CrossSetOp>(op))
    return int64_t(set.getId());
  if (auto wait = dyn_cast<npu::CrossWaitOp>(op))
    return int64_t(wait.getId());
  return std::nullopt;
}

void setFlag(Operation* op, int64_t flag) {
  if (auto set = dyn_cast<npu::CrossSetOp>(op))
    set.setId(uint64_t(flag));
  else
    cast<npu::CrossWaitOp>(op).setId(uint64_t(flag));
}

// Whether the first of two operations is in a loop or branch that comes before the second one's; nothing if
// they share the innermost one. Of two regions of one operation, either does.
std::optional<bool> comesBefore(Operation* one, Operation* other) {
  for (Operation* at = one; at; at = at->getParentOp()) {
    Operation* with = at->getBlock()->findAncestorOpInBlock(*other);
    if (!with)
      continue;
    if (with == at)
      return true;
    return at == one || with == other ? std::nullopt : std::optional(at->isBeforeInBlock(with));
  }
  return std::nullopt;
}

// A function's ends of channels.
struct Ends {
  std::map<int64_t, SmallVector<Link>> links;
  std::map<int64_t, SmallVector<Operation*>> tokens; // free places, told at first and taken back at last
  SmallVector<std::pair<int64_t, bool>> events; // in program order: channel, and whether it is waited for
  std::string trace;                            // the same with the regions around

  explicit Ends(func::FuncOp function) {
    llvm::DenseSet<Operation*> ends;
    for (const Link& link : findLinks(function)) {
      links[link.id()].push_back(link);
      ends.insert(link.wait);
      ends.insert(link.set);
    }
    function.walk([&](Operation* op) {
      if (auto flag = flagOf(op); flag && !ends.contains(op))
        tokens[*flag].push_back(op);
    });
    record(function.getBody(), ends);
  }

  // Each end of the two is over before the next one begins.
  bool takeTurns(int64_t one, int64_t other) const {
    std::optional<int64_t> open;
    for (auto [channel, waits] : events) {
      if (channel != one && channel != other)
        continue;
      if (waits ? open.has_value() : open != channel)
        return false;
      open = waits ? std::optional(channel) : std::nullopt;
    }
    return true;
  }

private:
  void record(Region& region, const llvm::DenseSet<Operation*>& ends) {
    for (Operation& op : region.getOps()) {
      if (ends.contains(&op)) {
        events.push_back({*flagOf(&op), isa<npu::CrossWaitOp>(op)});
        trace += (isa<npu::CrossWaitOp>(op) ? "w" : "s") + std::to_string(*flagOf(&op)) + " ";
      }
      for (Region& inner : op.getRegions()) {
        size_t before = trace.size();
        trace += "(";
        record(inner, ends);
        trace += ")";
        if (trace.size() == before + 2) // nothing in it
          trace.resize(before);
      }
    }
  }
};

class Sharing {
public:
  Sharing(func::FuncOp cube, func::FuncOp vector, const ChannelPairs& apart)
      : functions{cube, vector}, sides{Ends(cube), Ends(vector)}, apart(apart) {
    std::set<int64_t> channels;
    for (func::FuncOp function : functions)
      function.walk([&](Operation* op) {
        if (auto flag = flagOf(op))
          channels.insert(*flag);
      });
    for (int64_t channel : channels)
      groups.push_back({channel});
  }

  size_t count() const { return groups.size(); }

  // Joins groups until there are few enough; first those that are never under way together.
  bool shrink() {
    for (bool inStep : {false, true})
      while (int64_t(count()) > crossFlags && joinTwo(inStep)) {
      }
    return int64_t(count()) <= crossFlags;
  }

  void apply() {
    std::map<int64_t, int64_t> flags;
    for (auto [flag, group] : llvm::enumerate(groups))
      for (int64_t channel : group) {
        flags[channel] = int64_t(flag);
        for (Ends& side : sides)
          if (channel != group.front())
            for (Operation* token : side.tokens[channel])
              token->erase();
      }
    for (func::FuncOp function : functions)
      function.walk([&](Operation* op) {
        if (auto channel = flagOf(op))
          setFlag(op, flags[*channel]);
      });
  }

private:
  using Group = SmallVector<int64_t, 2>;

  bool joinTwo(bool inStep) {
    for (size_t i = 0; i < groups.size(); ++i)
      for (size_t j = i + 1; j < groups.size(); ++j) {
        bool all = llvm::all_of(groups[i], [&](int64_t one) {
          return llvm::all_of(groups[j], [&](int64_t other) { return mayShare(one, other, inStep); });
        });
        if (!all)
          continue;
        groups[i].append(groups[j]);
        groups.erase(groups.begin() + int64_t(j));
        return true;
      }
    return false;
  }

  bool mayShare(int64_t one, int64_t other, bool inStep) {
    for (Ends& side : sides) {
      const SmallVector<Link>&x = side.links[one], &y = side.links[other];
      if (x.empty() || y.empty() || x.front().writes() != y.front().writes() ||
          side.tokens[one].size() != side.tokens[other].size() || !side.takeTurns(one, other))
        return false;
    }
    return inStep ? sides[0].trace == sides[1].trace : apart.count({one, other}) || apart.count({other, one});
  }

  std::array<func::FuncOp, 2> functions;
  std::array<Ends, 2> sides;
  const ChannelPairs& apart;
  SmallVector<Group> groups;
};

} // namespace

ChannelPairs channelsApart(func::FuncOp cube, func::FuncOp vector) {
  ChannelPairs pairs;
  Ends sides[] = {Ends(cube), Ends(vector)};
  auto before = [](Ends& side, int64_t one, int64_t other) -> std::optional<bool> {
    if (side.links[one].size() != 1 || side.links[other].size() != 1)
      return std::nullopt;
    return comesBefore(side.links[one].front().wait, side.links[other].front().wait);
  };
  std::map<int64_t, SmallVector<Link>> channels = sides[0].links;
  for (auto& [one, link] : channels)
    for (auto& [other, otherLink] : channels) {
      std::optional<bool> order = before(sides[0], one, other);
      if (one < other && order && order == before(sides[1], one, other))
        pairs.insert({one, other});
    }
  return pairs;
}

LogicalResult shareFlags(func::FuncOp cube, func::FuncOp vector, const ChannelPairs& apart) {
  Sharing sharing(cube, vector, apart);
  size_t wanted = sharing.count();
  if (sharing.shrink()) {
    sharing.apply();
    return success();
  }
  Operation* at = cube;
  cube.walk([&](tt::DotOp dot) {
    at = dot;
    return WalkResult::interrupt();
  });
  return errorAt(at) << wanted
                     << " tensors cross between cube and vector code; those that are under way at the "
                     << "same time need a flag each, " << sharing.count() << " in all, and there are "
                     << crossFlags << "; split the kernel, or compile it with --cv-pipeline=1";
}

} // namespace dlsim::codegen
