// Every option of dlc, in one place.
#pragma once

#include "codegen/cfront/CFront.h"
#include "codegen/driver/driver.h"
#include "codegen/object/Object.h"
#include <string>
#include <vector>

namespace dlsim::codegen {

/// What to write: the kernel binary or a stage on the way to it.
enum class Emit { Ttir, Tile, Npu, Llvm, Asm, Obj, Dlk };

struct DlcOptions {
  std::string input, output; // output "-" is standard output
  Emit emit = Emit::Dlk;
  std::string chip;
  CompileOptions compile;
  bool mixed = false; // C for cube and vector cores; compile.kind is not used then
  COptions c;
  MlirOptions mlir;
  std::vector<KernelArg> args; // of kernels whose source does not say
  unsigned gridRank = 1;
  bool report = false; // bundle occupancy per loop, on standard error
};

/// Parses the command line. Prints usage errors, help and version itself; then `exitCode` is set and the
/// caller must stop with it.
DlcOptions parseDlcOptions(int argc, const char* const* argv, int& exitCode);

} // namespace dlsim::codegen
