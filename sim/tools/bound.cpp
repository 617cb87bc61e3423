#include "sim/tools/bound.h"

#include "sim/tools/run_command.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dlsim::tools {
namespace {

using Named = std::pair<double, const char*>;

Named longestOf(const Bound& b) {
  const std::array<Named, 4> all{Named{b.cube, "cube of the busiest core"},
                                 Named{b.copies, "copies to L1 of the busiest core"}, Named{b.l2, "L2"},
                                 Named{b.hbm, "HBM"}};
  return *std::max_element(all.begin(), all.end(),
                           [](const Named& x, const Named& y) { return x.first < y.first; });
}

} // namespace

double Bound::longest() const { return longestOf(*this).first; }
const char* Bound::longestName() const { return longestOf(*this).second; }

Bound boundOf(const Run& run) {
  Bound bound;
  if (!run.macs)
    return bound;
  const sim::ChipSpec& chip = *run.chip;
  bound.head = static_cast<double>(run.result.head);
  bound.cube = run.busiestCubeCycles;
  double all = 0;
  for (const observe::CoreCounters& core : run.result.counters.cores) {
    const double bytes = static_cast<double>(core.gm_read_bytes);
    all += bytes;
    if (chip.kinds[core.core.kind].hasUnit("M"))
      bound.copies = std::max(bound.copies, bytes / chip.dma.nd2nzBytesPerCycle);
  }
  bound.l2 = all / (chip.l2.slices * chip.noc.sliceReadBytes);
  const observe::MemoryCounters& m = run.result.counters.memory;
  bound.hbm = static_cast<double>(m.hbm_read_bytes + m.hbm_write_bytes) /
              (chip.hbm.channels() * chip.hbm.channelBytes * chip.hbm.efficiency);
  return bound;
}

} // namespace dlsim::tools
