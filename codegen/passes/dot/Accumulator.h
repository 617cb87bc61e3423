// Which tensors share one accumulator of the cube.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace dlsim::codegen {

// A constant or splat of zero.
bool isZero(mlir::Value value);

// All values that live in the same accumulator as a seed (grow() finds them), and the operands through which
// they flow.
struct Accumulator {
  llvm::SetVector<mlir::Value> values;
  llvm::SetVector<mlir::OpOperand*> flows; // loop starts, yields, and the dots' own accumulator operands

  explicit Accumulator(mlir::Value seed) { add(seed); }
  void grow();

private:
  void add(mlir::Value value) { values.insert(value); }
  void flow(mlir::OpOperand& operand);
  void carry(mlir::scf::ForOp loop, unsigned i);
  void join(mlir::scf::IfOp branch, unsigned i);
};

} // namespace dlsim::codegen
