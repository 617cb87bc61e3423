// trace.json, written while the run goes on, and heat.json beside it.
#pragma once

#include "sim/observe/heat_map.h"
#include "sim/observe/trace.h"
#include "sim/tools/options.h"
#include "sim/tools/output_folder.h"

#include "isa/dlk/kernel.h"

#include <fstream>
#include <memory>
#include <string>

namespace dlsim::chip {
class Session;
}
namespace dlsim::sim {
struct ChipSpec;
}

namespace dlsim::tools {

class TraceFile {
public:
  // `range` counts from now on, when the task begins. Watches the session until it is closed.
  TraceFile(OutputFolder& out, const TraceRange& range, const sim::ChipSpec& chip, const dlk::Kernel& kernel,
            chip::Session& session);
  // Ends the files; throws casefile::InputError when not all could be written.
  void close();

private:
  OutputFolder& folder_;
  chip::Session& session_;
  double clock_mhz_;
  std::string partial_;
  std::ofstream out_;
  std::unique_ptr<observe::TraceWriter> writer_;
  std::unique_ptr<observe::HeatMap> heat_;
};

} // namespace dlsim::tools
