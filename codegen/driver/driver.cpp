#include "codegen/driver/driver.h"

#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/driver/messages.h"
#include "codegen/driver/stages.h"
#include "codegen/object/Diagnostics.h"
#include "codegen/object/Files.h"
#include "codegen/passes/coarsen/Coarsen.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/passes/plan_memory/plan_memory.h"
#include "codegen/passes/split/Rows.h"
#include "codegen/passes/to_llvm/kernel.h"
#include "codegen/passes/to_llvm/to_llvm.h"
#include "codegen/support/SourceLine.h"
#include "codegen/ttir/Ttir.h"
#include "isa/mc/DLNPUMCTargetDesc.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace mlir;

namespace dlsim::codegen {
namespace {

// Attributes that Triton users set to steer a compiler and that no pass of this one reads.
std::set<std::string> hintsWithoutEffect(ModuleOp module) {
  std::set<std::string> found;
  module->walk([&](Operation* op) {
    for (NamedAttribute attribute : op->getDiscardableAttrs()) {
      StringRef name = attribute.getName();
      if (llvm::isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) && !name.starts_with("dl."))
        found.insert(name.str());
    }
  });
  return found;
}

constexpr int64_t mostRowPieces = 16;

class Compilation {
public:
  Compilation(MLIRContext& context, const MlirOptions& options, std::string name)
      : context(context), options(options), name(std::move(name)), messages(context, options.explain) {}

  llvm::Expected<MlirResult> run(ModuleOp module, llvm::LLVMContext& llvmContext) {
    Step first = nextStep(module);
    if (first == Step::ttir)
      hints = hintsWithoutEffect(module);
    reportSkippedOptions(first);
    if (auto error = runSteps(module, first))
      return std::move(error);
    for (const std::string& hint : hints)
      warn("hint " + hint + " has no effect: no pass reads it");
    MlirResult result;
    if (auto error = describe(module, result))
      return std::move(error);
    if (options.stop == MlirStage::llvm) {
      // In force already while the IR is built: natural alignments follow from it.
      module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                      StringAttr::get(&context, llvm::DLNPU::kDataLayout));
      result.module = translateModuleToLLVMIR(module, llvmContext, name);
      if (!result.module)
        return messages.takeError();
    } else {
      result.text = textOf(module);
    }
    return result;
  }

private:
  llvm::Error runSteps(ModuleOp module, Step first) {
    if (first > lastStepOf(options.stop))
      return llvm::Error::success();
    llvm::Expected<TargetMemory> known = TargetMemory::forChip(options.chip);
    if (!known)
      return makeError("--chip=" + options.chip + ": " + llvm::toString(known.takeError()));
    target = *known;
    if (!options.coarsen || first > Step::blockify || lastStepOf(options.stop) < Step::blockify)
      return runFrom(module, first);
    if (first == Step::ttir)
      if (auto error = runStep(module, Step::ttir))
        return error;
    return runCoarsened(module);
  }

  // From blockify on. A kernel that has no room for larger tiles keeps its own.
  llvm::Error runCoarsened(ModuleOp module) {
    OwningOpRef<ModuleOp> single = module.clone();
    messages.hold();
    llvm::Error error = runStep(module, Step::blockify);
    bool joined = attributed(module, coarsened);
    if (!error)
      error = runFrom(module, Step::access);
    bool again = joined && error;
    messages.release(!again);
    if (!again)
      return error;
    llvm::consumeError(std::move(error));
    options.coarsen = false;
    for (auto function : single->getOps<FunctionOpInterface>())
      remarkAt(function) << "coarsening: larger tiles do not compile; programs are computed one by one";
    module.getBodyRegion().takeBody(single->getBodyRegion());
    return runFrom(module, Step::blockify);
  }

  llvm::Error runFrom(ModuleOp module, Step first) {
    OwningOpRef<ModuleOp> whole; // before rows are cut
    options.halve = true;
    for (Step step = first; step <= lastStepOf(options.stop); step = Step(int(step) + 1)) {
      if (step == Step::dot)
        whole = module.clone();
      if (auto error = runStep(module, step)) {
        if (!whole || step != Step::plan || !fit(module, *whole))
          return error;
        llvm::consumeError(std::move(error));
      }
    }
    return llvm::Error::success();
  }

