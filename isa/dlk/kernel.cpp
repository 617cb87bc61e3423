#include "isa/dlk/kernel.h"
#include "isa/dlk/elf_file.h"
#include "isa/dlk/meta.h"
#include "isa/dlk/validate.h"
#include "isa/tables/hex.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace dlsim::dlk {

uint64_t Message::Value::count() const {
  constexpr uint64_t many = 1ULL << 32; // more than any tile has, and no overflow with the next extent
  uint64_t elements = 1;
  for (uint64_t extent : shape)
    elements = std::min(elements * extent, many);
  return elements;
}

namespace {

// A kernel is code and little else; what is larger is some other file.
constexpr uint64_t kMaxFileBytes = 1ULL << 30;
// Constants lie below the argument block (device memory map).
constexpr uint64_t kRodataBase = 0x20000000, kRodataEnd = 0x30000000;
constexpr uint64_t kTextEnd = 0x20000000;

std::optional<Text> readText(const ElfFile& elf, const Kernel& kernel, isa::CoreKind core,
                             const std::optional<uint64_t>& entry) {
  const std::string name = core == isa::CoreKind::AIC ? ".text.aic" : ".text.aiv";
  const auto section = elf.section(name);
  if (!entry) {
    if (section && !section->bytes.empty())
      throw FormatError(kernel.path, "section " + name, std::to_string(section->bytes.size()) + " bytes",
                        "a kernel of kind " + std::string(kindName(kernel.kind)) +
                            " has no code for that core");
    return std::nullopt;
  }
  if (!section)
    throw FormatError(kernel.path, "section " + name, "missing",
                      "a kernel of kind " + std::string(kindName(kernel.kind)) + " needs it");
  if (*entry % isa::kWordBytes != 0)
    throw FormatError(kernel.path, "meta.entries of " + name, std::to_string(*entry),
                      "it must be a multiple of 8");
  Text text;
  text.words = toWords(kernel.path, name, section->bytes);
  text.address = section->address ? section->address : isa::kTextBase;
  text.entry = *entry / isa::kWordBytes;
  if (text.address < isa::kTextBase || text.address >= kTextEnd || text.address % isa::kWordBytes != 0 ||
      section->bytes.size() > kTextEnd - text.address)
    throw FormatError(kernel.path, "address of " + name, isa::hex(text.address),
                      "code lies in 0x10000000..0x1fffffff, at a multiple of 8");
  validateText(kernel.path, name, text, core);
  return text;
}

void readRodata(const ElfFile& elf, Kernel& kernel) {
  const auto section = elf.section(".rodata");
  if (!section || section->bytes.empty())
    return;
  if (section->address < kRodataBase || section->address >= kRodataEnd ||
      section->bytes.size() > kRodataEnd - section->address)
    throw FormatError(kernel.path, "address of .rodata", isa::hex(section->address),
                      "constants lie in 0x20000000..0x2fffffff");
  kernel.rodata = section->bytes;
  kernel.rodataAddress = section->address;
}

// One address is one line of source, so the two texts of a mixed kernel lie side by side.
void checkTexts(const Kernel& kernel) {
  if (!kernel.aic || !kernel.aiv)
    return;
  const auto end = [](const Text& text) { return text.address + text.words.size() * isa::kWordBytes; };
  if (kernel.aic->address < end(*kernel.aiv) && kernel.aiv->address < end(*kernel.aic))
    throw FormatError(kernel.path, "address of .text.aiv", isa::hex(kernel.aiv->address),
                      "it overlaps .text.aic at " + isa::hex(kernel.aic->address) +
                          "; place one after the other");
}

void checkBuffers(const Kernel& kernel) {
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Buffer& buffer = kernel.buffers[i];
    const bool cubeOnly = buffer.scope != isa::Scope::UB;
    if ((cubeOnly && kernel.kind == KernelKind::Aiv) || (!cubeOnly && kernel.kind == KernelKind::Aic))
      throw FormatError(kernel.path, "meta.buffers[" + std::to_string(i) + "].scope",
                        "'" + std::string(isa::scopeName(buffer.scope)) + "'",
                        "a core of kind " + std::string(kindName(kernel.kind)) + " has no such buffer");
  }
}

} // namespace

std::string_view kindName(KernelKind kind) {
  constexpr std::string_view names[] = {"aic", "aiv", "mix"};
  return names[static_cast<size_t>(kind)];
}

std::optional<SourceLine> Kernel::sourceLine(isa::CoreKind core, size_t index) const {
  const auto& code = text(core);
  if (!code || index >= code->words.size())
    return std::nullopt;
  return lines.find(code->address + index * isa::kWordBytes);
}

const Buffer* Kernel::bufferAt(isa::Scope scope, uint64_t address) const {
  for (const Buffer& buffer : buffers)
    if (buffer.scope == scope && address >= buffer.offset &&
        address - buffer.offset < buffer.bytes * buffer.slots)
      return &buffer;
  return nullptr;
}

Kernel parse(std::vector<uint8_t> bytes, const std::string& name) {
  const ElfFile elf(std::move(bytes), name);
  Kernel kernel;
  kernel.path = name;
  const auto meta = elf.section(".dlnpu.meta");
  if (!meta)
    throw FormatError(name, "section .dlnpu.meta", "missing", "give a .dlk file that dlc wrote");
  const Entries entries = readMeta(meta->bytes, kernel);
  kernel.aic = readText(elf, kernel, isa::CoreKind::AIC, entries.aic);
  kernel.aiv = readText(elf, kernel, isa::CoreKind::AIV, entries.aiv);
  checkTexts(kernel);
  readRodata(elf, kernel);
  checkBuffers(kernel);
  kernel.lines = elf.lineTable();
  return kernel;
}

Kernel load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw FormatError(path, "file", std::string("unreadable (") + std::strerror(errno) + ")",
                      "check the path");
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    throw FormatError(path, "it", "a folder", "give a .dlk file that dlc wrote");
  file.seekg(0, std::ios::end);
  const auto size = file.tellg();
  if (size < 0 || static_cast<uint64_t>(size) > kMaxFileBytes)
    throw FormatError(path, "file size", std::to_string(static_cast<int64_t>(size)) + " bytes",
                      "a kernel binary is a regular file of at most 1 GiB");
  file.seekg(0);
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  if (!file.read(reinterpret_cast<char*>(bytes.data()), size))
    throw FormatError(path, "file", "unreadable to its end", "check that it is a regular file");
  return parse(std::move(bytes), path);
}

} // namespace dlsim::dlk
