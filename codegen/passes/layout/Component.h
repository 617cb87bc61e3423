// Tiles of two dimensions that only turn together.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace dlsim::codegen {

// A tensor of two dimensions.
bool isTile(mlir::Value value);
// A tile of equal elements: made anew in either layout for nothing.
bool isUniform(mlir::Value value);
// The tile of a dl.load or dl.store; null for other operations.
mlir::Value accessedTile(mlir::Operation* op);
// The dimension that consecutive elements of memory run along (0 or 1), if `op` loads or stores a tile with
// one.
std::optional<unsigned> alongMemory(mlir::Operation* op);

// What is connected with a tile by operations that work in either layout: elementwise ones, reductions,
// scans, loads, stores, loops and branches.
class Component {
public:
  explicit Component(mlir::Value seed);

  // False if something in it cannot turn, or would not fill whole blocks of 32 bytes when turned.
  bool canTurn() const { return possible; }
  // Bytes that need not be transposed on chip any more less those that have to be then; those in loops count
  // more.
  int64_t gain() const;

  llvm::SetVector<mlir::Value> tiles;           // turn
  llvm::SetVector<mlir::Operation*> operations; // work on tiles, in either layout
  llvm::SmallVector<mlir::OpOperand*> inner;    // tiles as such operations and control flow see them
  llvm::SmallVector<mlir::OpOperand*> leaving;  // uses by what keeps its layout
  llvm::SetVector<mlir::Value> arriving;        // made by what keeps its layout

private:
  void visit(mlir::Value value);
  void keepInnerTransposes();
  void visitUse(mlir::OpOperand& use);
  void link(mlir::Operation* op);
  void link(mlir::OpOperand& use);
  void linkCarried(mlir::scf::ForOp loop, unsigned position);
  void linkYielded(mlir::scf::IfOp branch, unsigned position);
  void add(mlir::Value value);

  bool possible = true;
  llvm::SmallVector<mlir::Value> work;
  llvm::DenseSet<mlir::Value> seen;
  llvm::DenseSet<std::pair<mlir::Operation*, unsigned>> linked;
};

} // namespace dlsim::codegen
