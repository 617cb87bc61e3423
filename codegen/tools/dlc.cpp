// dlc: the kernel compiler. Wiring only: options are in DlcOptions, steps in codegen/object and
// codegen/cfront.
#include "DlcOptions.h"
#include "codegen/object/Diagnostics.h"
#include "codegen/object/Files.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace dlsim::codegen;

namespace {

Error writeText(const DlcOptions& options, StringRef text) { return writeFile(options.output, text); }

void printReport(const CodegenReport& report) {
  for (const LoopOccupancy& loop : report.loops) {
    errs() << loop.function
           << (loop.depth ? ", loop of depth " + std::to_string(loop.depth) : ", outside of loops");
    if (loop.line)
      errs() << " (" << loop.file << ":" << loop.line << ")";
    errs() << ": " << loop.bundles << " bundles, " << loop.words << " words (" << loop.commands
           << " commands), " << format("%.2f words a bundle\n", loop.meanWords());
  }
  const LoopOccupancy* innermost = nullptr;
  for (const LoopOccupancy& loop : report.loops)
    if (loop.commands && (!innermost || loop.depth > innermost->depth))
      innermost = &loop;
  if (innermost)
    errs() << "innermost loop with commands: " << format("%.2f words a bundle\n", innermost->meanWords());
}

json::Object metaOf(const DlcOptions& options, json::Object meta) {
  meta["chip"] = options.chip;
  json::Object used;
  if (json::Object* before = meta.getObject("options"))
    used = std::move(*before);
  used["pack"] = options.compile.pack;
  used["opt_level"] = int64_t(options.compile.optLevel);
  meta["options"] = std::move(used);
  if (!meta.get("grid"))
    meta["grid"] = json::Object{
        {"rank", int64_t(options.gridRank)}, {"order", "rows"}, {"k_offset", false}, {"policy", "loop"}};
  if (!options.args.empty()) {
    json::Array args;
    for (const KernelArg& arg : options.args)
      args.push_back(json::Object{{"name", arg.name}, {"kind", arg.kind}, {"dtype", arg.dtype}});
    meta["args"] = std::move(args);
  }
  return meta;
}

Error finish(const DlcOptions& options, Expected<Object> object, json::Object meta = {}) {
  if (!object)
    return object.takeError();
  if (options.report)
    printReport(object->report);
  if (options.emit == Emit::Obj)
    return writeText(options, StringRef(object->elf.data(), object->elf.size()));
  return writeDlk(options.output, {&*object}, metaOf(options, std::move(meta)));
}

// A mixed kernel's code for one kind of core.
struct Side {
  CoreKind kind;
  std::string entry; // empty: the marked function
  std::unique_ptr<Module> module;
};

Error compileMixed(DlcOptions options, std::vector<Side> sides, json::Object meta) {
  std::string text;
  std::vector<Object> objects;
  for (const Side& side : sides) {
    options.compile.kind = side.kind;
    options.compile.entry = side.entry;
    if (options.emit == Emit::Llvm) {
      if (Error error = optimizeModule(*side.module, options.compile))
        return error;
      raw_string_ostream(text) << *side.module;
    } else if (options.emit == Emit::Asm) {
      Expected<std::string> assembly = emitAssembly(*side.module, options.compile);
      if (!assembly)
        return assembly.takeError();
      text += *assembly;
    } else {
      Expected<Object> object = compileModule(*side.module, options.compile);
      if (!object)
        return object.takeError();
      if (options.report)
        printReport(object->report);
      objects.push_back(std::move(*object));
    }
  }
  if (options.emit == Emit::Obj)
    return makeError(options.input + ": a mixed kernel has two objects; emit asm or dlk");
  if (objects.empty())
    return writeText(options, text);
  return writeDlk(options.output, {&objects[0], &objects[1]}, metaOf(options, std::move(meta)));
}

Error compileIR(const DlcOptions& options, Module& module, json::Object meta = {}) {
  switch (options.emit) {
  case Emit::Ttir:
  case Emit::Tile:
  case Emit::Npu:
    return makeError(options.input + ": the input is past the stage to emit");
  case Emit::Llvm: {
    if (Error error = optimizeModule(module, options.compile))
      return error;
    std::string text;
    raw_string_ostream(text) << module;
    return writeText(options, text);
  }
  case Emit::Asm: {
    Expected<std::string> text = emitAssembly(module, options.compile);
    return text ? writeText(options, *text) : text.takeError();
  }
  case Emit::Obj:
  case Emit::Dlk:
    return finish(options, compileModule(module, options.compile), std::move(meta));
  }
  return Error::success();
}

// Triton IR or a later stage of MLIR.
Error compileMlirFile(DlcOptions options, StringRef text) {
  LLVMContext context;
  Expected<MlirResult> result = compileMlir(MemoryBufferRef(text, options.input), options.mlir, context);
  if (!result)
    return result.takeError();
  if (!result->module)
    return writeText(options, result->text);
  if (result->entries.size() > 1) {
    std::vector<Side> sides;
    for (const MlirResult::Entry& entry : result->entries)
      sides.push_back({entry.kind, entry.function, CloneModule(*result->module)});
    return compileMixed(options, std::move(sides), std::move(result->meta));
  }
  options.compile.kind = result->entries.front().kind;
  options.compile.entry = result->entries.front().function;
  return compileIR(options, *result->module, std::move(result->meta));
}

Expected<std::unique_ptr<Module>> readC(const DlcOptions& options, CoreKind kind, LLVMContext& context) {
  COptions c = options.c;
  c.defines.push_back(kind == CoreKind::Aic ? "__DLNPU_AIC__" : "__DLNPU_AIV__");
  return compileC(options.input, c, context);
}

Error compileMixedC(const DlcOptions& options, LLVMContext& context) {
  if (options.emit == Emit::Ttir || options.emit == Emit::Tile || options.emit == Emit::Npu)
    return makeError(options.input + ": the input is past the stage to emit");
  std::vector<Side> sides;
  for (CoreKind kind : {CoreKind::Aic, CoreKind::Aiv}) {
    Expected<std::unique_ptr<Module>> module = readC(options, kind, context);
    if (!module)
      return module.takeError();
    sides.push_back({kind, options.compile.entry, std::move(*module)});
  }
  return compileMixed(options, std::move(sides), {});
}

Error compileFile(const DlcOptions& options, StringRef text) {
  StringRef extension = sys::path::extension(options.input);
  if (extension == ".s") {
    if (options.emit == Emit::Llvm || options.emit == Emit::Asm)
      return makeError(options.input + ": an assembly file has no LLVM IR or other assembly to emit");
    return finish(options, assembleObject(text, options.input, options.compile));
  }
  if (extension == ".ttir" || extension == ".mlir")
    return compileMlirFile(options, text);
  LLVMContext context;
  if (options.mixed)
    return compileMixedC(options, context);
  Expected<std::unique_ptr<Module>> module = extension == ".c" ? readC(options, options.compile.kind, context)
                                                               : readModule(text, options.input, context);
  return module ? compileIR(options, **module) : module.takeError();
}

int fail(const Twine& message, int code) {
  errs() << "dlc: " << message << "\n";
  return code;
}

// LLVM cannot go on after these, and its own handler prints a page of its stack.
void dieOfLlvmError(void*, const char* reason, bool) {
  errs() << "dlc: internal error: " << reason << "\n";
  errs().flush();
  std::_Exit(1);
}

} // namespace