  static bool attributed(ModuleOp module, StringRef attribute) {
    return llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp f) { return f->hasAttr(attribute); });
  }

  // The steps up to the plan once more, with rows in so many pieces that tiles fit UB, or else with
  // reductions that need no room beside their tiles. `module` is then what has a plan; false if that does not
  // help.
  bool fit(ModuleOp module, ModuleOp whole) {
    if (!attributed(module, ubOverflow))
      return false;
    if (fitInPieces(module, whole, 2))
      return true;
    if (!attributed(module, halved))
      return false;
    options.halve = false;
    return fitInPieces(module, whole, 1);
  }

  bool fitInPieces(ModuleOp module, ModuleOp whole, int64_t pieces) {
    for (bool overflow = true; overflow && pieces <= mostRowPieces; pieces *= 2) {
      OwningOpRef<ModuleOp> attempt = whole.clone();
      bool done = true;
      messages.hold();
      for (Step step = Step::dot; done && step <= Step::plan; step = Step(int(step) + 1))
        done = !errorToBool(runStep(*attempt, step, pieces));
      messages.release(done);
      if (done) {
        module.getBodyRegion().takeBody(attempt->getBodyRegion());
        return true;
      }
      overflow = attributed(*attempt, ubOverflow) && (pieces == 1 || attributed(*attempt, rowPieces));
    }
    return false;
  }

  llvm::Error runStep(ModuleOp module, Step step, int64_t leastRowPieces = 1) {
    PassManager passes(&context);
    addStep(passes, step, options, *target, leastRowPieces);
    if (failed(passes.run(module)))
      return messages.takeError();
    if (step == Step::dot && leastRowPieces == 1)
      reportUnusedBinding(module);
    if (step == Step::multibuffer && leastRowPieces == 1)
      reportUnusedSlots(module);
    return dump(module, step);
  }

  static std::string textOf(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    OpPrintingFlags flags;
    module->print(stream, flags.enableDebugInfo(true, /*prettyForm=*/false));
    return text + "\n";
  }

  llvm::Error dump(ModuleOp module, Step step) {
    if (options.dumpDir.empty())
      return llvm::Error::success();
    if (auto code = llvm::sys::fs::create_directories(options.dumpDir))
      return llvm::make_error<OutputError>(options.dumpDir, code);
    llvm::SmallString<128> path(options.dumpDir);
    llvm::sys::path::append(path, llvm::formatv("{0}-{1}.mlir", int(step), stepName(step)).str());
    return writeFile(path, textOf(module));
  }

  // Options that belong to a step that this input has behind it.
  void reportSkippedOptions(Step first) {
    auto skipped = [&](Step step, bool given, StringRef option) {
      if (!given || step >= first)
        return;
      ignored.insert(option.str());
      warn(llvm::Twine(option) + " has no effect: the input is past that step");
    };
    skipped(Step::blockify, !options.order.empty(), "--order");
    skipped(Step::blockify, !options.orderGrid.empty(), "--order-grid");
    skipped(Step::blockify, options.shuffleK, "--shuffle-k");
    skipped(Step::blockify, !options.coarsen, "--coarsen");
    skipped(Step::access, options.accessReport, "--access-report");
    skipped(Step::dot, options.panels.steps.has_value(), "--k-panel");
    skipped(Step::multibuffer, options.multibuffer.asked(), "--multibuffer");
    skipped(Step::dot, !options.bindSubCores, "--bind-sub-cores");
    skipped(Step::dot, options.cvDepth.has_value(), "--cv-pipeline");
    skipped(Step::sync, options.barrierAll, "--sync");
  }

  // Options whose pass found nothing to do.
  void reportUnusedBinding(ModuleOp module) {
    if (options.bindSubCores || llvm::range_size(module.getOps<func::FuncOp>()) > 1)
      return;
    ignored.insert("--bind-sub-cores");
    warn("--bind-sub-cores has no effect: the kernel does not need cube and vector cores");
  }

  void reportUnusedSlots(ModuleOp module) {
    bool slots = false;
    module->walk([&](npu::SlotOp) { slots = true; });
    if (slots || !options.multibuffer.wantsSlots())
      return;
    ignored.insert("--multibuffer");
    warn("--multibuffer has no effect: no loop hands a buffer from one unit to another");
  }

  // The kernel's metadata: computed from the npu function, or carried along by the lowered module.
  llvm::Error describe(ModuleOp module, MlirResult& result) {
    auto carried = module->getAttrOfType<StringAttr>(kMetaAttribute);
    if (!carried)
      return llvm::Error::success();
    auto parsed = llvm::json::parse(carried.getValue());
    if (!parsed)
      return parsed.takeError();
    result.meta = std::move(*parsed->getAsObject());
    auto kind = result.meta.getString("kind");
    if (kind != "aiv")
      result.entries.push_back({CoreKind::Aic, "kernel"});
    if (kind != "aic")
      result.entries.push_back({CoreKind::Aiv, kind == "mix" ? "kernel.aiv" : "kernel"});
    result.meta["chip"] = options.chip;
    llvm::json::Array unused;
    for (const std::string& option : ignored)
      unused.push_back(option);
    for (const std::string& hint : hints)
      unused.push_back(hint);
    result.meta["options"] = describeOptions();
    result.meta["hints"] = llvm::json::Object{{"used", llvm::json::Array{}}, {"ignored", std::move(unused)}};
    return llvm::Error::success();
  }

  llvm::json::Object describeOptions() const {
    return llvm::json::Object{{"order", options.order.empty() ? "rows" : options.order},
                              {"order_grid", options.orderGrid},
                              {"shuffle_k", options.shuffleK},
                              {"coarsen", options.coarsen ? "on" : "off"},
                              {"k_panel", options.panels.text},
                              {"multibuffer", options.multibuffer.text},
                              {"bind_sub_cores", options.bindSubCores ? "on" : "off"},
                              {"cv_pipeline", options.cvDepth ? std::to_string(*options.cvDepth) : "auto"},
                              {"sync", options.barrierAll ? "barrier-all" : "auto"}};
  }

  MLIRContext& context;
  MlirOptions options; // without those that turned out to be impossible
  std::string name;
  std::optional<TargetMemory> target;
  Messages messages;
  std::set<std::string> hints, ignored;
};

} // namespace

llvm::Expected<MlirResult> compileMlir(llvm::MemoryBufferRef text, const MlirOptions& options,
                                       llvm::LLVMContext& llvmContext) {
  DialectRegistry registry;
  registry.insert<memref::MemRefDialect, dl::DlDialect, npu::NpuDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = ttir::parseTtir(text, context);
  if (!module)
    return module.takeError();
  return Compilation(context, options, text.getBufferIdentifier().str()).run(**module, llvmContext);
}

} // namespace dlsim::codegen
