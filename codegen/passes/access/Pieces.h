// Straight pieces of an index that holds quotients and remainders.
#pragma once
#include "codegen/passes/access/Analysis.h"

namespace dlsim::access {

// Where the elements of an atom along one dimension follow a straight line, and how far.
struct Pieces {
  int64_t slope = 0;
  // The line ends where one of these quotients or remainders has its next step.
  struct Step {
    mlir::Operation* op;
    llvm::SmallVector<std::pair<unsigned, unsigned>, 2> lanes; // as of an atom
    int64_t slope;                                             // of its operand
  };
  llvm::SmallVector<Step, 2> steps;

  // Adds a part with a factor; false where there is no part, or the product is no constant.
  bool add(const std::optional<Pieces>& part, const Polynomial& coefficient);
};

// `dim` is a dimension of the index that the atom is part of.
std::optional<Pieces> piecesOf(Analysis& analysis, const Atom& atom, unsigned dim);

// Whether an operation is a remainder or a quotient; shifts and masks by constants count.
enum class StepKind { None, Remainder, Quotient };
StepKind stepKind(Analysis& analysis, mlir::Operation* op);

// A quotient and a remainder of the same operands step together.
bool sameStep(const Pieces::Step& a, const Pieces::Step& b);

// The value of a tensor whose elements are all one constant.
std::optional<int64_t> constantOf(Analysis& analysis, mlir::Value tensor);

// The divisor of a quotient or remainder with right operand `rhs`, or of the shift or mask that stands for
// one.
mlir::Value divisorOf(mlir::OpBuilder& b, mlir::Location loc, mlir::Operation* op, mlir::Value rhs);

} // namespace dlsim::access
