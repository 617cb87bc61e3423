// What a product that is cut into pieces reads and hands on.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/dialects/tt/TtDialect.h"

#include "llvm/ADT/SetVector.h"

#include <array>
#include <optional>

namespace dlsim::codegen {

// An operand's load and the transposes behind it, each with no other user; or a load outside of the product's
// loop that only products read, as their left operand.
struct Operand {
  dl::LoadOp load;
  llvm::SmallVector<mlir::Operation*> transposes;
  std::array<unsigned, 2> dimensionOf = {0, 1}; // of the load, for each of the product's

  static std::optional<Operand> of(tt::DotOp dot, mlir::Value value);
  mlir::RankedTensorType type() const {
    return mlir::cast<mlir::RankedTensorType>(dl::LoadOp(load).getType());
  }
  // Whether the product's `dimension` of it begins where the tile does.
  bool mayCut(unsigned dimension) const;
};

// What reads the product: a store, behind a scale and a cast that the fixpipe does too.
struct Result {
  llvm::SmallVector<mlir::Operation*> between;
  dl::StoreOp store;

  static std::optional<Result> of(tt::DotOp dot);
  bool mayCut(unsigned dimension) const;
};

// Where loads may go down to: flags that free what they read have to follow. Loads of other blocks stay.
class Sinking {
public:
  Sinking(llvm::ArrayRef<Operand> operands, mlir::Operation* to);
  bool possible = true;
  void moveFlagsBehind(mlir::Operation* last) const;

private:
  void follow(dl::LoadOp load);

  mlir::Operation* to;
  llvm::SetVector<mlir::Operation*> flags;
};

} // namespace dlsim::codegen
