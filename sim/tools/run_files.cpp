#include "sim/tools/run_files.h"

#include "sim/casefile/input_error.h"
#include "sim/tools/profile_csv.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <regex>

namespace dlsim::tools {

namespace fs = std::filesystem;
using casefile::InputError;

namespace {

// The name of a file that a stopped run left half-written; one that is being written keeps its own name.
std::string finalName(const std::string& path) {
  static const std::regex half(R"((.*)\.(\d{1,9})\.part)");
  std::smatch match;
  if (!std::regex_match(path, match, half))
    return path;
  const bool running = kill(std::stoi(match[2]), 0) == 0 || errno != ESRCH;
  return running ? path : match[1].str();
}

bool isRunFile(const fs::path& path) {
  static constexpr const char* kNames[] = {kOutputsName, kSummaryName, kTraceName, kHeatName};
  static const std::regex instructions(R"(simulator/(core\d+\.(cube|vec)core\d+)/\1_(instr|code)_exe\.csv)");
  const std::string name = finalName(path.string());
  return std::count(std::begin(kNames), std::end(kNames), name) ||
         std::count(std::begin(kProfileCsvNames), std::end(kProfileCsvNames), name) ||
         std::regex_match(name, instructions);
}

// The run files below the folder, with those of `simulator` first.
std::vector<fs::path> runFilesIn(const fs::path& folder) {
  std::vector<fs::path> found;
  const auto look = [&](const fs::path& file) {
    if (!fs::is_directory(fs::symlink_status(file)) && isRunFile(file.lexically_relative(folder)))
      found.push_back(file);
  };
  const fs::path simulator = folder / "simulator";
  if (fs::is_directory(fs::symlink_status(simulator)))
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(simulator))
      look(entry.path());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    look(entry.path());
  return found;
}

} // namespace

void removeRunFiles(const std::string& folder, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  try {
    const std::vector<fs::path> files = runFilesIn(folder);
    for (const fs::path& file : files)
      for (const std::string& input : inputs)
        if (fs::equivalent(file, input, ignored))
          throw InputError("--out " + folder + ": the run would overwrite its input " + input +
                           "; give another folder");
    for (const fs::path& file : files) {
      fs::remove(file);
      fs::path up = file.lexically_relative(folder).parent_path();
      while (!up.empty() && fs::remove(folder / up, ignored)) // only if it is empty
        up = up.parent_path();
    }
  } catch (const fs::filesystem_error& error) {
    throw InputError(folder + ": files of an earlier run cannot be removed: " + error.code().message());
  }
}

} // namespace dlsim::tools
