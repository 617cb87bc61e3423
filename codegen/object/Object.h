// LLVM module -> machine code -> kernel binary. One object a core kind; the linker gives it its final
// addresses.
//
//   llvm::Expected<Object> aic = compileModule(module, options);
//   llvm::Error error = writeDlk("k.dlk", {*aic}, std::move(meta));
#pragma once

#include "codegen/target/CodegenReport.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace dlsim::codegen {

enum class CoreKind { Aic, Aiv };
llvm::StringRef kindName(CoreKind kind); // "aic", "aiv"

struct CompileOptions {
  CoreKind kind = CoreKind::Aiv;
  std::string entry;     // kernel function; empty: the one marked "dlnpu-kernel", or the only one
  bool pack = true;      // false: one word a bundle
  bool debugInfo = true; // line tables, if the module has locations
  unsigned optLevel = 2; // 0..3: IR pipeline and code generator
  bool keepAll =
      false; // functions other than the entry stay, and no entry is needed: objects and assembly only
};

/// An argument of the kernel, for the metadata. From the entry's attribute "dlnpu-args" =
/// "name:tensor|scalar:dtype,...", if it has one.
struct KernelArg {
  std::string name, kind, dtype;
};

struct Object {
  CoreKind kind = CoreKind::Aiv;
  std::string entry; // symbol
  std::vector<KernelArg> args;
  llvm::SmallVector<char, 0> elf; // relocatable
  CodegenReport report;
};

/// Reads textual or binary IR with the target's data layout in force. `name` is for messages.
llvm::Expected<std::unique_ptr<llvm::Module>> readModule(llvm::StringRef text, llvm::StringRef name,
                                                         llvm::LLVMContext& context);

/// Sets triple, data layout, entry and attributes, then runs LLVM's scalar pipeline. compileModule and
/// emitAssembly do it themselves; call it alone to look at the optimised IR.
llvm::Error optimizeModule(llvm::Module& module, const CompileOptions& options);

llvm::Expected<Object> compileModule(llvm::Module& module, const CompileOptions& options);
llvm::Expected<std::string> emitAssembly(llvm::Module& module, const CompileOptions& options);

/// An assembly file. The entry is options.entry or the only global symbol.
llvm::Expected<Object> assembleObject(llvm::StringRef text, llvm::StringRef fileName,
                                      const CompileOptions& options);

/// Links the objects (at most one a core kind) and writes the kernel binary to a temporary file that then
/// takes the name `path`. Fills in version, compiler, kind, entries, args and stack of the metadata unless
/// `meta` has them.
llvm::Error writeDlk(llvm::StringRef path, llvm::ArrayRef<const Object*> objects, llvm::json::Object meta);

} // namespace dlsim::codegen
