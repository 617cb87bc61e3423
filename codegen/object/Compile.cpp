#include "Diagnostics.h"
#include "Module.h"
#include "codegen/target/DLNPUCheckIR.h"
#include "isa/mc/Assembler.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

namespace dlsim::codegen {

// LLVM's scalar pipeline. No vectoriser (there is no vector unit that it knows), no unrolling: the
// instruction cache is small and the time of a loop is that of its commands.
static void runPipeline(Module& module, DLNPUTargetMachine& machine, unsigned level) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  tuning.LoopInterleaving = tuning.LoopUnrolling = false;
  tuning.CallGraphProfile = false;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  functions.registerPass([&] { return TargetLibraryAnalysis(noLibrary(module)); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  OptimizationLevel optimization = level == 0   ? OptimizationLevel::O0
                                   : level == 1 ? OptimizationLevel::O1
                                   : level == 2 ? OptimizationLevel::O2
                                                : OptimizationLevel::O3;
  ModulePassManager passes = level == 0 ? builder.buildO0DefaultPipeline(optimization)
                                        : builder.buildPerModuleDefaultPipeline(optimization);
  if (level == 0)
    passes.addPass(GlobalDCEPass()); // functions of other kernels in the file
  passes.run(module, modules);
}

// Writable globals have no place: the launcher loads code and constants only.
static Error checkGlobals(const Module& module) {
  std::string problems;
  for (const GlobalVariable& global : module.globals()) {
    if (global.use_empty() || global.getName().starts_with("llvm."))
      continue;
    std::string problem;
    if (!global.hasInitializer())
      problem = "is not defined";
    else if (global.getAddressSpace() != 0)
      problem = "lies in address space " + std::to_string(global.getAddressSpace()) +
                "; on-chip memory has no static variables, use addresses";
    else if (global.isThreadLocal())
      problem = "is thread-local";
    else if (!global.isConstant())
      problem = "is writable; a kernel has constants only, so make it const or pass memory as an argument";
    if (!problem.empty())
      problems += (problems.empty() ? "error: global '" : "\nerror: global '") + global.getName().str() +
                  "' " + problem;
  }
  return problems.empty() ? Error::success() : makeError(problems);
}

static Error optimizeWith(Module& module, const CompileOptions& options, DLNPUTargetMachine& machine,
                          DiagnosticCollector& diagnostics) {
  if (Error error = prepareModule(module, options))
    return error;
  runPipeline(module, machine, options.optLevel);
  return diagnostics.take();
}

Error optimizeModule(Module& module, const CompileOptions& options) {
  std::unique_ptr<DLNPUTargetMachine> machine = makeTargetMachine(options);
  DiagnosticCollector diagnostics(module.getContext());
  return optimizeWith(module, options, *machine, diagnostics);
}

// Machine code or assembly of the module into `out`.
static Error generate(Module& module, const CompileOptions& options, CodeGenFileType type,
                      CodegenReport& report, SmallVectorImpl<char>& out) {
  std::unique_ptr<DLNPUTargetMachine> machine = makeTargetMachine(options);
  machine->setReport(&report);
  DiagnosticCollector diagnostics(module.getContext());
  if (Error error = optimizeWith(module, options, *machine, diagnostics))
    return error;
  for (const Function& function : module)
    if (!function.isDeclaration())
      checkDLNPUFunction(function, options.kind == CoreKind::Aiv);
  if (Error error = joinErrors(diagnostics.take(), checkGlobals(module)))
    return error;
  raw_svector_ostream stream(out);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(noLibrary(module)));
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type))
    return makeError("internal error: the target cannot emit this kind of file");
  passes.run(module);
  return diagnostics.take();
}

static std::vector<KernelArg> argsOf(const Module& module, StringRef entry) {
  std::vector<KernelArg> args;
  const Function* function = module.getFunction(entry);
  SmallVector<StringRef> items;
  if (function)
    function->getFnAttribute("dlnpu-args").getValueAsString().split(items, ',', -1, false);
  for (StringRef item : items) {
    auto [name, rest] = item.split(':');
    auto [kind, dtype] = rest.split(':');
    args.push_back({name.str(), kind.str(), dtype.str()});
  }
  return args;
}

static std::string entryName(const Module& module) {
  for (const Function& function : module)
    if (!function.isDeclaration() && function.hasFnAttribute("dlnpu-kernel"))
      return function.getName().str();
  return "";
}

Expected<Object> compileModule(Module& module, const CompileOptions& options) {
  Object object;
  object.kind = options.kind;
  if (Error error = generate(module, options, CodeGenFileType::ObjectFile, object.report, object.elf))
    return std::move(error);
  object.entry = entryName(module);
  object.args = argsOf(module, object.entry);
  return object;
}

Expected<std::string> emitAssembly(Module& module, const CompileOptions& options) {
  SmallString<0> text;
  CodegenReport report;
  if (Error error = generate(module, options, CodeGenFileType::AssemblyFile, report, text))
    return std::move(error);
  return text.str().str();
}

// ---- Assembly files ---------------------------------------------------------------------------

static Expected<std::string> onlyGlobalSymbol(MemoryBufferRef elf, StringRef fileName) {
  auto file = object::ObjectFile::createELFObjectFile(elf);
  if (!file)
    return file.takeError();
  std::vector<std::string> names;
  for (const object::ELFSymbolRef symbol : cast<object::ELFObjectFileBase>(**file).symbols()) {
    if (symbol.getBinding() != ELF::STB_GLOBAL ||
        cantFail(symbol.getFlags()) & object::SymbolRef::SF_Undefined)
      continue;
    names.push_back(cantFail(symbol.getName()).str());
  }
  if (names.size() == 1)
    return names.front();
  return makeError(fileName + (names.empty() ? " has no global symbol; declare the entry with .globl"
                                             : " has several global symbols; name the entry with --entry"));
}

Expected<Object> assembleObject(StringRef text, StringRef fileName, const CompileOptions& options) {
  mc::AssemblyOptions assembly;
  assembly.fileName = fileName.str();
  assembly.cpu = kindName(options.kind).str();
  assembly.lineTable = options.debugInfo;
  auto elf = mc::assembleObject(text, assembly);
  if (!elf)
    return elf.takeError();
  Object object;
  object.kind = options.kind;
  object.elf = std::move(*elf);
  object.entry = options.entry;
  if (object.entry.empty()) {
    auto name = onlyGlobalSymbol(MemoryBufferRef(StringRef(object.elf.data(), object.elf.size()), fileName),
                                 fileName);
    if (!name)
      return name.takeError();
    object.entry = *name;
  }
  return object;
}

} // namespace dlsim::codegen
