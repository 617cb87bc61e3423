#include "Diagnostics.h"
#include "Module.h"
#include "codegen/target/CommandTable.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace dlsim::codegen {

StringRef kindName(CoreKind kind) { return kind == CoreKind::Aic ? "aic" : "aiv"; }

Expected<std::unique_ptr<Module>> readModule(StringRef text, StringRef name, LLVMContext& context) {
  MemoryBufferRef buffer(text, name);
  auto layout = [](StringRef, StringRef) -> std::optional<std::string> { return DLNPU::kDataLayout; };
  if (isBitcode(reinterpret_cast<const unsigned char*>(text.begin()),
                reinterpret_cast<const unsigned char*>(text.end())))
    return parseBitcodeFile(buffer, context, ParserCallbacks(DataLayoutCallbackTy(layout)));
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssembly(buffer, diagnostic, context, nullptr, layout);
  if (module)
    return std::move(module);
  std::string message;
  raw_string_ostream out(message);
  diagnostic.print("", out, false);
  return makeError(StringRef(message).trim());
}

std::unique_ptr<DLNPUTargetMachine> makeTargetMachine(const CompileOptions& options) {
  registerTarget();
  TargetOptions target;
  target.TrapUnreachable = true; // running off the end of a function faults instead of running what follows
  target.NoTrapAfterNoreturn = true;
  CodeGenOptLevel level = *CodeGenOpt::getLevel(int(std::min(options.optLevel, 3u)));
  auto* machine = static_cast<DLNPUTargetMachine*>(getTheDLNPUTarget().createTargetMachine(
      DLNPU::kTriple, kindName(options.kind), "", target, Reloc::Static, CodeModel::Small, level));
  machine->setPack(options.pack);
  return std::unique_ptr<DLNPUTargetMachine>(machine);
}

TargetLibraryInfoImpl noLibrary(const Module& module) {
  TargetLibraryInfoImpl library(Triple(module.getTargetTriple()));
  library.disableAllFunctions();
  return library;
}

// ---- Entry ----------------------------------------------------------------------------------

static Expected<Function*> findEntry(Module& module, StringRef name) {
  if (!name.empty()) {
    Function* function = module.getFunction(name);
    if (!function || function->isDeclaration())
      return makeError("there is no function '" + name + "' to be the kernel's entry in " + module.getName());
    return function;
  }
  std::vector<Function*> marked, defined;
  for (Function& function : module) {
    if (function.isDeclaration())
      continue;
    if (!function.hasLocalLinkage())
      defined.push_back(&function);
    if (function.hasFnAttribute("dlnpu-kernel"))
      marked.push_back(&function);
  }
  const auto& candidates = marked.empty() ? defined : marked;
  if (candidates.size() == 1)
    return candidates.front();
  if (candidates.empty())
    return makeError(module.getName() + " defines no function that could be a kernel");
  std::string names;
  for (Function* function : candidates)
    names += (names.empty() ? "" : ", ") + function->getName().str();
  return makeError(module.getName() + " has " + Twine(candidates.size()) + " possible kernels (" + names +
                   "); name one with --entry, or mark one with the attribute \"dlnpu-kernel\"");
}

// ---- Attributes --------------------------------------------------------------------------------

// Attributes of another front end's target, and those that ask for unwind tables or stack protectors.
static void cleanFunction(Function& function, bool isEntry, bool keep) {
  for (const char* name : {"target-cpu", "target-features", "tune-cpu", "probe-stack", "frame-pointer",
                           "stack-protector-buffer-size"})
    function.removeFnAttr(name);
  for (Attribute::AttrKind kind :
       {Attribute::StackProtect, Attribute::StackProtectReq, Attribute::StackProtectStrong,
        Attribute::UWTable, Attribute::SanitizeAddress})
    function.removeFnAttr(kind);
  function.addFnAttr(Attribute::NoUnwind);
  function.setPersonalityFn(nullptr);
  if (isEntry)
    function.addFnAttr("dlnpu-kernel");
  else if (!keep)
    function.removeFnAttr("dlnpu-kernel");
  if (!function.isDeclaration() && !keep)
    function.setLinkage(isEntry ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage);
  function.setVisibility(GlobalValue::DefaultVisibility);
  function.setDSOLocal(true);
}

// Two commands that differ in an immediate must not be merged into one with a variable: `nomerge`. Special
// registers other than the cycle counter never change while a kernel runs.
static void describeCommand(Function& function, StringRef mnemonic) {
  for (Attribute::AttrKind kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoMerge,
                                   Attribute::NoCallback, Attribute::NoFree})
    function.addFnAttr(kind);
  for (User* user : function.users()) {
    auto* call = dyn_cast<CallBase>(user);
    if (!call || call->getCalledOperand() != &function)
      continue;
    call->addFnAttr(Attribute::NoMerge);
    auto* number =
        mnemonic == "sreg" && call->arg_size() == 1 ? dyn_cast<ConstantInt>(call->getArgOperand(0)) : nullptr;
    if (number && !number->equalsInt(4))
      call->setDoesNotAccessMemory();
  }
}

Error prepareModule(Module& module, const CompileOptions& options) {
  module.setTargetTriple(DLNPU::kTriple);
  module.setDataLayout(DLNPU::kDataLayout);
  if (!options.debugInfo)
    StripDebugInfo(module);
  Function* entry = nullptr;
  if (!options.keepAll) {
    Expected<Function*> found = findEntry(module, options.entry);
    if (!found)
      return found.takeError();
    entry = *found;
  }
  for (Function& function : module) {
    if (function.isIntrinsic())
      continue;
    cleanFunction(function, &function == entry, options.keepAll);
    if (std::optional<StringRef> mnemonic = DLNPU::commandMnemonic(function.getName()))
      describeCommand(function, *mnemonic);
  }
  for (GlobalVariable& global : module.globals())
    if (global.hasInitializer() && !global.hasAppendingLinkage())
      global.setLinkage(GlobalValue::InternalLinkage);
  std::string problem;
  raw_string_ostream out(problem);
  if (verifyModule(module, &out))
    return makeError("the module is not valid LLVM IR: " + StringRef(problem).trim());
  return Error::success();
}

} // namespace dlsim::codegen
