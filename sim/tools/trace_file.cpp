#include "sim/tools/trace_file.h"

#include "sim/casefile/input_error.h"
#include "sim/config/chip_spec.h"
#include "sim/tools/source_view.h"

namespace dlsim::tools {

TraceFile::TraceFile(OutputFolder& out, const TraceRange& range, const sim::ChipSpec& chip,
                     const dlk::Kernel& kernel, core::Cycle start)
    : partial_(out.partial("trace.json")), out_(partial_) {
  if (!out_)
    throw casefile::InputError(partial_ + ": cannot be written");
  const auto shift = [&](core::Cycle c) { return c > ~core::Cycle{0} - start ? ~core::Cycle{0} : c + start; };
  writer_ = std::make_unique<observe::TraceWriter>(
      out_, chip.clockMhz, observe::TraceWindow{shift(range.begin), shift(range.end)});
  writer_->setSource(
      [&chip, &kernel](unsigned kind, uint32_t pc) { return sourceText(chip, kernel, kind, pc); });
  writer_->setCoreName([&chip](const core::CoreId& id) { return coreName(chip, id); });
}

void TraceFile::close() {
  writer_->close();
  out_.close();
  if (!out_)
    throw casefile::InputError(partial_ + ": cannot be written");
}

} // namespace dlsim::tools
