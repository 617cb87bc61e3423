#include "sim/tools/run_command.h"

#include "sim/casefile/input_error.h"
#include "sim/casefile/npz.h"
#include "sim/config/chip_file.h"
#include "sim/memory/global_memory.h"
#include "sim/observe/checks.h"
#include "sim/tools/finding_text.h"
#include "sim/tools/instruction_csv.h"
#include "sim/tools/machine_counts.h"
#include "sim/tools/output_folder.h"
#include "sim/tools/printed.h"
#include "sim/tools/profile_csv.h"
#include "sim/tools/progress.h"
#include "sim/tools/run_files.h"
#include "sim/tools/summary_json.h"
#include "sim/tools/summary_text.h"
#include "sim/tools/trace_file.h"
#include "sim/tools/visualize.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

namespace dlsim::tools {

using casefile::InputError;

double Run::macEfficiency() const {
  double cubes = 0;
  for (const sim::CoreKindSpec& kind : chip->kinds)
    if (kind.hasUnit("M"))
      cubes += chip->count(kind.name);
  double available = cubes * static_cast<double>(result.cycles);
  return available > 0 ? idealCubeCycles / available : 0;
}

bool Run::valuesOk() const {
  return std::all_of(differences.begin(), differences.end(), [](const auto& d) { return d.second.ok(); });
}

namespace {

// The case's arguments are the kernel's, by position.
void checkArguments(const dlk::Kernel& kernel, const casefile::Case& c) {
  auto list = [](const auto& args) {
    std::string names;
    for (const auto& arg : args)
      names += (names.empty() ? "" : ", ") + arg.name;
    return names;
  };
  if (kernel.args.size() != c.args.size())
    throw InputError(c.path + ": has " + std::to_string(c.args.size()) + " arguments (" + list(c.args) +
                     "), but kernel '" + kernel.name + "' takes " + std::to_string(kernel.args.size()) +
                     " (" + list(kernel.args) + ")");
  for (size_t i = 0; i < c.args.size(); ++i) {
    const casefile::Arg& given = c.args[i];
    const dlk::Argument& wanted = kernel.args[i];
    bool tensor = wanted.kind == dlk::Argument::Kind::Tensor;
    if (given.tensor != tensor || !given.fits(wanted.dtype))
      throw InputError(c.path + ": argument " + std::to_string(i) + " '" + given.name + "' is a " +
                       (given.tensor ? "tensor of " : "scalar ") + given.dtype + ", but kernel '" +
                       kernel.name + "' takes a " + (tensor ? "tensor of " : "scalar ") + wanted.dtype +
                       " ('" + wanted.name + "')");
  }
}

// What a launch may be is told by the case, the kernel and the chip together.
void checkLaunch(const dlk::Kernel& kernel, const casefile::Case& c, const RunOptions& options,
                 const sim::ChipSpec& chip) {
  static const std::string kAnyKernel = "kernel"; // dlc's own assembly calls the entry of every kernel so
  if (!c.kernel.empty() && c.kernel != kernel.name && kernel.name != kAnyKernel)
    throw InputError(c.path + ": is a case of kernel '" + c.kernel + "', but " + kernel.path +
                     " holds kernel '" + kernel.name + "'");
  for (size_t axis = kernel.grid.rank; axis < c.grid.size(); ++axis)
    if (c.grid[axis] != 1)
      throw InputError(c.path + ": the grid has " + std::to_string(c.grid[axis]) + " programs along axis " +
                       std::to_string(axis) + ", but kernel '" + kernel.name +
                       "' was compiled for a grid of " + std::to_string(kernel.grid.rank) +
                       (kernel.grid.rank == 1 ? " axis" : " axes") + " and would run the first of them only");
  const std::pair<const char*, unsigned> counted[] = {{"aic", kernel.aicPerCluster},
                                                      {"aiv", kernel.aivPerCluster}};
  for (const auto& [name, cores] : counted)
    if (const sim::CoreKindSpec* known = chip.kind(name); known && cores && known->perCluster != cores)
      throw InputError(kernel.path + ": kernel '" + kernel.name + "' counts on " + std::to_string(cores) +
                       " " + name + " cores in a cluster, but core." + name + ".per_cluster of chip " +
                       chip.name + " is " + std::to_string(known->perCluster) +
                       (known->hasUnit("V") ? "; compile it with --bind-sub-cores=off" : ""));
  const std::string kind(
      dlk::kindName(kernel.kind == dlk::KernelKind::Aiv ? kernel.kind : dlk::KernelKind::Aic));
  if (options.cores > chip.count(kind))
    throw InputError("--cores " + std::to_string(options.cores) + ": chip " + chip.name + " has " +
                     std::to_string(chip.count(kind)) + " cores of kind " + kind + ", on which kernel '" +
                     kernel.name + "' runs");
}

// Tensors in device memory.
class Tensors {
public:
  Tensors(chip::Session& session, const casefile::Case& c, const casefile::CaseData& data)
      : session_(session), case_(c), data_(data) {
    for (const casefile::Arg& arg : c.args)
      slots_.push_back(arg.tensor ? session.allocate(std::max<uint64_t>(arg.data.bytes(), 1), arg.name)
                                  : arg.slot);
  }
  const std::vector<uint64_t>& slots() const { return slots_; }
  void writeInputs() {
    for (size_t i = 0; i < slots_.size(); ++i)
      if (!data_.inputs[i].empty())
        session_.write(slots_[i], data_.inputs[i].data(), data_.inputs[i].size());
      else if (case_.args[i].tensor)
        session_.zero(slots_[i], case_.args[i].data.bytes());
  }
  std::vector<uint8_t> read(size_t i) const {
    std::vector<uint8_t> bytes(case_.args[i].data.bytes());
    if (!bytes.empty())
      session_.read(slots_[i], bytes.data(), bytes.size());
    return bytes;
  }

private:
  chip::Session& session_;
  const casefile::Case& case_;
  const casefile::CaseData& data_;
  std::vector<uint64_t> slots_;
};

chip::Launch launchOf(const Run& run, const Tensors& tensors) {
  chip::Launch launch;
  launch.kernel = run.kernel;
  launch.args = tensors.slots();
  launch.grid = run.input->grid;
  launch.max_cycles = run.options->maxCycles;
  launch.cores = run.options->cores;
  return launch;
}

using Outputs = std::vector<std::pair<std::string, casefile::Array>>;

Outputs readOutputs(Run& run, const Tensors& tensors, const casefile::CaseData& data) {
  Outputs outputs;
  const std::vector<casefile::Arg>& args = run.input->args;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].tensor || !args[i].data.output)
      continue;
    std::vector<uint8_t> got = tensors.read(i);
    if (data.expected[i])
      run.differences.emplace_back(args[i].name, casefile::compare(args[i].data.dtype, args[i].data.shape,
                                                                   got.data(), data.expected[i]->data(),
                                                                   run.input->toleranceOf(args[i].data)));
    else
      run.unchecked.push_back(args[i].name);
    outputs.emplace_back("out_" + args[i].name, casefile::Array{casefile::descrOf(args[i].data.dtype),
                                                                args[i].data.shape, std::move(got)});
  }
  return outputs;
}

