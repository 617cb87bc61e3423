#include "codegen/driver/stages.h"

#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/blockify/Blockify.h"
#include "codegen/passes/bound/Bound.h"
#include "codegen/passes/coarsen/Coarsen.h"
#include "codegen/passes/dot/Dot.h"
#include "codegen/passes/dot/Pieces.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/passes/keep/keep.h"
#include "codegen/passes/layout/Layout.h"
#include "codegen/passes/multibuffer/multibuffer.h"
#include "codegen/passes/panels/Panels.h"
#include "codegen/passes/plan_memory/plan_memory.h"
#include "codegen/passes/split/Split.h"
#include "codegen/passes/sync/sync.h"
#include "codegen/passes/to_llvm/to_llvm.h"
#include "codegen/passes/to_npu/ToNpu.h"
#include "codegen/ttir/Ttir.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dlsim::codegen {

Step nextStep(ModuleOp module) {
  bool ttFunction = false, pointers = false, lowered = false, commands = false, unplanned = false,
       slots = false, flags = false;
  module->walk([&](Operation* op) {
    ttFunction |= isa<tt::FuncOp>(op);
    pointers |= isa<tt::LoadOp, tt::StoreOp, tt::AddPtrOp>(op);
    lowered |= isa<LLVM::LLVMFuncOp>(op);
    commands |= isa<npu::NpuCommand>(op);
    flags |= isa<npu::SetFlagOp, npu::WaitFlagOp, npu::BarrierOp>(op);
    slots |= isa<npu::SlotOp>(op);
    if (auto alloc = dyn_cast<npu::AllocOp>(op))
      unplanned |= !alloc.getOffset();
  });
  if (lowered)
    return Step::llvm;
  if (ttFunction)
    return Step::ttir;
  if (pointers)
    return Step::access;
  if (!commands)
    return Step::dot;
  if (unplanned)
    return slots ? Step::plan : Step::multibuffer;
  return flags ? Step::lower : Step::sync;
}

Step lastStepOf(MlirStage stage) {
  switch (stage) {
  case MlirStage::ttir:
    return Step::ttir;
  case MlirStage::tile:
    return Step::dot;
  case MlirStage::npu:
    return Step::sync;
  case MlirStage::llvm:
    break;
  }
  return Step::lower;
}

llvm::StringRef stepName(Step step) {
  constexpr llvm::StringLiteral names[] = {"ttir",        "blockify", "access", "tile",  "to-npu",
                                           "multibuffer", "plan",     "npu",    "lower", "llvm"};
  return names[unsigned(step)];
}

void addStep(OpPassManager& passes, Step step, const MlirOptions& options, const TargetMemory& target,
             int64_t leastRowPieces) {
  switch (step) {
  case Step::ttir:
    ttir::buildTtirPipeline(passes);
    break;
  case Step::blockify:
    passes.addPass(blockify::createBlockifyPass({options.order, options.orderGrid, options.shuffleK}));
    if (options.coarsen)
      passes.addPass(createCoarsenPass(options.chip));
    break;
  case Step::access:
    access::buildAccessPipeline(passes, {options.accessReport, nullptr, options.coalesce});
    if (options.coalesce == Coalesce::full)
      passes.addNestedPass<func::FuncOp>(createLayoutPass({options.accessReport}));
    break;
  case Step::dot:
    passes.addPass(createExpandPass());
    passes.addPass(createCSEPass());
    passes.addPass(
        createDlSplitPass(options.bindSubCores && target.vectorCores == boundVectorCores, leastRowPieces));
    passes.addPass(createCvPipelinePass(options.cvDepth));
    passes.addPass(createPiecesPass(target));
    passes.addPass(createDlDotPass(target));
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createPanelsPass({options.panels, options.multibuffer.of(npu::Space::L1),
                                     options.multibuffer.askedFor(npu::Space::L0C) > 1,
                                     !options.multibuffer.asked(), target}));
    passes.addPass(createCanonicalizerPass());
    break;
  case Step::toNpu:
    if (options.halve)
      passes.addPass(createHalvePass(target.scope(npu::Space::UB).bytes));
    passes.addPass(createDlToNpuPass(options.coalesce));
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    passes.addPass(createLoopInvariantCodeMotionPass());
    passes.addNestedPass<func::FuncOp>(createNpuInplacePass());
    passes.addNestedPass<func::FuncOp>(createNpuJoinPiecesPass());
    break;
  case Step::multibuffer:
    passes.addNestedPass<func::FuncOp>(createMultibufferPass({options.multibuffer, target}));
    break;
  case Step::plan:
    passes.addNestedPass<func::FuncOp>(createPlanMemoryPass(target));
    break;
  case Step::sync:
    if (!options.barrierAll)
      passes.addNestedPass<func::FuncOp>(createUnitFlagsPass());
    passes.addNestedPass<func::FuncOp>(
        createSyncPass(options.barrierAll ? SyncMode::barrierAll : SyncMode::flags));
    passes.addNestedPass<func::FuncOp>(createCheckSyncPass());
    passes.addPass(createKeepPass());
    if (options.explain)
      passes.addNestedPass<func::FuncOp>(createBoundPass(options.chip));
    break;
  case Step::lower:
    buildToLlvmPipeline(passes);
    break;
  case Step::llvm:
    break;
  }
}

} // namespace dlsim::codegen
