#include "codegen/passes/plan_memory/chip_file.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

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

} // namespace

llvm::Expected<ChipFile> ChipFile::open(llvm::StringRef nameOrPath) {
  auto found = fileOf(nameOrPath);
  if (!found)
    return found.takeError();
  std::string file = *found;
  ChipFile chip;
  constexpr unsigned deepest = 8;
  for (unsigned depth = 0; depth <= deepest; ++depth) {
    try {
      chip.tables.push_back(toml::parse_file(file));
    } catch (const toml::parse_error& error) {
      return failure("chip file " + llvm::Twine(file) + ":" + llvm::Twine(error.source().begin.line) + ": " +
                     std::string(error.description()));
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

std::optional<double> ChipFile::number(llvm::StringRef key) const {
  for (const toml::table& table : tables)
    if (auto value = table.at_path((key + ".value").str()).value<double>())
      return value;
  return std::nullopt;
}

void ChipFile::get(llvm::StringRef key, int64_t& to) {
  for (const toml::table& table : tables)
    if (auto value = table.at_path((key + ".value").str()).value<int64_t>(); value && *value > 0) {
      to = *value;
      return;
    }
  if (missing.empty())
    missing = key.str();
}

void ChipFile::get(llvm::StringRef key, ScopeMemory& to) {
  get((key + ".bytes").str(), to.bytes);
  get((key + ".align").str(), to.alignment);
}

} // namespace dlsim::codegen
