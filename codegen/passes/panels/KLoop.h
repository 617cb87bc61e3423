// Loops along K whose steps may share tiles in L1.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/passes/panels/Steps.h"

#include <string>

namespace dlsim::codegen {

// A load or gather of a dot's operand whose tiles of consecutive iterations lie next to each other in memory.
struct KOperand {
  mlir::Operation* load;               // dl.load, or a dl.gather that walks the other dimension
  unsigned k;                          // the tile's dimension along K
  llvm::SmallVector<mlir::Value> ends; // of the elements along K that exist, less than which a mask allows;
                                       // all fall by a tile's depth from one iteration to the next
  bool clamped = false;                // the ends may be below 0

  mlir::RankedTensorType type() const;
  mlir::Value stride() const; // along K, elements
};

struct KLoop {
  mlir::scf::ForOp loop;
  llvm::SmallVector<dl::DotOp> dots;
  llvm::SmallVector<KOperand> operands;
  llvm::SmallVector<unsigned> advanced; // carried scalars: they grow by the same amount in each iteration
  int64_t depth = 0;                    // K of one iteration
  int64_t stride = 0;                   // of the counter
  mlir::Value counter;                  // what steps are counted by: the loop's counter, or with an offset
  mlir::Value offset;                   // (its counter + offset) mod its end, each core beginning elsewhere

  int64_t bytesOfStep() const; // of L1 that the operands of one iteration take
  int64_t rowBytes() const; // of the narrowest rows along K of an iteration, 0 if no operand has rows along K
  std::optional<int64_t> trips() const;
};

// Ends of a load's or gather's rectangle, an operand a dimension.
mlir::MutableOperandRange endsOf(mlir::Operation* load);

// Bytes of L1 that a tile takes at most, whichever way it lies.
int64_t bytesInL1(mlir::RankedTensorType type);

// Either the loop as one along K or the reason why it is none.
std::optional<KLoop> asKLoop(mlir::scf::ForOp loop, std::string& reason);

} // namespace dlsim::codegen
