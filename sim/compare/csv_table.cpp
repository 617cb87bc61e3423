#include "sim/compare/csv_table.h"

#include "sim/casefile/file.h"
#include "sim/casefile/input_error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dlsim::compare {

using casefile::InputError;

namespace {

struct Line {
  std::vector<std::string> cells;
  std::size_t number = 0; // of its first line in the file
};

std::string trimmed(const std::string& cell) {
  const std::size_t first = cell.find_first_not_of(" \t"), last = cell.find_last_not_of(" \t");
  return first == std::string::npos ? "" : cell.substr(first, last - first + 1);
}

class Splitter {
public:
  Splitter(const std::string& path, const std::string& text) : path_(path), text_(text) {}

  std::vector<Line> lines() {
    std::size_t at = text_.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
    for (; at < text_.size(); ++at)
      take(text_[at], at);
    if (quoted_)
      throw InputError(path_ + ":" + std::to_string(line_.number) + ": a quoted cell has no end");
    endLine();
    return std::move(lines_);
  }

private:
  void take(char c, std::size_t& at) {
    if (quoted_ && c == '"' && at + 1 < text_.size() && text_[at + 1] == '"')
      cell_ += text_[++at];
    else if (c == '"')
      quoted_ = !quoted_;
    else if (!quoted_ && c == ',')
      endCell();
    else if (!quoted_ && c == '\n')
      endLine();
    else if (quoted_ || c != '\r')
      cell_ += c;
    count_ += c == '\n';
  }
  void endCell() {
    line_.cells.push_back(trimmed(cell_));
    cell_.clear();
  }
  void endLine() {
    endCell();
    if (line_.cells.size() > 1 || !line_.cells[0].empty())
      lines_.push_back(std::move(line_));
    line_ = {{}, count_ + 1};
  }

  const std::string& path_;
  const std::string& text_;
  std::vector<Line> lines_;
  Line line_{{}, 1};
  std::string cell_;
  std::size_t count_ = 1;
  bool quoted_ = false;
};

} // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? std::nullopt : std::optional<std::size_t>(found - header.begin());
}

CsvTable readCsv(const std::string& path) {
  const std::string text = casefile::readText(path);
  std::vector<Line> lines = Splitter(path, text).lines();
  // Programs that write tables to a file tell their progress there too.
  while (!lines.empty() && lines[0].cells[0].rfind("==", 0) == 0)
    lines.erase(lines.begin());
  if (lines.empty())
    throw InputError(path + ": is empty, not a table with a header");
  CsvTable table{path, std::move(lines[0].cells), {}};
  if (table.header.back().empty())
    table.header.pop_back();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::vector<std::string>& cells = lines[i].cells;
    if (cells.size() == table.header.size() + 1 && cells.back().empty())
      cells.pop_back();
    if (cells.size() != table.header.size())
      throw InputError(path + ":" + std::to_string(lines[i].number) + ": has " +
                       std::to_string(cells.size()) + " cells, the header has " +
                       std::to_string(table.header.size()));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::optional<double> numberIn(std::string_view cell) {
  std::string digits(cell);
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  const bool whole = !digits.empty() && end == digits.c_str() + digits.size();
  return whole && std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

} // namespace dlsim::compare
