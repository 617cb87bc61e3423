// The kernel binary: an ELF file with the linked sections and the metadata as JSON.
#include "Diagnostics.h"
#include "Files.h"
#include "Link.h"
#include "isa/tables/tables.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlsim::codegen {

namespace {

constexpr int64_t defaultStackBytes = 8192;
constexpr int64_t unknownStackBytes = 65536; // recursion or run-time frames: no bound is known

class StringTable {
  std::string bytes = std::string(1, '\0');

public:
  uint32_t add(StringRef text) {
    auto offset = uint32_t(bytes.size());
    bytes.append(text.data(), text.size()).push_back('\0');
    return offset;
  }
  const std::string& data() const { return bytes; }
};

// Lays an ELF file out: header, section contents, section headers.
class ElfWriter {
  struct Section {
    ELF::Elf64_Shdr header = {};
    std::string bytes;
  };
  std::vector<Section> sections = std::vector<Section>(1);
  StringTable names;

public:
  uint16_t add(StringRef name, uint32_t type, uint64_t flags, uint64_t address, StringRef bytes,
               uint64_t align) {
    Section section;
    section.header.sh_name = names.add(name);
    section.header.sh_type = type;
    section.header.sh_flags = flags;
    section.header.sh_addr = address;
    section.header.sh_size = bytes.size();
    section.header.sh_addralign = align;
    section.bytes = bytes.str();
    sections.push_back(std::move(section));
    return uint16_t(sections.size() - 1);
  }
  ELF::Elf64_Shdr& header(uint16_t index) { return sections[index].header; }

  std::string finish(uint64_t entry) {
    uint16_t nameSection = add(".shstrtab", ELF::SHT_STRTAB, 0, 0, "", 1);
    sections[nameSection].bytes = names.data();
    sections[nameSection].header.sh_size = names.data().size();
    std::string file(sizeof(ELF::Elf64_Ehdr), '\0');
    for (size_t i = 1; i < sections.size(); ++i) {
      file.resize(alignTo(file.size(), std::max<uint64_t>(sections[i].header.sh_addralign, 1)));
      sections[i].header.sh_offset = file.size();
      file += sections[i].bytes;
    }
    file.resize(alignTo(file.size(), 8));
    ELF::Elf64_Ehdr header = {};
    std::copy_n(ELF::ElfMagic, 4, header.e_ident);
    header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
    header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
    header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
    header.e_type = ELF::ET_EXEC;
    header.e_machine = isa::kElfMachine;
    header.e_version = ELF::EV_CURRENT;
    header.e_entry = entry;
    header.e_shoff = file.size();
    header.e_ehsize = sizeof(ELF::Elf64_Ehdr);
    header.e_shentsize = sizeof(ELF::Elf64_Shdr);
    header.e_shnum = uint16_t(sections.size());
    header.e_shstrndx = nameSection;
    std::copy_n(reinterpret_cast<const char*>(&header), sizeof header, file.begin());
    for (const Section& section : sections)
      file.append(reinterpret_cast<const char*>(&section.header), sizeof section.header);
    return file;
  }
};

void addSymbols(ElfWriter& writer, const Image& image, const std::map<std::string, uint16_t>& sections) {
  StringTable names;
  std::string table(sizeof(ELF::Elf64_Sym), '\0');
  for (const LinkedSymbol& symbol : image.symbols) {
    ELF::Elf64_Sym entry = {};
    entry.st_name = names.add(symbol.name);
    entry.setBindingAndType(ELF::STB_GLOBAL, symbol.isFunction ? ELF::STT_FUNC : ELF::STT_OBJECT);
    entry.st_shndx = sections.at(symbol.section);
    entry.st_value = symbol.address;
    entry.st_size = symbol.size;
    table.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  }
  uint16_t strings = writer.add(".strtab", ELF::SHT_STRTAB, 0, 0, names.data(), 1);
  uint16_t symbols = writer.add(".symtab", ELF::SHT_SYMTAB, 0, 0, table, 8);
  writer.header(symbols).sh_link = strings;
  writer.header(symbols).sh_info = 1; // only the null symbol is local
  writer.header(symbols).sh_entsize = sizeof(ELF::Elf64_Sym);
}

int64_t stackBytes(ArrayRef<const Object*> objects) {
  int64_t bytes = defaultStackBytes;
  for (const Object* object : objects) {
    if (object->report.frames.empty())
      continue; // assembly
    int64_t needed = object->report.stackBytes(object->entry);
    bytes = std::max(bytes, needed < 0 ? unknownStackBytes : int64_t(alignTo(uint64_t(needed), 64)));
  }
  return bytes;
}

// What the caller did not say.
void completeMeta(json::Object& meta, ArrayRef<const Object*> objects, const Image& image) {
  auto set = [&](StringRef key, json::Value value) { meta.try_emplace(key, std::move(value)); };
  set("version", 1);
  set("compiler", "dlc 0.1.0");
  set("chip", "ascend910b1");
  set("kernel", objects.front()->entry);
  set("kind", objects.size() == 2 ? StringRef("mix") : kindName(objects.front()->kind));
  json::Object entries;
  for (const auto& [kind, offset] : image.entries)
    entries[kind] = int64_t(offset);
  meta["entries"] = std::move(entries);
  json::Array args;
  for (const KernelArg& arg : objects.front()->args)
    args.push_back(json::Object{{"name", arg.name}, {"kind", arg.kind}, {"dtype", arg.dtype}});
  set("args", std::move(args));
  set("grid", json::Object{{"rank", 1}, {"order", "rows"}, {"k_offset", false}, {"policy", "loop"}});
  set("workspace_bytes_per_core", 0);
  set("stack_bytes_per_core", stackBytes(objects));
  set("options", json::Object());
  set("buffers", json::Array());
  set("hints", json::Object{{"used", json::Array()}, {"ignored", json::Array()}});
}

} // namespace

Error writeDlk(StringRef path, ArrayRef<const Object*> objects, json::Object meta) {
  if (objects.empty())
    return makeError("no code to write");
  Expected<Image> image = link(objects);
  if (!image)
    return image.takeError();
  completeMeta(meta, objects, *image);
  ElfWriter writer;
  std::map<std::string, uint16_t> indices;
  for (const LinkedSection& section : image->sections) {
    StringRef name = section.name, bytes(section.bytes.data(), section.bytes.size());
    uint64_t flags = name.starts_with(".text") ? ELF::SHF_ALLOC | ELF::SHF_EXECINSTR
                     : name == ".rodata"       ? ELF::SHF_ALLOC
                                               : 0;
    indices[section.name] =
        writer.add(name, ELF::SHT_PROGBITS, flags, section.address, bytes, flags ? 64 : 1);
  }
  addSymbols(writer, *image, indices);
  std::string text;
  raw_string_ostream(text) << json::Value(std::move(meta));
  writer.add(".dlnpu.meta", ELF::SHT_PROGBITS, 0, 0, text, 1);
  std::string file = writer.finish(codeBase + image->entries.begin()->second);
  return writeFile(path, file);
}

} // namespace dlsim::codegen
