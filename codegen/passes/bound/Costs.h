// Least cycles of npu commands on a chip.
#pragma once
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/plan_memory/chip_file.h"

#include <array>

namespace dlsim::codegen {

struct Times {
  std::array<double, unitCount> cycles{}; // by unit
  double bytes = 0;                       // from and to global memory

  Times& operator+=(const Times& other);
  Times operator*(double turns) const;
  static Times longest(const Times& a, const Times& b); // of each unit
};

// Costs of a core of one kind ("aic", "aiv") while all cores of the kind are at work.
class Costs {
public:
  Costs(const ChipFile& chip, llvm::StringRef kind);
  Times of(npu::NpuCommand command) const;
  double memoryCycles(double bytes) const; // at the core's share of HBM

private:
  double number(llvm::StringRef key) const { return chip.number(key).value_or(0); }
  double copyIn(mlir::Operation* op, double bytes) const;
  double product(npu::MmadOp op) const;
  double vector(mlir::Operation* op) const;
  double vectorCommand(llvm::StringRef name, mlir::MemRefType tile) const;

  const ChipFile& chip;
  double cores = 1;
};

} // namespace dlsim::codegen
