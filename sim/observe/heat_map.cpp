#include "sim/observe/heat_map.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace dlsim::observe {

HeatMap::HeatMap(unsigned slices, std::function<uint64_t(unsigned)> requests, const sim::UbSpec& ub,
                 TraceWindow window)
    : requests_(std::move(requests)), ub_(ub), window_(window), sampled_(window.begin), counted_(slices) {
  for (unsigned i = 0; i < slices; ++i)
    counted_[i] = requests_(i);
}

void HeatMap::command(const CommandEffect& effect) {
  addSlices(effect.completed);
  addBanks(effect);
}

void HeatMap::fold() {
  const auto halve = [](Matrix& matrix) {
    for (size_t i = 0; i < matrix.size(); ++i)
      if (i % 2 == 0)
        matrix[i / 2] = matrix[i];
      else
        std::transform(matrix[i].begin(), matrix[i].end(), matrix[i / 2].begin(), matrix[i / 2].begin(),
                       std::plus<>());
    matrix.resize((matrix.size() + 1) / 2);
  };
  halve(slices_);
  for (auto& [core, matrix] : banks_)
    halve(matrix);
  width_ *= 2;
}

// Shares amounts evenly over the time from begin to end, as far as it is in the window.
void HeatMap::spread(Matrix& matrix, const std::vector<double>& amounts, Cycle begin, Cycle end) {
  const double length = static_cast<double>(std::max<Cycle>(end - begin, 1));
  end = std::min(std::max(end, begin + 1), window_.end);
  begin = std::max(begin, window_.begin);
  if (begin >= end)
    return;
  while ((end - 1 - window_.begin) / width_ >= kMostBins)
    fold();
  const size_t last = (end - 1 - window_.begin) / width_;
  if (matrix.size() <= last)
    matrix.resize(last + 1, std::vector<double>(amounts.size()));
  for (size_t bin = (begin - window_.begin) / width_; bin <= last; ++bin) {
    const Cycle from = window_.begin + bin * width_, to = from + width_;
    const double share = static_cast<double>(std::min(to, end) - std::max(from, begin)) / length;
    for (size_t i = 0; i < amounts.size(); ++i)
      matrix[bin][i] += share * amounts[i];
  }
}

// The slices' counters are looked at when a command completes; what came since the last time is shared evenly
// over the time between.
void HeatMap::addSlices(Cycle now) {
  if (now < sampled_ + width_ || sampled_ >= window_.end)
    return;
  std::vector<double> fresh(counted_.size());
  for (unsigned i = 0; i < counted_.size(); ++i) {
    const uint64_t count = requests_(i);
    // A launch sets the counters to zero.
    fresh[i] = static_cast<double>(count < counted_[i] ? count : count - counted_[i]);
    counted_[i] = count;
  }
  spread(slices_, fresh, sampled_, now);
  sampled_ = now;
}

void HeatMap::addBanks(const CommandEffect& effect) {
  std::vector<double> bytes;
  for (const core::Footprint& footprint : effect.footprints)
    if (footprint.space == core::Space::UB && !footprint.empty()) {
      bytes.resize(banks());
      countBlocks(footprint, bytes);
    }
  if (!bytes.empty() && effect.completed > window_.begin && effect.started < window_.end)
    spread(banks_[name_ ? name_(effect.core) : std::to_string(effect.core.dense)], bytes, effect.started,
           effect.completed);
}

void HeatMap::countBlocks(const core::Footprint& footprint, std::vector<double>& bytes) const {
  for (uint32_t outer = 0; outer < footprint.count1; ++outer)
    for (uint32_t inner = 0; inner < footprint.count0; ++inner) {
      uint64_t at =
          footprint.address + static_cast<uint64_t>(outer * footprint.stride1 + inner * footprint.stride0);
      for (uint64_t left = footprint.bytes; left > 0;) {
        const uint64_t piece = std::min<uint64_t>(left, ub_.rowBytes - at % ub_.rowBytes);
        const uint64_t group = at / ub_.rowBytes % ub_.groups;
        const uint64_t bank = at / (static_cast<uint64_t>(ub_.bankBytes) * ub_.groups) % ub_.banksPerGroup;
        bytes[group + ub_.groups * bank] += static_cast<double>(piece);
        at += piece;
        left -= piece;
      }
    }
}

std::string HeatMap::json(double clock_mhz) const {
  std::ostringstream out;
  const auto write = [&](const Matrix& matrix) {
    out << '[';
    for (size_t i = 0; i < matrix.size(); ++i) {
      out << (i ? ",\n[" : "\n[");
      for (size_t j = 0; j < matrix[i].size(); ++j)
        out << (j ? "," : "") << std::llround(matrix[i][j]);
      out << ']';
    }
    out << ']';
  };
  out << "{\"clock_mhz\":" << clock_mhz << ",\"begin_cycle\":" << window_.begin
      << ",\"bin_cycles\":" << width_ << ",\"ub_groups\":" << ub_.groups << ",\"l2_requests\":";
  write(slices_);
  out << ",\"ub_bytes\":{";
  const char* separator = "";
  for (const auto& [core, matrix] : banks_) {
    out << separator << "\n\"" << core << "\":";
    write(matrix);
    separator = ",";
  }
  out << "}}\n";
  return out.str();
}

} // namespace dlsim::observe
