// A launch as a JSON file: kernel name, grid, arguments in slot order.
#pragma once

#include "sim/casefile/array.h"
#include "sim/casefile/generate.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlsim::casefile {

struct TensorArg {
  isa::DType dtype = isa::DType::F32;
  std::vector<uint64_t> shape;
  bool output = false;
  std::optional<Init> init;
  uint64_t bytes() const { return elementCount(shape) * isa::dtypeBytes(dtype); }
};

struct Arg {
  std::string name;
  std::string dtype; // as written: f16 bf16 f32 i8..i64 u8..u64, i1 or bool
  bool tensor = false;
  TensorArg data;    // of a tensor
  uint64_t slot = 0; // of a scalar: integers sign-extended, floats as bits

  // Whether a kernel's argument of the dtype `wanted` can take it. Integers need the same width only:
  // Triton's IR has no unsigned types, and a tensor of i1 is one of bytes.
  bool fits(const std::string& wanted) const;
};

struct Case {
  std::string path, name, kernel;
  std::array<uint64_t, 3> grid{1, 1, 1};
  std::vector<Arg> args;
  std::string npz;                          // path
  bool npzNamed = false;                    // by the case file, not by the default
  std::optional<double> tolerance;          // for all outputs
  std::map<std::string, double> tolerances; // by dtype

  double toleranceOf(const TensorArg& tensor) const;
};

Case parseCase(const std::string& text, const std::string& path); // throws InputError
Case loadCase(const std::string& path);

// What the tensors hold before the launch, in argument order (empty for scalars and for outputs that start as
// zeros), and what they should hold after it (absent: not known).
struct CaseData {
  std::vector<std::vector<uint8_t>> inputs; // of each argument; empty: a tensor begins as zeros
  std::vector<std::optional<std::vector<uint8_t>>> expected;
  bool anyExpected() const;
};
CaseData loadData(const Case& c); // throws InputError

} // namespace dlsim::casefile
