// How programs of a launch differ from one another.
#pragma once
#include "codegen/passes/coarsen/DimClasses.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace dlsim::codegen {

// A program as a function of its number, the counter of the loop over tasks. Integers that it computes from
// that and from what the launch gives, with no other effect, are the program's *place*; those of them that
// other operations read are all by which programs differ.
class Neighbours {
public:
  // A class of dimensions whose tiles begin at `starts`, `length` apart from one neighbour to the next.
  struct Axis {
    unsigned cls = 0;
    int64_t length = 0; // 0: none
    llvm::SetVector<mlir::Value> starts;
  };

  Neighbours(mlir::scf::ForOp tasks, DimClasses& classes);

  // Nothing if the class may not grow, or does not begin at something that a program's number decides.
  std::optional<Axis> axis(unsigned cls);
  // By how many programs' numbers one has to go to move by one tile along `along` and not otherwise, in a
  // launch of many tiles a side: a power of two, or nothing if there is no such number.
  std::optional<int64_t> distance(const Axis& along);

  // What programs differ by.
  const llvm::SetVector<mlir::Value>& differences() const { return exits; }
  // The place of program `task`, where the builder stands.
  mlir::IRMapping place(mlir::OpBuilder& builder, mlir::Value task) const;

private:
  using Numbers = llvm::DenseMap<mlir::Value, mlir::Attribute>;
  void findPlace();
  void findExits();
  bool isStart(mlir::Value exit, unsigned cls);
  Numbers sample(int64_t task);

  mlir::scf::ForOp tasks;
  DimClasses& classes;
  llvm::SetVector<mlir::Operation*> scalars; // compute the place, in order
  llvm::DenseSet<mlir::Value> differs;
  llvm::SetVector<mlir::Value> exits;
};

// Ranges, constants and what is spread from them get a copy a user, so that each belongs to what it is
// used for.
void separateUses(mlir::Block& body);

} // namespace dlsim::codegen
