#include "sim/tools/options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace dlsim::tools {

namespace {

constexpr const char* kVersion = "dlsim 0.1.0";

core::Cycle cycleOf(const std::string& text, core::Cycle missing) {
  if (text.empty())
    return missing;
  if (text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
    throw CLI::ValidationError("--trace", "window '" + text + "' is not a number of cycles");
  return std::stoull(text);
}

// "all", "BEGIN:END", "BEGIN:" or ":END".
TraceRange traceRange(const std::string& text) {
  if (text == "all" || text == "true")
    return {};
  size_t colon = text.find(':');
  if (colon == std::string::npos)
    throw CLI::ValidationError("--trace", "window '" + text + "' is not BEGIN:END in cycles");
  TraceRange range{cycleOf(text.substr(0, colon), 0), cycleOf(text.substr(colon + 1), ~core::Cycle{0})};
  if (range.end <= range.begin)
    throw CLI::ValidationError("--trace", "window '" + text + "' is empty");
  return range;
}

void applyChecks(const std::string& list, RunOptions& run) {
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    const bool all = name == "true" || name == "all";
    const std::pair<const char*, bool*> known[] = {{"mem", &run.checkMemory},
                                                   {"race", &run.checkRace},
                                                   {"init", &run.checkInit},
                                                   {"sync", &run.checkSync}};
    bool found = all;
    for (const auto& [check, on] : known)
      if (all || name == check)
        *on = found = true;
    if (!found)
      throw CLI::ValidationError("--check", "unknown check '" + name + "'; known: mem race init sync");
  }
}

std::string notEmpty(const std::string& text) { return text.empty() ? "is an empty text" : ""; }

struct Texts {
  std::string trace, check, window, pmu = "profiler", metrics = "Default";
};

void addRun(CLI::App& app, RunOptions& run, Texts& texts) {
  app.add_option("kernel", run.kernel, "kernel binary (.dlk)")->required();
  app.add_option("--args", run.args, "case file: grid, arguments, tensors (JSON)")->required();
  app.add_option("--out", run.out, "folder for outputs.npz, counters and trace")->check(notEmpty);
  app.add_option("--chip", run.chip, "chip by name or file; default: the one the kernel was compiled for")
      ->check(notEmpty);
  app.add_option("-D,--define", run.overrides, "set a chip parameter, KEY=VALUE; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--check{all}", texts.check,
               "checks of the run: mem, race, init, sync (comma-separated); all without a value");
  app.add_flag("--timing-only", run.timingOnly, "move no values; only cycles are computed");
  app.add_option("--max-cycles", run.maxCycles, "stop a program that runs longer")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  app.add_option("--quantum", run.quantum, "calendar cycles per SystemC activation (speed only)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32));
  app.add_option("--cores", run.cores, "use only the first N cores of the kernel's kind")
      ->check(CLI::PositiveNumber);
  app.add_option("--warmup", run.warmup, "launches before the measured one, which leave the L2 warm");
  app.add_flag("--trace{all}", texts.trace,
               "write trace.json and heat.json; with =BEGIN:END only that window of cycles");
  app.add_option("--pmu", texts.pmu, "conventions of the CSV files")
      ->check(CLI::IsMember({"profiler", "corrected"}));
  app.add_option("--aic-metrics", texts.metrics,
                 "MemoryDetail adds the bandwidths of MTE1 and MTE2 while they work")
      ->check(CLI::IsMember({"Default", "MemoryDetail"}));
  app.add_flag("--instructions", run.instructions, "CSV files of each core by instruction and source line");
  app.add_flag("--visualize", run.visualize, "tables of pipes, paths and roofs on the terminal");
  app.add_flag("-q,--quiet", run.quiet, "no summary on the terminal");
}

void addCompare(CLI::App& app, CompareOptions& compare) {
  app.add_option("model", compare.model,
                 "a run's folder (dlsim run --out), a folder of such folders, or a CSV file")
      ->required();
  app.add_option("device", compare.device,
                 "a profiler's folder, op_summary*.csv, a table of GPU counters, or a folder of these")
      ->required();
  app.add_option("--metric", compare.metric, "only metrics with this in their name")->check(notEmpty);
  app.add_option("--out", compare.out, "write the comparison as CSV too")->check(notEmpty);
  app.add_option("--within", compare.within, "exit with 1 if a case's time is further off, in percent")
      ->check(CLI::NonNegativeNumber);
}

void addTimeline(CLI::App& app, TimelineOptions& timeline, std::string& window) {
  app.add_option("run", timeline.run, "folder of a run with --trace")->required();
  app.add_option("-o,--out", timeline.out, "the picture (SVG)")->required()->check(notEmpty);
  app.add_option("--cores", timeline.cores, "cores to draw (default: AIC0,AIV0,AIV1)")->delimiter(',');
  app.add_option("--window", window, "BEGIN:END in microseconds (default: all that the trace holds)");
}

// "BEGIN:END", "BEGIN:" or ":END" in microseconds.
void applyWindow(const std::string& text, TimelineOptions& timeline) {
  const size_t colon = text.find(':');
  const auto bound = [&](const std::string& part) -> std::optional<double> {
    if (part.empty())
      return std::nullopt;
    double value = 0;
    if (!CLI::detail::lexical_cast(part, value) || value < 0)
      throw CLI::ValidationError("--window", "'" + part + "' is not a time in microseconds");
    return value;
  };
  if (colon == std::string::npos)
    throw CLI::ValidationError("--window", "'" + text + "' is not BEGIN:END in microseconds");
  timeline.begin = bound(text.substr(0, colon));
  timeline.end = bound(text.substr(colon + 1));
}

// `dlsim k.dlk ...` means `dlsim run k.dlk ...`; a word that is no file is a mistaken command.
std::vector<std::string> words(int argc, char** argv) {
  std::vector<std::string> list(argv + 1, argv + argc);
  static const std::vector<std::string> known = {"run", "info", "chips", "compare", "timeline"};
  const bool isCommand = !list.empty() && std::find(known.begin(), known.end(), list[0]) != known.end();
  if (!list.empty() && list[0].rfind('-', 0) != 0 && !isCommand) {
    std::error_code ignored;
    if (list[0].find_first_of("./") == std::string::npos && !std::filesystem::exists(list[0], ignored))
      throw CLI::ValidationError(
          "'" + list[0] + "'",
          "no command and no file; the commands are run, info, chips, compare, timeline");
    list.insert(list.begin(), "run");
  }
  std::reverse(list.begin(), list.end()); // CLI11 takes them from the end
  return list;
}

} // namespace

std::optional<Options> parseOptions(int argc, char** argv, int& code) {
  Options options;
  Texts texts;
  CLI::App app("Runs kernel binaries on a model of an Ascend 910B-class chip.", "dlsim");
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  app.footer("Exit codes: 0 ok, 1 wrong values or failed check, 2 bad usage or bad input, 3 the simulated "
             "program faulted.\n"
             "`dlsim k.dlk ...` is short for `dlsim run k.dlk ...`.");
  CLI::App* run = app.add_subcommand("run", "run a kernel and report values and cycles");
  addRun(*run, options.run, texts);
  CLI::App* info = app.add_subcommand("info", "what a kernel binary holds");
  info->add_option("kernel", options.info.kernel, "kernel binary (.dlk)")->required();
  CLI::App* chips = app.add_subcommand("chips", "the chips that dlsim knows");
  CLI::App* show = chips->add_subcommand("show", "every parameter of a chip, with its source");
  show->add_option("name", options.chips.show, "chip by name or file")->required();
  show->add_option("-D,--define", options.chips.overrides, "set a chip parameter, KEY=VALUE")
      ->allow_extra_args(false);
  CLI::App* diff = chips->add_subcommand("diff", "parameters in which two chips differ");
  diff->add_option("names", options.chips.diff, "two chips by name or file")->required()->expected(2);
  CLI::App* compare = app.add_subcommand("compare", "a device's measurements beside the model's");
  addCompare(*compare, options.compare);
  CLI::App* timeline = app.add_subcommand("timeline", "draws what the units of some cores did");
  addTimeline(*timeline, options.timeline, texts.window);
  try {
    app.parse(words(argc, argv));
    if (!texts.window.empty())
      applyWindow(texts.window, options.timeline);
    if (!texts.check.empty())
      applyChecks(texts.check, options.run);
    if (!texts.trace.empty())
      options.run.trace = traceRange(texts.trace);
    if (options.run.trace && options.run.out.empty())
      throw CLI::ValidationError("--trace", "needs --out, the folder to write trace.json to");
  } catch (const CLI::ParseError& error) {
    code = app.exit(error, std::cout, std::cerr) == 0 ? kOk : kBadInput;
    return std::nullopt;
  }
  options.run.memoryDetail = texts.metrics == "MemoryDetail";
  options.run.correctedPmu = texts.pmu == "corrected";
  options.command = *info       ? Options::Command::Info
                    : *chips    ? Options::Command::Chips
                    : *compare  ? Options::Command::Compare
                    : *timeline ? Options::Command::Timeline
                                : Options::Command::Run;
  return options;
}

} // namespace dlsim::tools
