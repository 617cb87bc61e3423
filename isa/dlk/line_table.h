// Code address -> source line.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlsim::dlk {

struct SourceLine {
  std::string file; // as the compiler recorded it
  unsigned line = 0;
  unsigned column = 0;

  // "softmax.py:12"
  std::string toString() const { return file + ":" + std::to_string(line); }
};

class LineTable {
public:
  struct Row {
    uint64_t address;
    uint32_t file; // index of files
    uint32_t line, column;
    bool endSequence; // first address after a run of code
  };

  LineTable() = default;
  // Rows in any order; file indices must be valid.
  LineTable(std::vector<std::string> files, std::vector<Row> rows);

  bool empty() const { return rows_.empty(); }
  const std::vector<Row>& rows() const { return rows_; } // by rising address
  const std::vector<std::string>& files() const { return files_; }
  // Nothing for addresses outside the table and for code without a line (line 0).
  std::optional<SourceLine> find(uint64_t address) const;

private:
  std::vector<std::string> files_;
  std::vector<Row> rows_;
};

} // namespace dlsim::dlk
