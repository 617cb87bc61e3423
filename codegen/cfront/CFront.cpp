#include "CFront.h"
#include "CFrontConfig.h"
#include "codegen/object/Diagnostics.h"
#include "codegen/object/Object.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace dlsim::codegen {

namespace {

// riscv64 without extensions is the plainest 64-bit machine that clang knows: no vectors, natural alignment,
// the same sizes as ours. Only types and the optimised IR come from it.
std::vector<std::string> commandLine(const std::string& path, const std::string& output,
                                     const COptions& options) {
  std::vector<std::string> args = {options.clang.empty() ? DLSIM_CLANG : options.clang,
                                   "--target=riscv64-unknown-elf",
                                   "-march=rv64imf",
                                   "-mabi=lp64",
                                   "-std=c2x",
                                   "-O" + std::to_string(std::min(options.optLevel, 3u)),
                                   "-emit-llvm",
                                   "-c",
                                   "-ffreestanding",
                                   "-fno-builtin",
                                   "-fno-math-errno",
                                   "-fno-vectorize",
                                   "-fno-slp-vectorize",
                                   "-fno-unroll-loops",
                                   "-fno-jump-tables",
                                   "-fno-asynchronous-unwind-tables",
                                   "-ffp-contract=off",
                                   "-Wall"};
  if (options.debugInfo)
    args.insert(args.end(), {"-gdwarf-4", "-gline-tables-only"});
  std::vector<std::string> includes = {DLSIM_C_INCLUDE, DLSIM_C_GENERATED};
  if (!options.resourceDir.empty())
    includes = {options.resourceDir};
  for (const std::string& folder : includes)
    args.insert(args.end(), {"-isystem", folder});
  for (const std::string& folder : options.includeDirs)
    args.push_back("-I" + folder);
  for (const std::string& define : options.defines)
    args.push_back("-D" + define);
  args.insert(args.end(), {"-o", output, path});
  return args;
}

StringRef annotationText(const Value* value) {
  auto* global = dyn_cast<GlobalVariable>(value->stripPointerCasts());
  auto* data = global ? dyn_cast<ConstantDataSequential>(global->getInitializer()) : nullptr;
  return data && data->isCString() ? data->getAsCString() : StringRef();
}

// llvm.global.annotations is an array of {function, text, file, line, arguments}.
void readMarkers(Module& module) {
  GlobalVariable* annotations = module.getGlobalVariable("llvm.global.annotations");
  if (!annotations)
    return;
  if (auto* list = dyn_cast<ConstantArray>(annotations->getInitializer()))
    for (const Use& item : list->operands()) {
      auto* entry = dyn_cast<ConstantStruct>(item);
      auto* function = entry ? dyn_cast<Function>(entry->getOperand(0)->stripPointerCasts()) : nullptr;
      if (!function)
        continue;
      StringRef text = annotationText(entry->getOperand(1));
      if (text == "dlnpu.kernel")
        function->addFnAttr("dlnpu-kernel");
      else if (text.consume_front("dlnpu.arg=")) {
        StringRef before = function->getFnAttribute("dlnpu-args").getValueAsString();
        function->addFnAttr("dlnpu-args", before.empty() ? text.str() : (before + "," + text).str());
      }
    }
  annotations->eraseFromParent();
  for (const char* name : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable* used = module.getGlobalVariable(name))
      used->eraseFromParent();
  for (Function& function : module)
    if (function.hasFnAttribute("dlnpu-kernel")) {
      function.removeFnAttr(Attribute::OptimizeNone); // needs NoInline
      function.removeFnAttr(Attribute::NoInline);
    }
}

} // namespace

Expected<std::unique_ptr<Module>> compileC(const std::string& path, const COptions& options,
                                           LLVMContext& context) {
  SmallString<128> output;
  if (std::error_code code = sys::fs::createTemporaryFile("dlc", "bc", output))
    return makeError("cannot make a temporary file: " + code.message());
  FileRemover remover(output);
  std::vector<std::string> words = commandLine(path, output.str().str(), options);
  std::vector<StringRef> args(words.begin(), words.end());
  ErrorOr<std::string> program = sys::findProgramByName(words.front());
  if (!program)
    return makeError("cannot find the C compiler '" + words.front() + "'; install clang-19");
  std::string message;
  int status = sys::ExecuteAndWait(*program, args, std::nullopt, {}, 0, 0, &message);
  if (status != 0)
    return makeError(path + ": the C compiler failed" + (message.empty() ? "" : ": " + message));
  ErrorOr<std::unique_ptr<MemoryBuffer>> bitcode = MemoryBuffer::getFile(output);
  if (!bitcode)
    return makeError("cannot read " + output + ": " + bitcode.getError().message());
  Expected<std::unique_ptr<Module>> module = readModule((*bitcode)->getBuffer(), path, context);
  if (module)
    readMarkers(**module);
  return module;
}

} // namespace dlsim::codegen