int main(int argc, char** argv) {
  InitLLVM init(argc, argv);
  install_fatal_error_handler(dieOfLlvmError);
  int exitCode = 0;
  DlcOptions options = parseDlcOptions(argc, argv, exitCode);
  if (exitCode)
    return exitCode;
  StringRef extension = sys::path::extension(options.input);
  if (!is_contained({".ttir", ".mlir", ".ll", ".bc", ".c", ".s"}, extension))
    return fail(options.input + ": unknown kind of input '" + extension +
                    "'; .ttir, .mlir, .ll, .bc, .c and .s are known",
                2);
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(options.input);
  if (!buffer)
    return fail(options.input + ": " + buffer.getError().message(), 2);
  StringRef text = (*buffer)->getBuffer();
  if (std::string input = overwrittenInput(options.output, {options.input}); !input.empty())
    return fail("-o " + options.output + " would overwrite the input " + input, 2);
  if (extension != ".c" && !isBitcode(text.bytes_begin(), text.bytes_end()) && !isText(text))
    return fail(options.input + ": is not text" + (extension == ".bc" ? " and not LLVM bitcode" : ""), 1);
  if (Error error = compileFile(options, text)) {
    int code = error.isA<OutputError>() ? 2 : 1;
    // Errors in the kernel begin with its file and line; others get the tool's name.
    std::string message = toString(std::move(error));
    errs() << (StringRef(message).contains(": error: ") ? "" : "dlc: ") << message << "\n";
    return code;
  }
  return 0;
}
