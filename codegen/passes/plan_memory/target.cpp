#include "codegen/passes/plan_memory/target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <toml++/toml.h>

namespace dlsim::codegen {
namespace {

namespace path = llvm::sys::path;
using Text = llvm::SmallString<128>;

llvm::Error failure(const llvm::Twine& text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Expected<std::string> fileOf(llvm::StringRef nameOrPath) {
  if (path::extension(nameOrPath) == ".toml")
    return nameOrPath.str();
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  llvm::SmallVector<Text, 3> folders;
  if (auto named = llvm::sys::Process::GetEnv("DLSIM_CHIPS"))
    folders.push_back(llvm::StringRef(*named));
  for (llvm::StringRef from : {"../share/dlsim/chips", "../../sim/chips"}) { // installed; build tree
    folders.push_back(path::parent_path(program));
    path::append(folders.back(), from);
  }
  std::string tried;
  for (Text& folder : folders) {
    path::remove_dots(folder, /*remove_dot_dot=*/true);
    tried += (" " + folder).str();
    path::append(folder, nameOrPath + ".toml");
    if (llvm::sys::fs::exists(folder))
      return folder.str().str();
  }
  return failure("no chip is called '" + nameOrPath + "'; looked in" + tried +
                 "; give a .toml file, or set DLSIM_CHIPS to the folder");
}

// A chip file and those that it is based on, the file itself first.
class ChipFile {
public:
  static llvm::Expected<ChipFile> read(std::string file) {
    ChipFile chip;
    constexpr unsigned deepest = 8;
    for (unsigned depth = 0; depth <= deepest; ++depth) {
      try {
        chip.tables.push_back(toml::parse_file(file));
      } catch (const toml::parse_error& error) {
        return failure("chip file " + llvm::Twine(file) + ":" + llvm::Twine(error.source().begin.line) +
                       ": " + std::string(error.description()));
      }
      chip.name = chip.name.empty() ? file : chip.name;
      auto base = chip.tables.back()["base"].value<std::string>();
      if (!base)
        return chip;
      file = (path::parent_path(file) + (path::has_parent_path(file) ? "/" : "") + *base).str();
    }
    return failure("chip file " + llvm::Twine(chip.name) + ": more than " + llvm::Twine(deepest) +
                   " files deep; do two name each other as base?");
  }

  // Reads a positive integer; the first one that is missing is remembered.
  void get(llvm::StringRef key, int64_t& to) {
    for (const toml::table& table : tables)
      if (auto value = table.at_path((key + ".value").str()).value<int64_t>(); value && *value > 0) {
        to = *value;
        return;
      }
    if (missing.empty())
      missing = key.str();
  }
  void get(llvm::StringRef key, ScopeMemory& to) {
    get((key + ".bytes").str(), to.bytes);
    get((key + ".align").str(), to.alignment);
  }

  std::string name, missing;

private:
  std::vector<toml::table> tables;
};

TargetMemory standard() {
  auto target = TargetMemory::forChip("ascend910b1");
  if (!target)
    llvm::report_fatal_error(target.takeError(), /*gen_crash_diag=*/false);
  return *target;
}

} // namespace

TargetMemory::TargetMemory() {
  static const TargetMemory known = standard();
  *this = known;
}

const ScopeMemory& TargetMemory::scope(npu::Space space) const {
  switch (space) {
  case npu::Space::L1:
    return l1;
  case npu::Space::L0A:
    return l0a;
  case npu::Space::L0B:
    return l0b;
  case npu::Space::L0C:
    return l0c;
  default:
    return ub;
  }
}

llvm::Expected<TargetMemory> TargetMemory::forChip(llvm::StringRef nameOrPath) {
  auto file = fileOf(nameOrPath);
  if (!file)
    return file.takeError();
  auto chip = ChipFile::read(*file);
  if (!chip)
    return chip.takeError();
  TargetMemory target{Empty()};
  target.chip = nameOrPath.str();
  chip->get("core.aiv.scope.ub", target.ub);
  chip->get("core.aic.scope.l1", target.l1);
  chip->get("core.aic.scope.l0a", target.l0a);
  chip->get("core.aic.scope.l0b", target.l0b);
  chip->get("core.aic.scope.l0c", target.l0c);
  chip->get("core.aiv.per_cluster", target.vectorCores);
  chip->get("ub.groups", target.banks.groups);
  chip->get("ub.banks_per_group", target.banks.banks);
  chip->get("ub.row_bytes", target.banks.rowBytes);
  chip->get("ub.bank_bytes", target.banks.bankBytes);
  int64_t requests = 0, requestBytes = 0;
  chip->get("dma.read_window", requests);
  chip->get("l2.line_bytes", requestBytes);
  target.inFlightBytes = requests * requestBytes;
  if (!chip->missing.empty())
    return failure("chip file " + llvm::Twine(chip->name) + ": has no " + chip->missing +
                   " above 0, which a chip that can be compiled for needs");
  return target;
}

} // namespace dlsim::codegen
