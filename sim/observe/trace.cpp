#include "sim/observe/trace.h"

#include "isa/tables/hex.h"

#include <cstdio>

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

std::string place(const CoreId& core, Unit unit) {
  return "\"pid\":" + std::to_string(core.dense) + ",\"tid\":" + std::to_string(static_cast<unsigned>(unit));
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

// Names of the process and the row, once each.
void TraceWriter::row(const CoreId& core, Unit unit) {
  if (rows_.size() <= core.dense)
    rows_.resize(core.dense + 1u);
  uint8_t& seen = rows_[core.dense];
  if (!seen)
    event("\"ph\":\"M\",\"name\":\"process_name\"," + place(core, unit) + ",\"args\":{\"name\":\"" +
          escaped(name_ ? name_(core) : "core " + std::to_string(core.dense)) + "\"}");
  const auto bit = static_cast<uint8_t>(1u << static_cast<unsigned>(unit));
  if (!(seen & bit))
    event("\"ph\":\"M\",\"name\":\"thread_name\"," + place(core, unit) + ",\"args\":{\"name\":\"" +
          (unit == Unit::S ? std::string("SCALAR") : core::unitText(unit)) + "\"}");
  seen |= bit;
}

void TraceWriter::slice(const CoreId& core, Unit unit, const std::string& name, Cycle begin, Cycle end,
                        uint32_t pc, const std::string& more) {
  row(core, unit);
  const std::string source = source_ ? source_(core.kind, pc) : std::string();
  event("\"ph\":\"X\",\"name\":\"" + escaped(name) + "\"," + place(core, unit) +
        ",\"ts\":" + number(us(begin)) + ",\"dur\":" + number(us(end - begin)) + ",\"args\":{\"pc\":\"" +
        isa::hex(pc) + "\"" + (source.empty() ? "" : ",\"source\":\"" + escaped(source) + "\"") + more + "}");
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
  const Unit unit = r.set ? r.source : r.target;
  slice(r.core, unit,
        std::string(r.set ? "set_flag " : "wait_flag ") + core::unitText(r.source) + "->" +
            core::unitText(r.target) + " " + std::to_string(r.id),
        r.at, r.at + 1, r.pc, "");
  event(std::string("\"ph\":\"") + (r.set ? "s" : "f\",\"bp\":\"e") +
        "\",\"cat\":\"flag\",\"name\":\"flag\",\"id\":" + std::to_string(arrow) + "," + place(r.core, unit) +
        ",\"ts\":" + number(us(r.at)));
}

} // namespace dlsim::observe
