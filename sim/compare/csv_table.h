// CSV files as others write them: quoted cells, a comma at the end of each line, carriage returns, a byte
// order mark.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlsim::compare {

struct CsvTable {
  std::string path;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows; // each as long as the header

  std::optional<std::size_t> column(std::string_view name) const;
  bool has(std::string_view name) const { return column(name).has_value(); }
};

// Throws casefile::InputError: a file that cannot be read or is empty, a line with too many or too few cells,
// an open quote.
CsvTable readCsv(const std::string& path);

// The number in a cell, also with separators of thousands ("307,130,368"); nothing for texts, NA, N/A and
// empty cells.
std::optional<double> numberIn(std::string_view cell);

} // namespace dlsim::compare
