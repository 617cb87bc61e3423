#include "DlcOptions.h"
#include "codegen/passes/blockify/TaskOrder.h"
#include "codegen/passes/plan_memory/target.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;

namespace dlsim::codegen {

namespace {

enum class Switch { Off, On };
enum class Sync { Auto, BarrierAll };
enum class KindChoice { Aic, Aiv, Mix };

// LLVM's option library refers to its options until the process ends.
struct CommandLine {
  cl::OptionCategory category{"dlc options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<kernel>"), cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> output{
      "o",
      cl::desc("Output file; - is standard output (default: the input's name with the "
               "extension of what is emitted)"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<Emit> emit{"emit", cl::desc("What to write (default dlk):"), cl::init(Emit::Dlk), cl::cat(category),
                     cl::values(clEnumValN(Emit::Ttir, "ttir", "Triton IR, cleaned up"),
                                clEnumValN(Emit::Tile, "tile", "tile accesses and matrix products"),
                                clEnumValN(Emit::Npu, "npu", "buffers, commands and flags"),
                                clEnumValN(Emit::Llvm, "llvm", "LLVM IR after the scalar optimiser"),
                                clEnumValN(Emit::Asm, "asm", "assembly, in bundles"),
                                clEnumValN(Emit::Obj, "obj", "relocatable ELF object"),
                                clEnumValN(Emit::Dlk, "dlk", "kernel binary"))};
  cl::opt<KindChoice> kind{"kind", cl::desc("Core kind that runs the kernel (default aiv):"),
                           cl::init(KindChoice::Aiv), cl::cat(category),
                           cl::values(clEnumValN(KindChoice::Aic, "aic", "cube core"),
                                      clEnumValN(KindChoice::Aiv, "aiv", "vector core"),
                                      clEnumValN(KindChoice::Mix, "mix",
                                                 "both; a C file is compiled once for each, with "
                                                 "__DLNPU_AIC__ or __DLNPU_AIV__ defined"))};
  cl::opt<std::string> entry{"entry",
                             cl::desc("The kernel's entry function (default: the marked or only one)"),
                             cl::value_desc("name"), cl::cat(category)};
  cl::opt<bool> keepAll{"keep-all",
                        cl::desc("Keep all functions and need no entry (with --emit=llvm, asm or obj)"),
                        cl::cat(category)};
  cl::opt<std::string> chip{
      "chip", cl::desc("Chip that the kernel is for: a name or a chip file (default ascend910b1)"),
      cl::init("ascend910b1"), cl::value_desc("name"), cl::cat(category)};
  cl::opt<Switch> pack{"pack", cl::desc("Several words a bundle (default on):"), cl::init(Switch::On),
                       cl::cat(category),
                       cl::values(clEnumValN(Switch::On, "on", "fill the slots of a bundle"),
                                  clEnumValN(Switch::Off, "off", "one word a bundle"))};
  cl::opt<char> optLevel{"O", cl::desc("Optimisation level 0..3 (default 2)"), cl::Prefix, cl::init('2'),
                         cl::cat(category)};
  cl::opt<bool> noDebug{"no-debug-info", cl::desc("Leave line tables out"), cl::cat(category)};
  cl::list<std::string> args{
      "arg", cl::desc("An argument of the kernel, in order, as name:tensor:f16 or name:scalar:i32"),
      cl::value_desc("name:kind:dtype"), cl::cat(category)};
  cl::opt<unsigned> gridRank{"grid-rank", cl::desc("Rank of the kernel's grid (default 1)"), cl::init(1),
                             cl::cat(category)};
  cl::opt<std::string> order{
      "order",
      cl::desc("Task order of the grid: rows, columns, group:G, diagonal:T, serpentine:O, "
               "hilbert (default rows)"),
      cl::value_desc("order"), cl::cat(category)};
  cl::opt<std::string> orderGrid{"order-grid", cl::desc("What the index of a one-dimensional grid means"),
                                 cl::value_desc("MxN"), cl::cat(category)};
  cl::opt<bool> shuffleK{"shuffle-k", cl::desc("Each core starts its K loops at another tile"),
                         cl::cat(category)};
  cl::opt<Switch> coarsen{
      "coarsen", cl::desc("Neighbouring programs whose tiles are small (default on):"), cl::init(Switch::On),
      cl::cat(category),
      cl::values(clEnumValN(Switch::On, "on", "become one where that makes loads cheaper"),
                 clEnumValN(Switch::Off, "off", "run one by one"))};
  cl::opt<std::string> multibuffer{"multibuffer",
                                   cl::desc("Slots of buffers that units hand to each other: 1..7, auto or a "
                                            "list like l1:3,l0c:1 (default auto)"),
                                   cl::init("auto"), cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> kPanel{"k-panel",
                              cl::desc("Steps of a K loop that share a tile in L1: auto, off or a number "
                                       "(default auto)"),
                              cl::init("auto"), cl::value_desc("n"), cl::cat(category)};
  cl::opt<Switch> bindSubCores{"bind-sub-cores",
                               cl::desc("The vector cores of a group share the rows of tiles (default on):"),
                               cl::init(Switch::On), cl::cat(category),
                               cl::values(clEnumValN(Switch::On, "on", "each takes its part of the rows"),
                                          clEnumValN(Switch::Off, "off", "the first does all of them"))};
  cl::opt<std::string> cvPipeline{
      "cv-pipeline",
      cl::desc(
          "Iterations of a loop that cube and vector cores work on at once: 1..4 or auto (default auto)"),
      cl::init("auto"), cl::value_desc("n"), cl::cat(category)};
  cl::opt<Sync> sync{
      "sync", cl::desc("Order between units (default auto):"), cl::init(Sync::Auto), cl::cat(category),
      cl::values(clEnumValN(Sync::Auto, "auto", "flags, as few as the dependences need"),
                 clEnumValN(Sync::BarrierAll, "barrier-all", "barriers wherever the unit changes"))};
  cl::opt<Coalesce> coalesce{
      "coalesce", cl::desc("Accesses that are not contiguous in their fastest dimension (default full):"),
      cl::init(Coalesce::full), cl::cat(category),
      cl::values(clEnumValN(Coalesce::off, "off", "element by element"),
                 clEnumValN(Coalesce::copy, "copy", "strided burst copies"),
                 clEnumValN(Coalesce::full, "full", "whole runs, rearranged on chip"))};
  cl::opt<std::string> dumpDir{"dump-dir", cl::desc("Write the module after every step into this folder"),
                               cl::value_desc("folder"), cl::cat(category)};
  cl::opt<bool> accessReport{"access-report", cl::desc("Print what each load and store became"),
                             cl::cat(category)};
  cl::opt<bool> explain{
      "explain",
      cl::desc("Print the decisions of the passes, what bounds each loop and the bundle occupancy"),
      cl::cat(category)};
  cl::alias verbose{"v", cl::desc("Same as --explain"), cl::aliasopt(explain)};
  cl::opt<bool> report{"report", cl::desc("Print how full the bundles of each loop are"), cl::cat(category)};
  cl::list<std::string> defines{"D", cl::desc("Define a macro (C kernels)"), cl::Prefix,
                                cl::value_desc("name[=value]"), cl::cat(category)};
  cl::list<std::string> includes{"I", cl::desc("Folder of headers (C kernels)"), cl::Prefix,
                                 cl::value_desc("folder"), cl::cat(category)};
};

std::string defaultOutput(StringRef input, Emit emit) {
  SmallString<128> path(input);
  const char* extensions[] = {"ttir.mlir", "tile.mlir", "npu.mlir", "opt.ll", "s", "o", "dlk"};
  sys::path::replace_extension(path, extensions[int(emit)]);
  return path.str().str();
}

bool parseMlirOptions(const CommandLine& line, Emit emit, MlirOptions& options) {
  std::optional<SlotWish> slots = SlotWish::parse(line.multibuffer);
  if (!slots) {
    errs() << "dlc: --multibuffer=" << line.multibuffer << " is not 1 to 7, auto or a list like l1:3,l0c:1\n";
    return false;
  }
  std::optional<PanelWish> panels = PanelWish::parse(line.kPanel);
  if (!panels) {
    errs() << "dlc: --k-panel=" << line.kPanel << " is not auto, off or a number from 1 to " << mostPanelSteps
           << "\n";
    return false;
  }
  if (!parseCvDepth(line.cvPipeline, options.cvDepth)) {
    errs() << "dlc: --cv-pipeline=" << line.cvPipeline << " is not 1, 2, 3, 4 or auto\n";
    return false;
  }
  options.chip = line.chip;
  options.order = line.order;
  options.orderGrid = line.orderGrid;
  options.shuffleK = line.shuffleK;
  options.coarsen = line.coarsen == Switch::On;
  options.multibuffer = *slots;
  options.panels = *panels;
  options.bindSubCores = line.bindSubCores == Switch::On;
  options.barrierAll = line.sync == Sync::BarrierAll;
  options.coalesce = line.coalesce;
  options.accessReport = line.accessReport;
  options.explain = line.explain;
  options.dumpDir = line.dumpDir;
  options.stop = emit == Emit::Ttir   ? MlirStage::ttir
                 : emit == Emit::Tile ? MlirStage::tile
                 : emit == Emit::Npu  ? MlirStage::npu
                                      : MlirStage::llvm;
  return true;
}

// The result is renamed into place, which would replace a device node or fail on a folder.
bool checkOutput(const CommandLine& line) {
  if (line.output.getNumOccurrences() && line.output.empty()) {
    errs() << "dlc: -o names no file\n";
    return false;
  }
  if (line.output != "-" && sys::fs::exists(line.output) && !sys::fs::is_regular_file(line.output)) {
    errs() << "dlc: -o " << line.output
           << " exists and is not a regular file; name a file, or - for standard output\n";
    return false;
  }
  return true;
}

// Options that belong to another kind of input would be dropped without a word.
bool checkInputKind(const CommandLine& line) {
  StringRef extension = sys::path::extension(line.input);
  bool mlir = extension == ".ttir" || extension == ".mlir", c = extension == ".c";
  struct Use {
    const cl::Option& option;
    bool fits;
    const char* inputs;
  };
  const char *below = ".c, .ll, .bc and .s", *above = ".ttir and .mlir";
  const Use uses[] = {
      {line.entry, !mlir, below},    {line.kind, !mlir, below},       {line.args, !mlir, below},
      {line.gridRank, !mlir, below}, {line.keepAll, !mlir, below},    {line.defines, c, ".c"},
      {line.includes, c, ".c"},      {line.order, mlir, above},       {line.orderGrid, mlir, above},
      {line.shuffleK, mlir, above},  {line.multibuffer, mlir, above}, {line.sync, mlir, above},
      {line.coalesce, mlir, above},  {line.dumpDir, mlir, above},     {line.accessReport, mlir, above},
      {line.coarsen, mlir, above},
  };
  for (const Use& use : uses)
    if (use.option.getNumOccurrences() && !use.fits) {
      errs() << "dlc: " << (use.option.ArgStr.size() > 1 ? "--" : "-") << use.option.ArgStr << " is for "
             << use.inputs << " files, not for " << line.input << "\n";
      return false;
    }
  if (line.kind == KindChoice::Mix && !c) {
    errs() << "dlc: --kind=mix is for .c files, which are compiled for each kind of core; " << line.input
           << " is code for one\n";
    return false;
  }
  return true;
}

// Words that only a later step would miss.
bool checkNames(const CommandLine& line) {
  if (auto chip = TargetMemory::forChip(line.chip); !chip) {
    errs() << "dlc: --chip=" << line.chip << ": " << toString(chip.takeError()) << "\n";
    return false;
  }
  if (!line.order.empty())
    if (auto order = blockify::parseTaskOrder(line.order); !order) {
      errs() << "dlc: --order: " << toString(order.takeError()) << "\n";
      return false;
    }
  if (!line.orderGrid.empty())
    if (auto grid = blockify::parseOrderGrid(line.orderGrid); !grid) {
      errs() << "dlc: --order-grid: " << toString(grid.takeError()) << "\n";
      return false;
    }
  return true;
}

bool parseArg(StringRef text, std::vector<KernelArg>& args) {
  SmallVector<StringRef, 3> parts;
  text.split(parts, ':');
  if (parts.size() != 3 || parts[0].empty() || (parts[1] != "tensor" && parts[1] != "scalar") ||
      parts[2].empty()) {
    errs() << "dlc: --arg=" << text << " is not name:tensor:dtype or name:scalar:dtype\n";
    return false;
  }
  args.push_back({parts[0].str(), parts[1].str(), parts[2].str()});
  return true;
}

} // namespace

DlcOptions parseDlcOptions(int argc, const char* const* argv, int& exitCode) {
  static CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  cl::SetVersionPrinter([](raw_ostream& out) { out << "dlc 0.1.0\n"; });
  DlcOptions options;
  exitCode = 2;
  const char* overview =
      "dlc: compiles a kernel to a DLNPU kernel binary\n\n"
      "  dlc kernel.ttir -o kernel.dlk              Triton IR, or any later stage as .mlir\n"
      "  dlc kernel.ll -o kernel.dlk --kind=aiv     LLVM IR (.ll, .bc)\n"
      "  dlc kernel.c --emit=asm -o -               C, with #include <dlnpu.h>\n"
      "  dlc kernel.c --kind=mix                    C for cube and vector cores\n"
      "  dlc kernel.s --kind=aic                    assembly\n\n"
      "exit codes: 0 ok, 1 the kernel has errors, 2 bad usage, unreadable input or unwritable output\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &errs()))
    return options;
  if (line.input.empty()) {
    errs() << "dlc: no kernel given; see dlc --help\n";
    return options;
  }
  if (!checkOutput(line) || !checkInputKind(line) || !checkNames(line))
    return options;
  char level = line.optLevel;
  if (level < '0' || level > '3') {
    errs() << "dlc: -O" << level << " is not one of -O0 -O1 -O2 -O3\n";
    return options;
  }
  options.input = line.input;
  options.emit = line.emit;
  options.output = line.output.empty() ? defaultOutput(options.input, options.emit) : line.output;
  options.chip = line.chip;
  options.compile.kind = line.kind == KindChoice::Aic ? CoreKind::Aic : CoreKind::Aiv;
  options.mixed = line.kind == KindChoice::Mix;
  options.compile.entry = line.entry;
  options.compile.keepAll = line.keepAll;
  if (line.keepAll && options.emit == Emit::Dlk) {
    errs() << "dlc: a kernel binary has one entry; --keep-all goes with --emit=llvm, asm or obj\n";
    return options;
  }
  options.compile.pack = line.pack == Switch::On;
  options.compile.debugInfo = options.c.debugInfo = !line.noDebug;
  options.compile.optLevel = options.c.optLevel = unsigned(level - '0');
  options.c.defines = line.defines;
  options.c.includeDirs = line.includes;
  options.gridRank = line.gridRank;
  options.report = line.report || line.explain;
  if (!parseMlirOptions(line, options.emit, options.mlir))
    return options;
  for (const std::string& text : line.args)
    if (!parseArg(text, options.args))
      return options;
  exitCode = 0;
  return options;
}

} // namespace dlsim::codegen
