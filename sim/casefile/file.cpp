#include "sim/casefile/file.h"

#include "sim/casefile/input_error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace dlsim::casefile {

namespace fs = std::filesystem;

std::string readText(const std::string& path) {
  std::error_code ignored; // whatever is wrong with the path, opening it says so
  if (fs::is_directory(path, ignored))
    throw InputError(path + ": is a folder, not a file");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw InputError(path + ": " + std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad())
    throw InputError(path + ": read error");
  return text.str();
}

void writeAtomically(const std::string& path, const std::function<void(const std::string&)>& write) {
  std::string partial = path + "." + std::to_string(::getpid()) + ".part";
  std::error_code ignored;
  try {
    write(partial);
    fs::rename(partial, path);
  } catch (const fs::filesystem_error& error) {
    fs::remove(partial, ignored);
    throw InputError(path + ": cannot be written: " + error.code().message());
  } catch (...) {
    fs::remove(partial, ignored);
    throw;
  }
}

void writeText(const std::string& path, const std::string& text) {
  writeAtomically(path, [&](const std::string& partial) {
    std::ofstream out(partial, std::ios::binary);
    out << text;
    out.close();
    if (!out)
      throw InputError(path + ": cannot be written: " + std::strerror(errno));
  });
}

} // namespace dlsim::casefile
