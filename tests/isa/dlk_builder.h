// Writes kernel binaries byte by byte, right and wrong ones, for tests of the reader and of the simulator.
#pragma once
#include "isa/tables/tables.h"
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace dlsim::test {

inline constexpr char kMinimalMeta[] =
    R"({"version":1,"compiler":"test","chip":"ascend910b1","kernel":"k","kind":"aiv",
 "entries":{"aiv":0},"args":[{"name":"a_ptr","kind":"tensor","dtype":"f16"},{"name":"n","kind":"scalar","dtype":"i32"}],
 "grid":{"rank":1,"order":"rows","k_offset":false,"policy":"loop"},
 "workspace_bytes_per_core":0,"stack_bytes_per_core":8192,"options":{"multibuffer":2},
 "buffers":[{"name":"a","scope":"ub","offset":64,"bytes":128,"slots":2,"line":"f.py:12"}],
 "hints":{"used":["x"],"ignored":[]}})";

struct DlkSection {
  std::string name;
  std::vector<uint8_t> bytes;
  uint64_t address = 0;
};

class DlkBuilder {
public:
  uint16_t machine = isa::kElfMachine;
  uint16_t type = ET_EXEC;
  std::vector<DlkSection> sections;

  DlkBuilder& add(const std::string& name, std::vector<uint8_t> bytes, uint64_t address = 0) {
    sections.push_back({name, std::move(bytes), address});
    return *this;
  }
  DlkBuilder& add(const std::string& name, const std::string& text) {
    return add(name, std::vector<uint8_t>(text.begin(), text.end()));
  }
  DlkBuilder& addText(const std::string& name, const std::vector<uint64_t>& words,
                      uint64_t address = isa::kTextBase) {
    std::vector<uint8_t> bytes(words.size() * 8);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(words[i / 8] >> 8 * (i % 8));
    return add(name, std::move(bytes), address);
  }

  std::vector<uint8_t> build() const {
    std::vector<Elf64_Shdr> headers(1);
    std::vector<uint8_t> file(sizeof(Elf64_Ehdr));
    std::string names(1, '\0');
    const auto place = [&](const std::string& name, const std::vector<uint8_t>& bytes, uint64_t address,
                           uint32_t kind) {
      Elf64_Shdr header{};
      header.sh_name = static_cast<uint32_t>(names.size());
      names += name + '\0';
      header.sh_type = kind;
      header.sh_addr = address;
      header.sh_offset = file.size();
      header.sh_size = kind == SHT_STRTAB ? names.size() : bytes.size();
      header.sh_addralign = 1;
      headers.push_back(header);
      file.insert(file.end(), bytes.begin(), bytes.end());
    };
    for (const DlkSection& section : sections)
      place(section.name, section.bytes, section.address, SHT_PROGBITS);
    place(".shstrtab", {}, 0, SHT_STRTAB);
    file.insert(file.end(), names.begin(), names.end());
    file.resize((file.size() + 7) / 8 * 8);
    writeHeader(file, headers.size());
    const auto* raw = reinterpret_cast<const uint8_t*>(headers.data());
    file.insert(file.end(), raw, raw + headers.size() * sizeof(Elf64_Shdr));
    return file;
  }

private:
  void writeHeader(std::vector<uint8_t>& file, size_t sectionCount) const {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = type;
    header.e_machine = machine;
    header.e_version = EV_CURRENT;
    header.e_shoff = file.size();
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(sectionCount);
    header.e_shstrndx = static_cast<uint16_t>(sectionCount - 1);
    std::memcpy(file.data(), &header, sizeof header);
  }
};

// A version 2 line table with one row per line number, one word each from `address` up. Line 0 is "no line".
inline std::vector<uint8_t> lineTable(const std::string& fileName, const std::vector<uint8_t>& lines,
                                      uint64_t address) {
  // Instruction length 8, statements, line base -1, line range 4, opcode base 10, operands of opcodes 1..9.
  std::vector<uint8_t> header = {8, 1, 0xff, 4, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1};
  header.push_back(0); // no directories
  header.insert(header.end(), fileName.begin(), fileName.end());
  header.insert(header.end(), {0, 0, 0, 0, 0}); // name, directory, time, size, end of files
  std::vector<uint8_t> program = {0, 9, /*set_address*/ 2};
  for (unsigned i = 0; i < 8; ++i)
    program.push_back(static_cast<uint8_t>(address >> 8 * i));
  int previous = 1;
  for (uint8_t line : lines) {
    program.insert(program.end(),
                   {3, static_cast<uint8_t>((line - previous) & 0x7f)}); // advance_line, sleb128
    program.push_back(1);                                                // copy
    program.insert(program.end(), {2, 1});                               // advance_pc by 8
    previous = line;
  }
  program.insert(program.end(), {0, 1, 1}); // end of sequence
  const auto put32 = [](std::vector<uint8_t>& out, size_t value) {
    for (unsigned i = 0; i < 4; ++i)
      out.push_back(static_cast<uint8_t>(value >> 8 * i));
  };
  std::vector<uint8_t> table;
  put32(table, 2 + 4 + header.size() + program.size());
  table.insert(table.end(), {2, 0});
  put32(table, header.size());
  table.insert(table.end(), header.begin(), header.end());
  table.insert(table.end(), program.begin(), program.end());
  return table;
}

} // namespace dlsim::test
