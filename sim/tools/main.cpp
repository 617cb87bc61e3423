#include "sim/casefile/input_error.h"
#include "sim/config/chip_file.h"
#include "sim/core/fault.h"
#include "sim/tools/chips_command.h"
#include "sim/tools/info_command.h"
#include "sim/tools/options.h"
#include "sim/tools/run_command.h"

#include "isa/dlk/format_error.h"

#include <cstdio>
#include <exception>
#include <systemc>

namespace {

int dispatch(const dlsim::tools::Options& options) {
  using Command = dlsim::tools::Options::Command;
  switch (options.command) {
  case Command::Info:
    return dlsim::tools::infoCommand(options.info);
  case Command::Chips:
    return dlsim::tools::chipsCommand(options.chips);
  default:
    return dlsim::tools::runCommand(options.run);
  }
}

} // namespace

// libsystemc refers to it; the program has a main of its own.
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  using namespace dlsim::tools;
  int code = kOk;
  try {
    std::optional<Options> options = parseOptions(argc, argv, code);
    return options ? dispatch(*options) : code;
  } catch (const dlsim::core::FaultError& error) {
    std::fprintf(stderr, "dlsim: fault: %s\n", error.what());
    return kFaulted;
  } catch (const std::exception& error) { // bad input of any kind; each text names the file and the value
    std::fprintf(stderr, "dlsim: error: %s\n", error.what());
    return kBadInput;
  }
}
