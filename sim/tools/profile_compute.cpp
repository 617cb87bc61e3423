// OpBasicInfo.csv and ArithmeticUtilization.csv.
#include "sim/tools/profile_csv.h"
#include "sim/tools/profile_row.h"

#include <cmath>

namespace dlsim::tools {

namespace {

using core::Unit;
using observe::CoreCounters;
using observe::VectorKind;

// Arithmetic operations that the profiler counts for one instruction of the cube.
constexpr uint64_t kFpInstructionOps = 8192, kIntInstructionOps = 16384;

// The cube's busy time, divided by kind of product in proportion to the cycles in the array.
double cubeBusy(const Row& r, bool integer) {
  const auto fp = static_cast<double>(r.core->cube_fp_cycles),
             other = static_cast<double>(r.core->cube_int_cycles);
  return r.busy(Unit::M) * ratio(integer ? other : fp, fp + other);
}

double cubeOps(const Row& r) {
  if (r.corrected())
    return 2 * static_cast<double>(r.core->macs);
  return static_cast<double>(kFpInstructionOps * r.core->mmad_fp + kIntInstructionOps * r.core->mmad_int);
}

// Lanes of a 256-byte repeat by kind, as the profiler weighs them.
double vectorOps(const Row& r) {
  static constexpr double kLanes[observe::kVectorKinds] = {64, 128, 64, 128, 32};
  double ops = 0;
  for (unsigned k = 0; k < observe::kVectorKinds; ++k)
    ops += r.corrected() ? static_cast<double>(r.core->vec[k].elements)
                         : kLanes[k] * static_cast<double>(r.core->vec[k].repeats);
  return ops;
}

void addVector(Columns& c, const std::string& name, VectorKind kind) {
  addRatio(c, false, "vec_" + name, [kind](const Row& r) {
    return static_cast<double>(r.core->vec[static_cast<size_t>(kind)].cycles);
  });
}

std::string whole(double x) { return std::to_string(static_cast<uint64_t>(std::llround(x))); }

} // namespace

std::string arithmeticUtilizationCsv(const Run& run) {
  Columns c = blockColumns();
  addCommon(c, true);
  addRatio(c, true, "cube", [](const Row& r) { return r.busy(Unit::M); });
  addRatio(c, true, "cube_fp16", [](const Row& r) { return cubeBusy(r, false); });
  addRatio(c, true, "cube_int8", [](const Row& r) { return cubeBusy(r, true); });
  c.push_back({"aic_cube_fops", [](const Row& r) { return r.cube ? whole(cubeOps(r)) : std::string("NA"); }});
  addInstructions(c, true, "cube_total_instr_number", Unit::M);
  c.push_back(count(true, "cube_fp_instr_number", [](const CoreCounters& k) { return k.mmad_fp; }));
  c.push_back(count(true, "cube_int_instr_number", [](const CoreCounters& k) { return k.mmad_int; }));
  addCommon(c, false);
  addRatio(c, false, "vec", [](const Row& r) { return r.busy(Unit::V); });
  addVector(c, "fp32", VectorKind::Fp32);
  addVector(c, "fp16", VectorKind::Fp16);
  addVector(c, "int32", VectorKind::Int32);
  addVector(c, "int16", VectorKind::Int16);
  addVector(c, "misc", VectorKind::Misc);
  c.push_back(
      {"aiv_vec_fops", [](const Row& r) { return r.cube ? std::string("NA") : whole(vectorOps(r)); }});
  return table(c, rowsOf(run));
}

std::string opBasicInfoCsv(const Run& run) {
  using Info = Column<const Run*>;
  const auto clock = [](const Run* r) { return whole(r->chip->clockMhz); };
  const auto type = [](const Run* r) {
    return std::string(r->kernel->kind == dlk::KernelKind::Mix   ? "mix"
                       : r->kernel->kind == dlk::KernelKind::Aic ? "cube"
                                                                 : "vector");
  };
  const auto others = [](const Run* r) {
    if (r->kernel->kind != dlk::KernelKind::Mix)
      return std::string("NA");
    unsigned cores = 0;
    for (const Row& row : rowsOf(*r))
      cores += !row.cube;
    return std::to_string(cores);
  };
  const auto zero = [](const Run*) { return std::string("0"); };
  const std::vector<Info> columns = {
      {"Op Name", [](const Run* r) { return r->kernel->name; }},
      {"Op Type", type},
      {"Task Duration(us)", [](const Run* r) { return fixed6(r->timeUs()); }},
      {"Block Dim", [](const Run* r) { return std::to_string(r->result.cores); }},
      {"Mix Block Dim", others},
      {"Device Id", zero},
      {"Pid", zero}, // a run must print the same every time
      {"Current Freq", clock},
      {"Rated Freq", clock}};
  return table(columns, std::vector<const Run*>{&run});
}

} // namespace dlsim::tools
