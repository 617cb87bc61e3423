// From MLIR text of any stage to an LLVM module: the pipeline, its stages and what it has to say.
//
//   ttir  as Triton prints it, cleaned up      tt dialect
//   tile  tile accesses and matrix products    dl dialect
//   npu   buffers, commands, flags             npu dialect
//   llvm  calls of dlnpu.* functions
#pragma once
#include "codegen/object/Object.h"
#include "codegen/passes/multibuffer/multibuffer.h"
#include "codegen/passes/panels/Panels.h"
#include "codegen/passes/split/CvPipeline.h"
#include "codegen/support/Coalesce.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlsim::codegen {

enum class MlirStage { ttir, tile, npu, llvm };

struct MlirOptions {
  std::string chip = "ascend910b1";
  std::string order, orderGrid; // task order of the grid, see blockify; empty: rows
  bool shuffleK = false;        // each core starts its K loop elsewhere
  bool coarsen = true;          // neighbouring programs with small tiles become one
  bool halve = true;        // reductions that the vector unit has no command for, where there is room for it
  SlotWish multibuffer;     // slots of buffers that units hand to each other
  PanelWish panels;         // steps of a K loop that share an L1 tile
  bool bindSubCores = true; // the vector cores of a group share rows
  std::optional<int> cvDepth; // iterations that cube and vector cores overlap; nothing: as many as pay
  bool barrierAll = false;    // barriers instead of flags
  Coalesce coalesce = Coalesce::full; // what becomes of accesses that are not contiguous
  bool accessReport = false;          // a line an access on standard error
  bool explain = false;               // remarks of the passes on standard error
  std::string dumpDir;                // a file a stage, if not empty
  MlirStage stop = MlirStage::llvm;
};

struct MlirResult {
  std::string text;                     // of the stage, when stopped before llvm
  std::unique_ptr<llvm::Module> module; // at stage llvm
  // What to compile from the module: functions and the kinds of core that run them. A mixed kernel has two.
  struct Entry {
    CoreKind kind;
    std::string function;
  };
  std::vector<Entry> entries;
  llvm::json::Object meta;
};

// Errors name the kernel's source line. Warnings (options and hints without effect, for one) go to standard
// error.
llvm::Expected<MlirResult> compileMlir(llvm::MemoryBufferRef text, const MlirOptions& options,
                                       llvm::LLVMContext& context);

} // namespace dlsim::codegen
