// .npz files: a zip of .npy arrays.
#pragma once

#include "sim/casefile/array.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlsim::casefile {

// Opens at construction; arrays are read (and their checksums verified) when asked for. Throws InputError.
class NpzReader {
public:
  explicit NpzReader(const std::string& path);
  ~NpzReader();
  bool has(const std::string& name) const;
  Array read(const std::string& name) const;
  std::vector<std::string> names() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes all arrays or nothing. The bytes depend on the arrays alone.
void writeNpz(const std::string& path, const std::vector<std::pair<std::string, Array>>& arrays);

} // namespace dlsim::casefile
