#include "isa/dlk/line_table.h"
#include <algorithm>

namespace dlsim::dlk {

LineTable::LineTable(std::vector<std::string> files, std::vector<Row> rows) : files_(std::move(files)) {
  // At one address an end of sequence comes before the row of what follows; otherwise the last row counts.
  std::vector<size_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (rows[a].address != rows[b].address)
      return rows[a].address < rows[b].address;
    return rows[a].endSequence != rows[b].endSequence ? rows[a].endSequence : a < b;
  });
  rows_.reserve(rows.size());
  for (size_t index : order)
    rows_.push_back(rows[index]);
}

std::optional<SourceLine> LineTable::find(uint64_t address) const {
  auto at = std::upper_bound(rows_.begin(), rows_.end(), address,
                             [](uint64_t value, const Row& row) { return value < row.address; });
  if (at == rows_.begin())
    return std::nullopt;
  --at;
  if (at->endSequence || at->line == 0)
    return std::nullopt;
  return SourceLine{files_[at->file], at->line, at->column};
}

} // namespace dlsim::dlk
