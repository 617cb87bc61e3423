#include "isa/dlk/elf_file.h"
#include "isa/dlk/format_error.h"
#include "isa/tables/hex.h"
#include "isa/tables/tables.h"
#include <cstring>
#include <elf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <map>

namespace dlsim::dlk {

namespace {

Elf* openMemory(std::vector<uint8_t>& bytes) {
  elf_version(EV_CURRENT);
  return elf_memory(reinterpret_cast<char*>(bytes.data()), bytes.size());
}

} // namespace

ElfFile::ElfFile(std::vector<uint8_t> bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)), elf_(nullptr, elf_end) {
  checkHeader();
  checkSectionTable();
  elf_.reset(openMemory(bytes_));
  if (!elf_)
    throw FormatError(name_, "ELF file", std::string("unreadable (") + elf_errmsg(-1) + ")",
                      "compile the kernel again");
  readSections();
}

ElfFile::~ElfFile() = default;

void ElfFile::checkHeader() const {
  const auto fail = [&](const char* field, const std::string& value, const char* fix) {
    throw FormatError(name_, field, value, fix);
  };
  if (bytes_.size() < sizeof(Elf64_Ehdr))
    fail("file size", std::to_string(bytes_.size()) + " bytes",
         "a kernel binary is at least 64 bytes; the file is cut off or empty");
  Elf64_Ehdr header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    fail("magic", "not \\x7fELF", "give a .dlk file that dlc wrote");
  if (header.e_ident[EI_CLASS] != ELFCLASS64)
    fail("ELF class", std::to_string(header.e_ident[EI_CLASS]), "a kernel binary is ELF64 (2)");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB)
    fail("ELF data encoding", std::to_string(header.e_ident[EI_DATA]),
         "a kernel binary is little-endian (1)");
  if (header.e_ident[EI_VERSION] != EV_CURRENT || header.e_version != EV_CURRENT)
    fail("ELF version", std::to_string(header.e_version), "it must be 1");
  if (header.e_machine != isa::kElfMachine)
    fail("e_machine", isa::hex(header.e_machine),
         "a kernel binary has 0xd1a0; this file is for another machine");
  if (header.e_type != ET_EXEC)
    fail("e_type", std::to_string(header.e_type),
         "only linked files (ET_EXEC, 2) run; link the object with dlc");
}

// libelf is lenient here; a loader that validates must not be.
void ElfFile::checkSectionTable() const {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    throw FormatError(name_, "e_shentsize", std::to_string(header.e_shentsize), "it must be 64");
  const uint64_t size = uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  if (header.e_shnum == 0 || header.e_shoff > bytes_.size() || size > bytes_.size() - header.e_shoff)
    throw FormatError(name_, "section table",
                      std::to_string(header.e_shnum) + " entries at " + isa::hex(header.e_shoff) + " of " +
                          std::to_string(bytes_.size()) + " bytes",
                      "the file is cut off; compile the kernel again");
  if (header.e_shstrndx >= header.e_shnum)
    throw FormatError(name_, "e_shstrndx", std::to_string(header.e_shstrndx),
                      "it must be below the section count " + std::to_string(header.e_shnum));
}

void ElfFile::readSections() {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  for (unsigned index = 1; index < header.e_shnum; ++index) {
    GElf_Shdr section;
    Elf_Scn* scn = elf_getscn(elf_.get(), index);
    const std::string place = "section " + std::to_string(index);
    if (!scn || !gelf_getshdr(scn, &section))
      throw FormatError(name_, place, "unreadable", "compile the kernel again");
    const char* text = elf_strptr(elf_.get(), header.e_shstrndx, section.sh_name);
    if (!text)
      throw FormatError(name_, place + " name", isa::hex(section.sh_name),
                        "it must point into the section name table");
    Section result{text, section.sh_addr, {}};
    if (section.sh_type != SHT_NOBITS) {
      if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset)
        throw FormatError(name_, "section " + result.name,
                          isa::hex(section.sh_size) + " bytes at " + isa::hex(section.sh_offset) + " of " +
                              std::to_string(bytes_.size()) + " bytes",
                          "the file is cut off; compile the kernel again");
      const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(section.sh_offset);
      result.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(section.sh_size));
    }
    sections_.push_back(std::move(result));
  }
}

std::optional<Section> ElfFile::section(const std::string& name) const {
  const Section* found = nullptr;
  for (const Section& section : sections_)
    if (section.name == name) {
      if (found)
        throw FormatError(name_, "section " + name, "present twice", "a kernel binary has one of each name");
      found = &section;
    }
  return found ? std::optional<Section>(*found) : std::nullopt;
}

namespace {

struct TableBuilder {
  std::vector<std::string> files;
  std::map<std::string, uint32_t> fileIndex;
  std::vector<LineTable::Row> rows;

  uint32_t fileNumber(const char* name) {
    const auto [at, inserted] = fileIndex.try_emplace(name ? name : "?", static_cast<uint32_t>(files.size()));
    if (inserted)
      files.push_back(at->first);
    return at->second;
  }

  void add(Dwarf_Lines* lines, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      Dwarf_Line* line = dwarf_onesrcline(lines, i);
      LineTable::Row row{};
      Dwarf_Addr address = 0;
      int number = 0, column = 0;
      if (!line || dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0)
        continue;
      dwarf_linecol(line, &column);
      dwarf_lineendsequence(line, &row.endSequence);
      row.address = address;
      row.line = number > 0 ? static_cast<uint32_t>(number) : 0;
      row.column = column > 0 ? static_cast<uint32_t>(column) : 0;
      row.file = fileNumber(dwarf_linesrc(line, nullptr, nullptr));
      rows.push_back(row);
    }
  }
};

} // namespace

LineTable ElfFile::lineTable() const {
  const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(dwarf_begin_elf(elf_.get(), DWARF_C_READ, nullptr),
                                                      dwarf_end);
  if (!dwarf)
    return {}; // no debug information
  TableBuilder builder;
  Dwarf_Off offset = 0, next = 0;
  Dwarf_CU* unit = nullptr;
  Dwarf_Files* files = nullptr;
  Dwarf_Lines* lines = nullptr;
  size_t fileCount = 0, lineCount = 0;
  int status = 0;
  while ((status = dwarf_next_lines(dwarf.get(), offset, &next, &unit, &files, &fileCount, &lines,
                                    &lineCount)) == 0) {
    if (lines)
      builder.add(lines, lineCount);
    if (next <= offset)
      break;
    offset = next;
  }
  if (status < 0)
    throw FormatError(name_, ".debug_line", std::string("malformed (") + dwarf_errmsg(-1) + ")",
                      "compile the kernel again, or strip its debug information");
  return LineTable(std::move(builder.files), std::move(builder.rows));
}

} // namespace dlsim::dlk
