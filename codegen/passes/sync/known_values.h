// What an abstract run of a program knows of its scalars: enough arithmetic to follow rotation counters and
// conditions.
#pragma once
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace dlsim::codegen {

class KnownValues {
public:
  std::optional<int64_t> known(mlir::Value value) const;
  void set(mlir::Value value, std::optional<int64_t> known);
  // How often the value has been set: another version is another value.
  unsigned version(mlir::Value value) const { return versions.lookup(value); }

  // A value that the program does not tell is what this way through it makes it, from here on.
  int64_t knownOr(mlir::Value value, int64_t otherwise);
  void assume(mlir::Value condition, bool holds);

  void forget(mlir::ValueRange results);
  void evaluate(mlir::Operation* op);

private:
  llvm::DenseMap<mlir::Value, int64_t> values;
  llvm::DenseMap<mlir::Value, unsigned> versions;
};

} // namespace dlsim::codegen