void writeReports(const Run& run, const Outputs& outputs, const InstructionProfile& instructions,
                  OutputFolder& out) {
  if (!out.exists())
    return;
  if (!run.options->timingOnly && !outputs.empty())
    out.add(kOutputsName, [&](const std::string& path) { casefile::writeNpz(path, outputs); });
  for (const auto& [name, text] : profileCsvs(run))
    out.addText(name, text);
  for (const auto& [name, text] : instructions.csvs(*run.chip, *run.kernel))
    out.addText(name, text);
  out.addText(kSummaryName, summaryJson(run));
}

// Names that cannot be written are found before the simulation, not after it.
void expectReports(const RunOptions& options, const OutputFolder& out) {
  for (const char* name : kProfileCsvNames)
    out.expect(name);
  out.expect(kSummaryName);
  if (!options.timingOnly)
    out.expect(kOutputsName);
}

int reportFault(const dlk::Kernel& kernel, const core::Fault& fault) {
  std::fprintf(stderr, "dlsim: fault: %s\n", faultText(kernel, fault).c_str());
  return kFaulted;
}

int verdictOf(const Run& run, const observe::Checks& checks) {
  int code = kOk;
  for (const observe::Finding& finding : checks.findings()) {
    std::fprintf(stderr, "dlsim: %s\n", findingText(*run.chip, *run.kernel, finding).c_str());
    code = kWrong;
  }
  for (const auto& [name, d] : run.differences)
    if (!d.ok()) {
      std::fprintf(stderr, "dlsim: wrong values: %s\n", differenceText(name, d).c_str());
      code = kWrong;
    }
  if (run.options->checkSync && run.result.flags_left) {
    std::fprintf(stderr, "dlsim: check sync: %u flags were set and never waited for\n",
                 run.result.flags_left);
    code = kWrong;
  }
  return code;
}

