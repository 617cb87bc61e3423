// The folder of --out. Files appear all together at the end, or not at all: each is written under a temporary
// name first, and renamed when all have been written.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dlsim::tools {

class OutputFolder {
public:
  // Makes the folder; an empty path makes an object that takes files and writes none. Throws
  // casefile::InputError.
  explicit OutputFolder(const std::string& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  bool exists() const { return !path_.empty(); }
  // Throws now if a file of this name could not be written later.
  void expect(const std::string& name) const;
  // A file by its path below the folder; `write` gets the name to write to. Throws when something that is not
  // a file has the name.
  void add(const std::string& name, const std::function<void(const std::string&)>& write);
  void addText(const std::string& name, const std::string& text);
  // Where a file that is written bit by bit goes; it takes its name when the others do.
  std::string partial(const std::string& name);
  void commit();

private:
  struct File {
    std::string partial, target;
  };
  std::string path_;
  std::vector<File> files_;
  std::vector<std::string> folders_; // made here; taken away again if nothing is committed
  void makeFolder(const std::string& path);
};

} // namespace dlsim::tools
