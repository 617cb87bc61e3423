#include "sim/tools/output_folder.h"

#include "sim/casefile/input_error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace dlsim::tools {

namespace fs = std::filesystem;
using casefile::InputError;

namespace {

[[noreturn]] void cannotWrite(const std::string& path, const std::string& why) {
  throw InputError(path + ": cannot be written: " + why);
}

} // namespace

OutputFolder::OutputFolder(const std::string& path) : path_(path) {
  if (exists())
    makeFolder(path_);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  for (const File& file : files_)
    fs::remove(file.partial, ignored);
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder)
    fs::remove(*folder, ignored); // only if it is empty
}

void OutputFolder::makeFolder(const std::string& path) {
  std::error_code error;
  std::vector<std::string> missing;
  for (fs::path at = fs::path(path).lexically_normal(); !at.empty() && !fs::exists(at, error) && !error;
       at = at.parent_path())
    missing.push_back(at.string());
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path, error))
    throw InputError(path +
                     ": cannot be made a folder: " + (error ? error.message() : "a file is in the way"));
  folders_.insert(folders_.end(), missing.rbegin(), missing.rend());
}

void OutputFolder::expect(const std::string& name) const {
  const fs::path target = fs::path(path_) / name;
  std::error_code error;
  if (exists() && fs::exists(target, error) && !fs::is_regular_file(target, error))
    cannotWrite(target.string(),
                fs::is_directory(target, error) ? "a folder has this name" : "it is not a file");
}

std::string OutputFolder::partial(const std::string& name) {
  const fs::path target = fs::path(path_) / name;
  if (target.parent_path() != fs::path(path_))
    makeFolder(target.parent_path().string());
  expect(name);
  const std::string partial = target.string() + "." + std::to_string(::getpid()) + ".part";
  files_.push_back({partial, target.string()});
  return partial;
}

void OutputFolder::add(const std::string& name, const std::function<void(const std::string&)>& write) {
  if (exists())
    write(partial(name));
}

void OutputFolder::addText(const std::string& name, const std::string& text) {
  add(name, [&](const std::string& partial) {
    errno = 0;
    std::ofstream out(partial, std::ios::binary);
    out << text;
    out.close();
    if (!out)
      cannotWrite(path_ + "/" + name, errno ? std::strerror(errno) : "write error");
  });
}

void OutputFolder::commit() {
  for (const File& file : files_) {
    std::error_code error;
    fs::rename(file.partial, file.target, error);
    if (error)
      cannotWrite(file.target, error.message());
  }
  files_.clear();
  folders_.clear();
}

} // namespace dlsim::tools
