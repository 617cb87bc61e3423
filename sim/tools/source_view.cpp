#include "sim/tools/source_view.h"

#include "sim/config/chip_spec.h"
#include "sim/tools/run_command.h"

#include "isa/tables/tables.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace dlsim::tools {

namespace {

// The ISA's kind of a core kind of the chip file, by the name of its text section.
isa::CoreKind isaKind(const sim::ChipSpec& chip, unsigned kind) {
  return chip.kinds.at(kind).name == "aiv" ? isa::CoreKind::AIV : isa::CoreKind::AIC;
}

struct Loop {
  size_t first, last; // word of the target bundle, word of the branch
};

// Loops are backward branches; innermost ones contain no other.
std::vector<Loop> innermostLoops(const dlk::Text& text) {
  std::vector<Loop> loops;
  for (size_t i = 0; i < text.words.size(); ++i) {
    std::optional<isa::Decoded> word = isa::decode(text.words[i]);
    if (word && word->info->isBranch && !word->info->isIndirect && word->imm < 0)
      loops.push_back({static_cast<size_t>(static_cast<int64_t>(i) + word->imm), i});
  }
  std::vector<Loop> inner;
  for (const Loop& a : loops)
    if (std::none_of(loops.begin(), loops.end(), [&](const Loop& b) {
          return (a.first != b.first || a.last != b.last) && b.first >= a.first && b.last <= a.last;
        }))
      inner.push_back(a);
  return inner;
}

LoopOccupancy occupancyOf(const Run& run, const dlk::Text& text, unsigned kind, const Loop& loop) {
  LoopOccupancy result;
  uint64_t words = 0, commands = 0;
  for (size_t i = loop.first; i <= loop.last;) {
    size_t end = i;
    while (text.words[end] >> 63 && end < loop.last)
      ++end;
    for (size_t w = i; w <= end; ++w) {
      const isa::InstrInfo* info = isa::decode(text.words[w]) ? isa::decode(text.words[w])->info : nullptr;
      commands += info && info->isCommand;
      result.mmad = result.mmad || (info && info->opcode == isa::Opcode::MMAD);
    }
    auto place = run.result.counters.by_pc.find(uint64_t{kind} << 32 | i * isa::kWordBytes);
    if (place != run.result.counters.by_pc.end()) {
      result.issued += place->second.issue;
      words += place->second.issue * (end + 1 - i);
    }
    i = end + 1;
  }
  if (!commands)
    result.issued = 0;
  result.words = result.issued ? static_cast<double>(words) / static_cast<double>(result.issued) : 0;
  // Scheduling leaves some words without a line.
  for (size_t i = loop.first; i <= loop.last && result.source.empty(); ++i)
    result.source = sourceText(*run.chip, *run.kernel, kind, static_cast<uint32_t>(i * isa::kWordBytes));
  return result;
}

} // namespace

std::string sourceText(const sim::ChipSpec& chip, const dlk::Kernel& kernel, unsigned kind, uint32_t pc) {
  std::optional<dlk::SourceLine> line = kernel.sourceLine(isaKind(chip, kind), pc / isa::kWordBytes);
  if (!line)
    return "";
  std::string file = line->file;
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(line->line);
}

std::string coreName(const sim::ChipSpec& chip, const core::CoreId& id) {
  std::string name = chip.kinds.at(id.kind).name;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name + std::to_string(id.index);
}

std::vector<LineStalls> stallsByLine(const Run& run) {
  std::map<std::string, LineStalls> lines;
  for (const auto& [place, stalls] : run.result.counters.by_pc) {
    std::string source =
        sourceText(*run.chip, *run.kernel, static_cast<unsigned>(place >> 32), static_cast<uint32_t>(place));
    LineStalls& line = lines[source];
    line.source = source.empty() ? "(no line)" : source;
    for (unsigned i = 0; i < observe::kStalls; ++i) {
      line.cycles[i] += stalls.cycles[i];
      line.total += stalls.cycles[i];
    }
  }
  std::vector<LineStalls> sorted;
  for (auto& [source, line] : lines)
    if (line.total)
      sorted.push_back(line);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(b.total, a.source) < std::tie(a.total, b.source);
  });
  return sorted;
}

std::vector<LoopOccupancy> loopOccupancy(const Run& run) {
  std::vector<LoopOccupancy> loops;
  for (unsigned kind = 0; kind < run.chip->kinds.size(); ++kind) {
    const std::optional<dlk::Text>& text = run.kernel->text(isaKind(*run.chip, kind));
    if (!text)
      continue;
    for (const Loop& loop : innermostLoops(*text)) {
      LoopOccupancy o = occupancyOf(run, *text, kind, loop);
      if (o.issued)
        loops.push_back(o);
    }
  }
  std::sort(loops.begin(), loops.end(), [](const auto& a, const auto& b) {
    return std::tie(b.issued, a.source) < std::tie(a.issued, b.source);
  });
  return loops;
}

} // namespace dlsim::tools
