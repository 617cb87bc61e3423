// A dense, row-major, little-endian array and its .npy form.
#pragma once

#include "isa/tables/tables.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlsim::casefile {

struct Array {
  std::string descr; // numpy's type: "<f2", "|i1"
  std::vector<uint64_t> shape;
  std::vector<uint8_t> bytes;
};

uint64_t elementCount(const std::vector<uint64_t>& shape);
std::string shapeText(const std::vector<uint64_t>& shape); // "(3, 4)"

// The numpy type that holds a dtype; bf16 is stored as uint16 bit patterns.
std::string descrOf(isa::DType dtype);

// Throws InputError; `name` stands for the array in messages.
Array parseNpy(const std::vector<uint8_t>& file, const std::string& name);
std::vector<uint8_t> formatNpy(const Array& array);

} // namespace dlsim::casefile
