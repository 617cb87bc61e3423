#include "sim/observe/trace.h"

#include "isa/tables/hex.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace dlsim::observe {

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out;
}

std::string number(double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

constexpr unsigned kUnitRows = 16; // numbers of rows: the unit's, then so much more for each further row

std::string rowKey(const CoreId& core, unsigned row) {
  return "\"pid\":" + std::to_string(core.dense) + ",\"tid\":" + std::to_string(row);
}

} // namespace

TraceWriter::TraceWriter(std::ostream& out, double clock_mhz, TraceWindow window)
    : out_(out), clock_mhz_(clock_mhz), window_(window) {
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

TraceWriter::~TraceWriter() { close(); }

void TraceWriter::close() {
  if (open_)
    out_ << "\n]}\n";
  open_ = false;
}

void TraceWriter::event(const std::string& body) {
  if (!open_)
    return;
  out_ << (events_++ ? ",\n{" : "\n{") << body << '}';
}

// Takes the slice into the row if it overlaps no other there, or holds all that it overlaps.
bool TraceWriter::place(Row& row, Cycle begin, Cycle end) {
  const auto after = std::lower_bound(row.begin(), row.end(), end,
                                      [](const auto& slice, Cycle at) { return slice.first < at; });
  auto first = after;
  while (first != row.begin() && std::prev(first)->second > begin)
    --first;
  if (first != after && (first->first < begin || std::prev(after)->second > end))
    return false;
  row.insert(row.erase(first, after), {begin, end});
  return true;
}

unsigned TraceWriter::row(const CoreId& core, Unit unit, Cycle begin, Cycle end) {
  std::vector<Row>& rows = rows_[{core.dense, static_cast<uint8_t>(unit)}];
  size_t level = 0;
  while (level < rows.size() && !place(rows[level], begin, end))
    ++level;
  const auto id = static_cast<unsigned>(unit) + kUnitRows * static_cast<unsigned>(level);
  if (level < rows.size())
    return id;
  rows.push_back({{begin, end}});
  if (named_.insert(core.dense).second)
    event("\"ph\":\"M\",\"name\":\"process_name\"," + rowKey(core, id) + ",\"args\":{\"name\":\"" +
          escaped(name_ ? name_(core) : "core " + std::to_string(core.dense)) + "\"}");
  event("\"ph\":\"M\",\"name\":\"thread_name\"," + rowKey(core, id) + ",\"args\":{\"name\":\"" +
        (unit == Unit::S ? std::string("SCALAR") : core::unitText(unit)) +
        (level ? " +" + std::to_string(level) : "") + "\"}");
  event("\"ph\":\"M\",\"name\":\"thread_sort_index\"," + rowKey(core, id) +
        ",\"args\":{\"sort_index\":" + std::to_string(kUnitRows * static_cast<unsigned>(unit) + level) + "}");
  return id;
}

unsigned TraceWriter::slice(const CoreId& core, Unit unit, const std::string& name, Cycle begin, Cycle end,
                            uint32_t pc, const std::string& more) {
  const unsigned id = row(core, unit, begin, end);
  const std::string source = source_ ? source_(core.kind, pc) : std::string();
  event("\"ph\":\"X\",\"name\":\"" + escaped(name) + "\"," + rowKey(core, id) +
        ",\"ts\":" + number(us(begin)) + ",\"dur\":" + number(us(end - begin)) + ",\"args\":{\"pc\":\"" +
        isa::hex(pc) + "\"" + (source.empty() ? "" : ",\"source\":\"" + escaped(source) + "\"") + more + "}");
  return id;
}

void TraceWriter::command(const CommandEffect& e) {
  if (!inWindow(e.started, e.completed))
    return;
  std::string more = ",\"issued\":" + std::to_string(e.issued) + ",\"started\":" + std::to_string(e.started) +
                     ",\"completed\":" + std::to_string(e.completed) +
                     ",\"bytes_read\":" + std::to_string(e.bytes_read) +
                     ",\"bytes_written\":" + std::to_string(e.bytes_written);
  for (const core::Footprint& fp : e.footprints)
    more += std::string(",\"") + (fp.write ? "write " : "read ") + core::spaceName(fp.space) + "\":\"" +
            isa::hex(fp.address) + "\"";
  slice(e.core, e.unit, std::string(isa::info(e.command->op).mnemonic), e.started, e.completed, e.command->pc,
        more);
}

void TraceWriter::stall(const StallRecord& r) {
  if (inWindow(r.begin, r.end) && r.why != Stall::ScalarLatency && r.why != Stall::Branch)
    slice(r.core, Unit::S,
          std::string("stall: ") + stallName(r.why) +
              (r.why == Stall::QueueFull || r.why == Stall::Flag ? " " + core::unitText(r.unit) : ""),
          r.begin, r.end, r.pc, "");
}

void TraceWriter::wait(const WaitRecord& r) {
  if (inWindow(r.begin, r.end))
    slice(r.core, r.unit,
          r.cross ? "wait cross-core flag " + std::to_string(r.id)
                  : "wait " + core::unitText(r.peer) + " id " + std::to_string(r.id),
          r.begin, r.end, r.pc, "");
}

// A flow event binds to the slice around it, so each end gets a slice of its own.
void TraceWriter::flag(const FlagRecord& r) {
  if (r.cross)
    return;
  const FlagKey key{r.core.dense, static_cast<uint8_t>(r.source), static_cast<uint8_t>(r.target), r.id};
  uint64_t arrow = 0;
  if (r.set) {
    arrow = next_arrow_++;
    arrows_[key].push_back(arrow);
  } else {
    std::deque<uint64_t>& sets = arrows_[key];
    if (sets.empty())
      return;
    arrow = sets.front();
    sets.pop_front();
  }
  if (!inWindow(r.at, r.at + 1))
    return;
  const unsigned row = slice(r.core, r.set ? r.source : r.target,
                             std::string(r.set ? "set_flag " : "wait_flag ") + core::unitText(r.source) +
                                 "->" + core::unitText(r.target) + " " + std::to_string(r.id),
                             r.at, r.at + 1, r.pc, "");
  event(std::string("\"ph\":\"") + (r.set ? "s" : "f\",\"bp\":\"e") +
        "\",\"cat\":\"flag\",\"name\":\"flag\",\"id\":" + std::to_string(arrow) + "," + rowKey(r.core, row) +
        ",\"ts\":" + number(us(r.at)));
}

} // namespace dlsim::observe
