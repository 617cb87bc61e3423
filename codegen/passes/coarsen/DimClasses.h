// Which dimensions of a program's tensors have to grow together.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace dlsim::codegen {

// Classes of (tensor, dimension) over the operations below a block. In a class that may grow, every operation
// treats the elements along it one by one: a tile of twice the length is two tiles, one after the other.
class DimClasses {
public:
  explicit DimClasses(mlir::Block& body);

  unsigned of(mlir::Value tensor, unsigned dimension);
  unsigned root(unsigned cls) { return find(cls); }
  bool mayGrow(unsigned cls) { return !fixed.contains(find(cls)); }

private:
  void visit(mlir::Operation* op);
  void elementwise(mlir::Operation* op);
  void product(tt::DotOp dot);
  void join(mlir::Value a, unsigned i, mlir::Value b, unsigned j);
  void same(mlir::Value a, mlir::Value b);
  void fix(mlir::Value tensor, unsigned dimension) { fixed.insert(of(tensor, dimension)); }
  void fixAll(mlir::Operation* op);
  unsigned find(unsigned number);

  std::vector<unsigned> parents;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> numbers;
  llvm::DenseSet<unsigned> fixed; // roots
};

} // namespace dlsim::codegen
