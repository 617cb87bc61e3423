// Strided accesses of one block that together touch every element of a stretch: the even and the odd elements
// of a row, the channels of its pixels.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Divisibility.h"

#include "llvm/ADT/MapVector.h"

namespace dlsim::access {

// Loads, which go to the first one's place, or stores, which go to the last one's.
struct Siblings {
  // The k-th touches element i * size + k of a row of all of them with its element i.
  llvm::SmallVector<mlir::Operation*> members;
  mlir::Operation *first = nullptr, *last = nullptr; // in the program
  llvm::SmallVector<int64_t> shape;                  // of a member
  // As the first one, or, of stores, the last one says them, of all elements: other values may not be there
  // yet.
  Pointer pointer;
  Mask mask;
  // The mask's range of the last dimension is that of a member.
  bool maskOfMember = false;
  mlir::Attribute other; // of lanes that are masked off; null: undefined

  // Stores only: accesses in between that must not touch the stretch, and strides that must be multiples of
  // the number of members so that members do not meet. Found out at run time.
  struct Elsewhere {
    Pointer pointer;
    llvm::SmallVector<int64_t> shape;
    int64_t bytes; // of an element
  };
  std::vector<Elsewhere> apart;
  Pointer start; // `pointer` as the first one says it
  llvm::SmallVector<Polynomial> multiples;

  int64_t size() const { return int64_t(members.size()); }
  bool always() const { return apart.empty() && multiples.empty(); }
  mlir::Operation* leader() const { return mlir::isa<tt::LoadOp>(first) ? first : last; }
};

// The siblings among a function's loads and stores, each in one family at most.
std::vector<Siblings> findSiblings(mlir::func::FuncOp function, Analysis& analysis);

} // namespace dlsim::access
