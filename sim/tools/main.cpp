#include "sim/casefile/input_error.h"
#include "sim/config/chip_file.h"
#include "sim/core/fault.h"
#include "sim/tools/chips_command.h"
#include "sim/tools/compare_command.h"
#include "sim/tools/info_command.h"
#include "sim/tools/options.h"
#include "sim/tools/run_command.h"
#include "sim/tools/timeline_command.h"

#include "isa/dlk/format_error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <systemc>

namespace {

int dispatch(const dlsim::tools::Options& options) {
  using Command = dlsim::tools::Options::Command;
  switch (options.command) {
  case Command::Info:
    return dlsim::tools::infoCommand(options.info);
  case Command::Chips:
    return dlsim::tools::chipsCommand(options.chips);
  case Command::Compare:
    return dlsim::tools::compareCommand(options.compare);
  case Command::Timeline:
    return dlsim::tools::timelineCommand(options.timeline);
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
    code = options ? dispatch(*options) : code;
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
      std::fprintf(stderr, "dlsim: error: standard output cannot be written%s%s\n", errno ? ": " : "",
                   errno ? std::strerror(errno) : "");
      return kBadInput;
    }
    return code;
  } catch (const std::bad_alloc&) {
    std::fprintf(
        stderr,
        "dlsim: error: not enough memory: the case's tensors or the kernel's stacks and workspace are "
        "larger than this machine can hold\n");
    return kBadInput;
  } catch (const dlsim::core::FaultError& error) {
    std::fprintf(stderr, "dlsim: fault: %s\n", error.what());
    return kFaulted;
  } catch (const std::exception& error) { // bad input of any kind; each text names the file and the value
    std::fprintf(stderr, "dlsim: error: %s\n", error.what());
    return kBadInput;
  }
}
