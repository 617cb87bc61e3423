// How busy the L2 slices and the banks of UB are over time, as matrices of a limited size: time is cut into
// bins, whose width doubles whenever there would be too many.
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/observe/observer.h"
#include "sim/observe/trace.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dlsim::observe {

class HeatMap final : public Observer {
public:
  static constexpr size_t kMostBins = 256;
  static constexpr Cycle kFirstWidth = 16;

  // requests(slice): what the slice has served so far. What lies outside of the window is left out.
  HeatMap(unsigned slices, std::function<uint64_t(unsigned slice)> requests, const sim::UbSpec& ub,
          TraceWindow window = {});

  void setCoreName(std::function<std::string(const CoreId&)> name) { name_ = std::move(name); }
  void command(const CommandEffect& effect) override;

  // Requests of each slice in each bin; bytes read or written in each bank of UB of each core in each bin. A
  // bank's number is that of its group plus groups times that within the group.
  std::string json(double clock_mhz) const;

private:
  // Rows are bins, columns slices or banks.
  using Matrix = std::vector<std::vector<double>>;

  size_t banks() const { return static_cast<size_t>(ub_.groups) * ub_.banksPerGroup; }
  void fold();
  void spread(Matrix& matrix, const std::vector<double>& amounts, Cycle begin, Cycle end);
  void addSlices(Cycle now);
  void addBanks(const CommandEffect& effect);
  void countBlocks(const core::Footprint& footprint, std::vector<double>& bytes) const;

  std::function<uint64_t(unsigned)> requests_;
  std::function<std::string(const CoreId&)> name_;
  sim::UbSpec ub_;
  TraceWindow window_;
  Cycle width_ = kFirstWidth;
  Cycle sampled_ = 0;             // the slices' counts are known up to here
  std::vector<uint64_t> counted_; // of each slice
  Matrix slices_;
  std::map<std::string, Matrix> banks_; // by core
};

} // namespace dlsim::observe
