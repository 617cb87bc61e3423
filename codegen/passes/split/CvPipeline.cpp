// Pass dl-cv-pipeline. A loop whose body goes back and forth between the cores (scores, softmax, product,
// rescaled sum) would leave each core waiting for the other in every iteration. With depth d, places in the
// workspace rotate through d slots, the side that begins an iteration runs its first stage d iterations ahead
// of its second one, and the other side d - 1. Tokens of the channels' flags count slots, so that neither
// side needs to know how far the other is.
#include "codegen/passes/split/CvPipeline.h"

#include "codegen/passes/split/Flags.h"
#include "codegen/passes/split/Skew.h"
#include "codegen/passes/split/Tasks.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

#include <set>
#include <vector>

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int automaticDepth = 3;        // covers a crossing's latency with one iteration's work to spare
constexpr int64_t mostKeptBytes = 16384; // of UB, for what the vector side keeps from stage to stage

struct LoopPair {
  StagedLoop cube, vector;
};

std::vector<StagedLoop> loopsWithLinks(func::FuncOp function) {
  llvm::MapVector<Operation*, StagedLoop> loops;
  for (const Link& link : findLinks(function))
    if (scf::ForOp loop = link.loop()) {
      StagedLoop& staged = loops[loop];
      staged.function = function;
      staged.loop = loop;
      staged.links.push_back(link);
    }
  std::vector<StagedLoop> found;
  for (auto& [loop, staged] : loops)
    found.push_back(staged);
  return found;
}

std::set<int64_t> idsOf(const StagedLoop& staged) {
  std::set<int64_t> ids;
  for (const Link& link : staged.links)
    ids.insert(link.id());
  return ids;
}

// Both halves of every loop in which something crosses, if all that crosses in it does so there.
std::vector<LoopPair> pairLoops(func::FuncOp cube, func::FuncOp vector) {
  std::vector<LoopPair> pairs;
  std::vector<StagedLoop> others = loopsWithLinks(vector);
  for (StagedLoop& one : loopsWithLinks(cube))
    for (StagedLoop& other : others)
      if (idsOf(one) == idsOf(other))
        pairs.push_back({one, other});
  return pairs;
}

class CvPipelinePass : public PassWrapper<CvPipelinePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CvPipelinePass)
  CvPipelinePass() = default;
  explicit CvPipelinePass(std::optional<int> wish) { depth = wish ? std::to_string(*wish) : "auto"; }
  CvPipelinePass(const CvPipelinePass& other) : PassWrapper(other) { depth = std::string(other.depth); }

  StringRef getArgument() const final { return "dl-cv-pipeline"; }
  StringRef getDescription() const final {
    return "Cube and vector cores of a mixed kernel work on different iterations";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<dl::DlDialect, npu::NpuDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  void runOnOperation() final {
    if (!parseCvDepth(depth, wish)) {
      getOperation().emitError() << "depth '" << depth << "': not 1 to " << mostCvDepth << " or auto";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp cube : functions)
      if (auto vector = getOperation().lookupSymbol<func::FuncOp>((cube.getName() + ".aiv").str());
          vector && failed(pipeline(cube, vector)))
        return signalPassFailure();
  }

private:
  LogicalResult pipeline(func::FuncOp cube, func::FuncOp vector) {
    ChannelPairs apart = channelsApart(cube, vector);
    int64_t slots = wish.value_or(automaticDepth);
    if (slots > 1 && failed(overlap(cube, vector, slots)))
      return failure();
    return shareFlags(cube, vector, apart);
  }

  LogicalResult overlap(func::FuncOp cube, func::FuncOp vector, int64_t slots) {
    addSlots(cube, vector, slots);
    for (LoopPair& pair : pairLoops(cube, vector))
      overlap(pair, slots);
    OpPassManager passes("func.func");
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    return success(succeeded(runPipeline(passes, cube)) && succeeded(runPipeline(passes, vector)));
  }

  void overlap(LoopPair& pair, int64_t slots) {
    scf::ForOp at = pair.vector.loop;
    std::string reason = findStages(pair.cube, pair.vector);
    if (!reason.empty()) {
      remarkAt(at) << "cv-pipeline: depth 1 in this loop: " << reason;
      return;
    }
    if (pair.cube.phases.size() < 2 && pair.vector.phases.size() < 2)
      return; // one way only: slots are enough
    int64_t depth = slots;
    for (StagedLoop* side : {&pair.cube, &pair.vector}) {
      std::optional<int64_t> bytes = handedBytes(*side);
      if (!bytes) {
        remarkAt(at) << "cv-pipeline: depth 1 in this loop: a pointer goes from one stage to the next";
        return;
      }
      if (side == &pair.cube && *bytes > 0) {
        remarkAt(at)
            << "cv-pipeline: depth 1 in this loop: a product goes from one stage of the cube to the next";
        return;
      }
      while (!wish && depth > 1 && *bytes * (depth - 1) > mostKeptBytes)
        --depth;
    }
    remarkAt(at) << "cv-pipeline: depth " << depth << " in this loop";
    if (depth < 2)
      return;
    bool cubeBegins = pair.cube.phases.front() < pair.vector.phases.front();
    bool across =
        isa<scf::ForOp>(at->getParentOp()) && pair.cube.phases.size() == 2 && pair.vector.phases.size() == 2;
    if (across) {
      std::string wait = whyTasksWait(pair.cube, pair.vector);
      across = wait.empty();
      if (!across)
        remarkAt(at) << "cv-pipeline: the pipeline drains at the end of this loop: " << wait;
    }
    for (auto [side, begins] : {std::pair(&pair.cube, cubeBegins), std::pair(&pair.vector, !cubeBegins)})
      if (side->phases.size() == 2)
        (across ? skewAcross : skew)(*side, begins ? depth : depth - 1);
  }

  std::optional<int> wish;
  Option<std::string> depth{*this, "depth", llvm::cl::desc("1 to 4, or auto"), llvm::cl::init("auto")};
};

} // namespace

bool parseCvDepth(StringRef text, std::optional<int>& depth) {
  depth.reset();
  if (text == "auto")
    return true;
  int number = 0;
  if (text.getAsInteger(10, number) || number < 1 || number > mostCvDepth)
    return false;
  depth = number;
  return true;
}

std::unique_ptr<Pass> createCvPipelinePass(std::optional<int> depth) {
  return std::make_unique<CvPipelinePass>(depth);
}
void registerCvPipelinePass() { PassRegistration<CvPipelinePass>(); }

} // namespace dlsim::codegen
