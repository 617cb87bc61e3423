// trace.json, written while the run goes on.
#pragma once

#include "sim/observe/trace.h"
#include "sim/tools/options.h"
#include "sim/tools/output_folder.h"

#include "isa/dlk/kernel.h"

#include <fstream>
#include <memory>
#include <string>

namespace dlsim::sim {
struct ChipSpec;
}

namespace dlsim::tools {

class TraceFile {
public:
  // `range` counts from `start`, the calendar's cycle in which the task begins.
  TraceFile(OutputFolder& out, const TraceRange& range, const sim::ChipSpec& chip, const dlk::Kernel& kernel,
            core::Cycle start);
  observe::Observer& observer() { return *writer_; }
  // Ends the file; throws casefile::InputError when not all could be written.
  void close();

private:
  std::string partial_;
  std::ofstream out_;
  std::unique_ptr<observe::TraceWriter> writer_;
};

} // namespace dlsim::tools
