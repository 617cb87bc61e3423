// Tables whose columns are data: a name and how to compute it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dlsim::tools {

template <class Row> struct Column {
  std::string name;
  std::function<std::string(const Row&)> value;
};

std::string fixed6(double value);        // six decimals, as the profiler prints
double ratio(double part, double whole); // 0 when there is no whole

// Header, then a line a row, each ending with a comma as the profiler's do.
template <class Row>
std::string table(const std::vector<Column<Row>>& columns, const std::vector<Row>& rows) {
  std::string text;
  for (size_t i = 0; i < columns.size(); ++i)
    text += (i ? "," : "") + columns[i].name;
  text += '\n';
  for (const Row& row : rows) {
    for (const Column<Row>& column : columns)
      text += column.value(row) + ',';
    text += '\n';
  }
  return text;
}

} // namespace dlsim::tools