// Launches until the measured one; false when a launch faulted.
bool launchAll(Run& run, chip::Session& session, Tensors& tensors, MachineCounts& counts,
               InstructionProfile& instructions, observe::Checks& checks, Printed& printed, OutputFolder& out,
               std::unique_ptr<TraceFile>& trace) {
  using Clock = std::chrono::steady_clock;
  for (unsigned i = 0; i <= run.options->warmup; ++i) {
    bool measured = i == run.options->warmup;
    tensors.writeInputs();
    counts.reset();
    instructions.reset();
    checks.reset();
    printed.begin(measured);
    if (measured && run.options->trace)
      trace = std::make_unique<TraceFile>(out, *run.options->trace, *run.chip, *run.kernel, session);
    Clock::time_point began = Clock::now();
    run.result = session.launch(launchOf(run, tensors));
    run.wallSeconds = std::chrono::duration<double>(Clock::now() - began).count();
    if (run.result.fault)
      return false;
  }
  run.macs = counts.macs();
  run.idealCubeCycles = counts.idealCycles();
  run.busiestCubeCycles = counts.busiestCycles();
  run.commands = counts.commands();
  return true;
}

} // namespace

int runCommand(const RunOptions& options) {
  dlk::Kernel kernel = dlk::load(options.kernel);
  sim::Chip chip =
      sim::loadChip(sim::chipPath(options.chip.empty() ? kernel.chip : options.chip), options.overrides);
  casefile::Case input = casefile::loadCase(options.args);
  checkLaunch(kernel, input, options, chip.spec);
  checkArguments(kernel, input);
  casefile::CaseData data = casefile::loadData(input);
  OutputFolder out(options.out);
  expectReports(options, out);
  if (out.exists())
    removeRunFiles(options.out, {options.kernel, options.args, input.npz, options.chip});

  Run run;
  run.options = &options;
  run.chip = &chip.spec;
  run.kernel = &kernel;
  run.input = &input;

  chip::SystemOptions systemOptions;
  systemOptions.quantum = options.quantum;
  systemOptions.timing_only = options.timingOnly;
  chip::System system(chip.spec, systemOptions);
  chip::Session session(system);
  Tensors tensors(session, input, data);
  MachineCounts counts(chip.spec);
  Progress progress(!options.quiet);
  session.subscribe(counts);
  session.subscribe(progress);
  observe::Checks::Options watched;
  watched.race = options.checkRace, watched.init = options.checkInit;
  for (const sim::CoreKindSpec& kind : chip.spec.kinds)
    if (kernel.aic && kernel.aiv)
      watched.together.push_back(kind.perCluster);
  observe::Checks checks(watched);
  if (options.checkRace || options.checkInit)
    session.subscribe(checks);
  InstructionProfile instructions;
  if (options.instructions)
    session.subscribe(instructions);
  Printed printed(chip.spec, kernel, stdout);
  if (!kernel.messages.empty())
    session.subscribe(printed);
  std::unique_ptr<TraceFile> trace;

  bool finished = launchAll(run, session, tensors, counts, instructions, checks, printed, out, trace);
  progress.finish();
  if (trace)
    trace->close();
  if (!finished) {
    out.commit(); // the trace alone: it shows what led to the fault
    return reportFault(kernel, *run.result.fault);
  }
  Outputs outputs;
  if (!options.timingOnly)
    outputs = readOutputs(run, tensors, data);
  writeReports(run, outputs, instructions, out);
  out.commit();
  if (!options.quiet)
    std::fputs(summaryText(run).c_str(), stdout);
  if (options.visualize)
    std::fputs(visualizeText(run).c_str(), stdout);
  std::fflush(stdout);
  return verdictOf(run, checks);
}

} // namespace dlsim::tools
