// Memory.csv, MemoryL0.csv, MemoryUB.csv and L2Cache.csv. Comments name the profiler's events.
#include "sim/tools/profile_csv.h"
#include "sim/tools/profile_row.h"
#include "sim/tools/profiler_roofs.h"

#include <algorithm>
#include <cmath>

namespace dlsim::tools {

namespace {

using core::Space;
using core::Unit;
using observe::CoreCounters;

// Bytes of one count of an event.
constexpr double kL1Read = 128, kL1Write = 256, kL0Read = 512, kL0aWrite = 256, kL0bWrite = 128, kL0c = 1024,
                 kFixpipe = 128, kMainWrite = 512, kUbVector = 256, kUbMte = 128, kUbScalar = 16;

double counts(double bytes, double unit) { return std::ceil(bytes / unit); }

double mainRead(const Row& r) { return static_cast<double>(r.core->gm_read_bytes); }
double mainWrite(const Row& r) { return static_cast<double>(r.core->gm_write_bytes); }
double l1Reads(const Row& r) { return counts(r.read(Space::L1), kL1Read); }                          // 49
double l1Writes(const Row& r) { return counts(r.written(Space::L1), kL1Write); }                     // 50
double fixToL1(const Row& r) { return counts(static_cast<double>(r.core->fix_l1_bytes), kFixpipe); } // 518
double l0cToFix(const Row& r) {                                                                      // 524
  return counts(static_cast<double>(r.unit(Unit::FIX).bytes_read), kFixpipe);
}
double writeRequests(const Row& r) { // 19
  return static_cast<double>(r.core->write_hit + r.core->write_miss + r.core->write_miss_no_allocate);
}

// A path between memories: what the profiler derives from its events, and what really moved.
struct Path {
  const char* name; // "GM_to_L1"
  const char* note; // behind the unit: "(estimate)"
  bool cube;
  double ProfilerRoofs::* roof;
  const char *unit, *from, *to; // of the chip file
  double (*profiler)(const Row&);
  double (*exact)(const Row&);
};

const Path kPaths[] = {
    {"GM_to_L1", "", true, &ProfilerRoofs::gmToL1, "MTE2", "gm", "l1",
     [](const Row& r) { return std::max(0.0, l1Writes(r) - fixToL1(r)) * kL1Write; },
     [](const Row& r) { return static_cast<double>(r.unit(Unit::MTE2).bytes_written); }},
    {"L1_to_GM", "(estimate)", true, &ProfilerRoofs::l1ToGm, "MTE3", "l1", "gm",
     [](const Row& r) {
       return std::max(0.0, (kMainWrite / kFixpipe * writeRequests(r) + fixToL1(r) - l0cToFix(r)) * kFixpipe);
     },
     [](const Row& r) { return static_cast<double>(r.unit(Unit::MTE3).bytes_written); }},
    {"L0C_to_L1", "", true, &ProfilerRoofs::l0cToL1, "FIX", "l0c", "l1",
     [](const Row& r) { return fixToL1(r) * kFixpipe; },
     [](const Row& r) { return static_cast<double>(r.core->fix_l1_bytes); }},
    {"L0C_to_GM", "", true, &ProfilerRoofs::l0cToGm, "FIX", "l0c", "gm",
     [](const Row& r) { return std::max(0.0, l0cToFix(r) - fixToL1(r)) * kFixpipe; },
     [](const Row& r) {
       return static_cast<double>(r.unit(Unit::FIX).bytes_written - r.core->fix_l1_bytes);
     }},
    {"GM_to_UB", "", false, &ProfilerRoofs::gmToUb, "MTE2", "gm", "ub",
     [](const Row& r) {
       return counts(static_cast<double>(r.unit(Unit::MTE2).bytes_written), kUbMte) * kUbMte;
     },
     [](const Row& r) { return static_cast<double>(r.unit(Unit::MTE2).bytes_written); }},
    {"UB_to_GM", "", false, &ProfilerRoofs::ubToGm, "MTE3", "ub", "gm",
     [](const Row& r) { return counts(static_cast<double>(r.unit(Unit::MTE3).bytes_read), kUbMte) * kUbMte; },
     [](const Row& r) { return static_cast<double>(r.unit(Unit::MTE3).bytes_read); }},
};

double usage(const Row& r, const Path& path) {
  if (!r.corrected()) {
    const double most = profilerRoofs(r.run->chip->name).*path.roof;
    return 100 * ratio(std::min(r.bandwidth(path.profiler(r)), most), most);
  }
  const sim::PathSpec* width = r.run->chip->kinds[r.core->core.kind].path(path.unit, path.from, path.to);
  return width ? 100 * ratio(path.exact(r), width->bytesPerCycle * r.total()) : 0;
}

void addPaths(Columns& c) {
  for (const Path& path : kPaths) {
    const auto cell = [&path](auto value) {
      return
          [&path, value](const Row& r) { return r.cube == path.cube ? fixed6(value(r)) : std::string("NA"); };
    };
    c.push_back({std::string(path.name) + "_datas(KB)" + path.note, cell([&path](const Row& r) {
                   return (r.corrected() ? path.exact(r) : path.profiler(r)) / 1024;
                 })});
    c.push_back({std::string(path.name) + "_bw_usage_rate(%)" + path.note,
                 cell([&path](const Row& r) { return usage(r, path); })});
  }
}

void addBandwidth(Columns& c, bool cube, const std::string& name, double (*bytes)(const Row&)) {
  c.push_back(column(cube, name + "_bw(GB/s)", [bytes](const Row& r) { return r.bandwidth(bytes(r)); }));
}

void addMte(Columns& c, bool cube, const std::string& name, Unit unit) {
  addInstructions(c, cube, name + "_instructions", unit);
  addRatio(c, cube, name, [unit](const Row& r) { return r.busy(unit); });
}

double percent(uint64_t hits, uint64_t all) {
  return 100 * ratio(static_cast<double>(hits), static_cast<double>(all));
}

void addL2(Columns& c, bool cube) {
  using K = CoreCounters;
  addCommon(c, cube);
  c.push_back(count(cube, "write_cache_hit", [](const K& k) { return k.write_hit; }));
  c.push_back(count(cube, "write_cache_miss_allocate", [](const K& k) { return k.write_miss; }));
  c.push_back(count(cube, "r0_read_cache_hit", [](const K& k) { return k.r0_hit; }));
  c.push_back(count(cube, "r0_read_cache_miss_allocate", [](const K& k) { return k.r0_miss; }));
  c.push_back(count(cube, "r1_read_cache_hit", [](const K& k) { return k.r1_hit; }));
  c.push_back(count(cube, "r1_read_cache_miss_allocate", [](const K& k) { return k.r1_miss; }));
  auto writes = [](const K& k) { return k.write_hit + k.write_miss + k.write_miss_no_allocate; };
  auto readHits = [](const K& k) { return k.r0_hit + k.r1_hit; };
  auto reads = [=](const K& k) {
    return readHits(k) + k.r0_miss + k.r1_miss + k.r0_miss_no_allocate + k.r1_miss_no_allocate;
  };
  c.push_back(column(cube, "write_hit_rate(%)",
                     [=](const Row& r) { return percent(r.core->write_hit, writes(*r.core)); }));
  c.push_back(column(cube, "read_hit_rate(%)",
                     [=](const Row& r) { return percent(readHits(*r.core), reads(*r.core)); }));
  c.push_back(column(cube, "total_hit_rate(%)", [=](const Row& r) {
    return percent(r.core->write_hit + readHits(*r.core), writes(*r.core) + reads(*r.core));
  }));
}

} // namespace

std::string memoryCsv(const Run& run) {
  Columns c = blockColumns();
  addCommon(c, true);
  addBandwidth(c, true, "l1_read", [](const Row& r) { return l1Reads(r) * kL1Read; });
  addBandwidth(c, true, "l1_write", [](const Row& r) { return l1Writes(r) * kL1Write; });
  addBandwidth(c, true, "main_mem_read", mainRead);
  addBandwidth(c, true, "main_mem_write", mainWrite);
  addMte(c, true, "mte1", Unit::MTE1);
  addMte(c, true, "mte2", Unit::MTE2);
  addMte(c, true, "mte3", Unit::MTE3);
  addCommon(c, false);
  addBandwidth(c, false, "ub_to_gm", [](const Row& r) {
    return counts(static_cast<double>(r.unit(Unit::MTE3).bytes_read), kUbMte) * kUbMte; // 61
  });
  addBandwidth(c, false, "gm_to_ub", [](const Row& r) {
    return counts(static_cast<double>(r.unit(Unit::MTE2).bytes_written), kUbMte) * kUbMte; // 62
  });
  addBandwidth(c, false, "main_mem_read", mainRead);
  addBandwidth(c, false, "main_mem_write", mainWrite);
  addMte(c, false, "mte2", Unit::MTE2);
  addMte(c, false, "mte3", Unit::MTE3);
  c.push_back(always("read_main_memory_datas(KB)", [](const Row& r) { return mainRead(r) / 1024; }));
  c.push_back(always("write_main_memory_datas(KB)", [](const Row& r) { return mainWrite(r) / 1024; }));
  addPaths(c);
  return table(c, rowsOf(run));
}

std::string memoryL0Csv(const Run& run) {
  Columns c = blockColumns();
  addCommon(c, true);
  addBandwidth(c, true, "l0a_read",
               [](const Row& r) { return static_cast<double>(r.core->l0a_reads) * kL0Read; });
  addBandwidth(c, true, "l0a_write",
               [](const Row& r) { return counts(r.written(Space::L0A), kL0aWrite) * kL0aWrite; }); // 28
  addBandwidth(c, true, "l0b_read",
               [](const Row& r) { return static_cast<double>(r.core->l0b_reads) * kL0Read; });
  addBandwidth(c, true, "l0b_write",
               [](const Row& r) { return counts(r.written(Space::L0B), kL0bWrite) * kL0bWrite; }); // 34
  const auto cube = [&c](const char* name, uint64_t CoreCounters::* field) {
    c.push_back(column(true, name, [field](const Row& r) {
      return r.bandwidth(static_cast<double>(r.core->*field) * kL0c);
    }));
  };
  cube("l0c_read_bw_cube(GB/s)", &CoreCounters::l0c_reads);
  cube("l0c_write_bw_cube(GB/s)", &CoreCounters::l0c_writes);
  addCommon(c, false);
  return table(c, rowsOf(run));
}

std::string memoryUbCsv(const Run& run) {
  Columns c = blockColumns();
  addCommon(c, true);
  addCommon(c, false);
  const auto ub = [&c](const char* name, double (*bytes)(const Row&)) {
    c.push_back(column(false, name, [bytes](const Row& r) { return r.bandwidth(bytes(r)); }));
  };
  ub("ub_read_bw_vector(GB/s)", [](const Row& r) {
    return counts(static_cast<double>(r.unit(Unit::V).bytes_read), kUbVector) * kUbVector; // 67
  });
  ub("ub_write_bw_vector(GB/s)", [](const Row& r) {
    return counts(static_cast<double>(r.unit(Unit::V).bytes_written), kUbVector) * kUbVector; // 68
  });
  ub("ub_read_bw_scalar(GB/s)",
     [](const Row& r) { return static_cast<double>(r.core->ub_scalar_reads) * kUbScalar; });
  ub("ub_write_bw_scalar(GB/s)",
     [](const Row& r) { return static_cast<double>(r.core->ub_scalar_writes) * kUbScalar; });
  return table(c, rowsOf(run));
}

std::string l2CacheCsv(const Run& run) {
  Columns c = blockColumns();
  addL2(c, true);
  addL2(c, false);
  return table(c, rowsOf(run));
}

} // namespace dlsim::tools
