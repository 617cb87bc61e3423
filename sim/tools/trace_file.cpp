#include "sim/tools/trace_file.h"

#include "sim/casefile/input_error.h"
#include "sim/chip/session.h"
#include "sim/config/chip_spec.h"
#include "sim/memory/memory_system.h"
#include "sim/tools/run_files.h"
#include "sim/tools/source_view.h"

namespace dlsim::tools {

TraceFile::TraceFile(OutputFolder& out, const TraceRange& range, const sim::ChipSpec& chip,
                     const dlk::Kernel& kernel, chip::Session& session)
    : folder_(out), session_(session), clock_mhz_(chip.clockMhz), partial_(out.partial(kTraceName)),
      out_(partial_) {
  if (!out_)
    throw casefile::InputError(partial_ + ": cannot be written");
  const core::Cycle start = session.system().now();
  const auto shift = [&](core::Cycle c) { return c > ~core::Cycle{0} - start ? ~core::Cycle{0} : c + start; };
  const observe::TraceWindow window{shift(range.begin), shift(range.end)};
  writer_ = std::make_unique<observe::TraceWriter>(out_, chip.clockMhz, window);
  writer_->setSource(
      [&chip, &kernel](unsigned kind, uint32_t pc) { return sourceText(chip, kernel, kind, pc); });
  const sim::MemorySystem& memory = session.system().memorySystem();
  heat_ = std::make_unique<observe::HeatMap>(
      memory.slices(), [&memory](unsigned slice) { return memory.sliceCounters(slice).requests; }, chip.ub,
      window);
  const auto name = [&chip](const core::CoreId& id) { return coreName(chip, id); };
  writer_->setCoreName(name);
  heat_->setCoreName(name);
  session.subscribe(*writer_);
  session.subscribe(*heat_);
}

void TraceFile::close() {
  session_.unsubscribe(*writer_);
  session_.unsubscribe(*heat_);
  writer_->close();
  out_.close();
  if (!out_)
    throw casefile::InputError(partial_ + ": cannot be written");
  folder_.addText(kHeatName, heat_->json(clock_mhz_));
}

} // namespace dlsim::tools
