// The ELF container of a kernel binary: header checks, sections, line table.
#pragma once
#include "isa/dlk/line_table.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Elf;

namespace dlsim::dlk {

struct Section {
  std::string name;
  uint64_t address = 0;
  std::vector<uint8_t> bytes;
};

class ElfFile {
public:
  // Throws FormatError when the bytes are no ELF64 little-endian executable for DLNPU.
  ElfFile(std::vector<uint8_t> bytes, std::string name);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  const std::string& name() const { return name_; }
  std::optional<Section> section(const std::string& name) const;
  // Empty when the file has no line table.
  LineTable lineTable() const;

private:
  void checkHeader() const;
  void checkSectionTable() const;
  void readSections();

  std::vector<uint8_t> bytes_;
  std::string name_;
  std::unique_ptr<Elf, int (*)(Elf*)> elf_;
  std::vector<Section> sections_;
};

} // namespace dlsim::dlk
