#include "Link.h"
#include "Diagnostics.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using object::ELFSectionRef;
using object::SectionRef;
using object::SymbolRef;

namespace dlsim::codegen {

namespace {

class Linker {
  struct Input {
    const Object* object;
    std::unique_ptr<object::ELF64LEObjectFile> file;
    // Section index -> where its contents went.
    struct Place {
      size_t output;
      uint64_t offset;
    };
    std::map<uint64_t, Place> places;
  };

  Image image;
  std::vector<Input> inputs;

public:
  Expected<Image> run(ArrayRef<const Object*> objects) {
    for (const Object* object : objects)
      if (Error error = load(*object))
        return std::move(error);
    for (Input& input : inputs)
      if (Error error = place(input))
        return std::move(error);
    for (Input& input : inputs) {
      if (Error error = relocate(input))
        return std::move(error);
      if (Error error = exportSymbols(input))
        return std::move(error);
    }
    return std::move(image);
  }

private:
  Error load(const Object& object) {
    MemoryBufferRef buffer(StringRef(object.elf.data(), object.elf.size()), object.entry);
    Expected<std::unique_ptr<object::ObjectFile>> file = object::ObjectFile::createELFObjectFile(buffer);
    if (!file)
      return file.takeError();
    auto* elf = dyn_cast<object::ELF64LEObjectFile>(file->get());
    if (!elf)
      return makeError("internal error: the object is not a 64-bit little-endian ELF file");
    file->release();
    inputs.push_back({&object, std::unique_ptr<object::ELF64LEObjectFile>(elf), {}});
    return Error::success();
  }

  size_t output(const std::string& name, uint64_t address) {
    for (size_t i = 0; i < image.sections.size(); ++i)
      if (image.sections[i].name == name)
        return i;
    image.sections.push_back({name, address, {}});
    return image.sections.size() - 1;
  }

  // Line tables of both core kinds are merged, so their addresses must differ.
  uint64_t nextTextAddress() const {
    uint64_t address = codeBase;
    for (const LinkedSection& section : image.sections)
      if (StringRef(section.name).starts_with(".text"))
        address = alignTo(section.address + section.bytes.size(), 4096);
    return address;
  }

  // The output section for an input section; empty to leave it out.
  Expected<std::string> outputName(const Input& input, ELFSectionRef section, StringRef name) {
    uint64_t flags = section.getFlags();
    if (flags & ELF::SHF_EXECINSTR)
      return ".text." + kindName(input.object->kind).str();
    if (!(flags & ELF::SHF_ALLOC))
      return name.starts_with(".debug_") && name != ".debug_frame" ? name.str() : std::string();
    if (name.starts_with(".eh_frame") || section.getSize() == 0)
      return std::string();
    // Constants with addresses in them are writable only for a dynamic loader.
    if (flags & ELF::SHF_WRITE && !name.starts_with(".data.rel.ro"))
      return makeError("section '" + name + "' of kernel '" + input.object->entry +
                       "' is writable data; a kernel has code and constants only");
    return std::string(".rodata");
  }

  Error place(Input& input) {
    for (const SectionRef& section : input.file->sections()) {
      Expected<StringRef> name = section.getName();
      if (!name)
        return name.takeError();
      Expected<std::string> target = outputName(input, section, *name);
      if (!target)
        return target.takeError();
      if (target->empty())
        continue;
      bool isText = StringRef(*target).starts_with(".text");
      size_t index = output(*target, isText ? nextTextAddress() : *target == ".rodata" ? constBase : 0);
      std::vector<char>& bytes = image.sections[index].bytes;
      uint64_t align = StringRef(*target).starts_with(".debug") ? 1 : section.getAlignment().value();
      bytes.resize(alignTo(bytes.size(), align));
      input.places[section.getIndex()] = {index, bytes.size()};
      if (ELFSectionRef(section).getType() == ELF::SHT_NOBITS) {
        bytes.resize(bytes.size() + section.getSize());
        continue;
      }
      Expected<StringRef> contents = section.getContents();
      if (!contents)
        return contents.takeError();
      bytes.insert(bytes.end(), contents->begin(), contents->end());
    }
    return Error::success();
  }

  Expected<uint64_t> addressOf(const Input& input, const SymbolRef& symbol) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    Expected<uint64_t> value = symbol.getValue();
    if (!value)
      return value.takeError();
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (*flags & SymbolRef::SF_Absolute)
      return *value;
    Expected<object::section_iterator> section = symbol.getSection();
    if (!section)
      return section.takeError();
    if (*section == input.file->section_end())
      return makeError("kernel '" + input.object->entry + "' uses '" + *name +
                       "', which is not defined; a kernel is linked with no library");
    auto it = input.places.find((*section)->getIndex());
    if (it == input.places.end())
      return makeError("kernel '" + input.object->entry + "': symbol '" + *name +
                       "' lies in a section that is not loaded");
    return image.sections[it->second.output].address + it->second.offset + *value;
  }

  Error apply(uint32_t type, char* place, uint64_t value, uint64_t address, StringRef name) {
    uint64_t word = support::endian::read64le(place);
    constexpr uint64_t low24 = 0xffffff, low32 = 0xffffffff;
    switch (type) {
    case DLNPU::R_DLNPU_NONE:
      return Error::success();
    case DLNPU::R_DLNPU_64:
      support::endian::write64le(place, value);
      return Error::success();
    case DLNPU::R_DLNPU_32:
      if (!isUInt<32>(value) && !isInt<32>(int64_t(value)))
        return makeError(formatv("'{0}' is {1:x}, which does not fit 32 bits", name, value));
      support::endian::write32le(place, uint32_t(value));
      return Error::success();
    case DLNPU::R_DLNPU_PC24W: {
      int64_t distance = int64_t(value - address);
      if (distance % 8 || !isInt<24>(distance / 8))
        return makeError(
            formatv("branch to '{0}' over {1} bytes does not fit a branch word", name, distance));
      support::endian::write64le(place, (word & ~low24) | (uint64_t(distance / 8) & low24));
      return Error::success();
    }
    case DLNPU::R_DLNPU_LO32:
      support::endian::write64le(place, (word & ~low32) | (value & low32));
      return Error::success();
    case DLNPU::R_DLNPU_HI32:
      support::endian::write64le(place, (word & ~low32) | (value >> 32));
      return Error::success();
    default:
      return makeError("internal error: unknown relocation type " + Twine(type));
    }
  }

  Error relocate(Input& input) {
    for (const SectionRef& section : input.file->sections()) {
      Expected<object::section_iterator> target = section.getRelocatedSection();
      if (!target)
        return target.takeError();
      if (*target == input.file->section_end())
        continue;
      auto it = input.places.find((*target)->getIndex());
      if (it == input.places.end())
        continue;
      LinkedSection& out = image.sections[it->second.output];
      for (const object::ELFRelocationRef relocation : section.relocations()) {
        uint64_t offset = it->second.offset + relocation.getOffset();
        unsigned size = relocation.getType() == DLNPU::R_DLNPU_32 ? 4 : 8;
        if (offset + size > out.bytes.size())
          return makeError("internal error: relocation outside of its section");
        Expected<int64_t> addend = relocation.getAddend();
        if (!addend)
          return addend.takeError();
        Expected<uint64_t> symbol = addressOf(input, *relocation.getSymbol());
        if (!symbol)
          return symbol.takeError();
        std::vector<char> padded; // a 4-byte field may end the section
        char* place = out.bytes.data() + offset;
        char buffer[8] = {};
        if (size == 4)
          std::copy_n(place, 4, buffer);
        if (Error error =
                apply(uint32_t(relocation.getType()), size == 4 ? buffer : place, *symbol + uint64_t(*addend),
                      out.address + offset, cantFail(relocation.getSymbol()->getName())))
          return error;
        if (size == 4)
          std::copy_n(buffer, 4, place);
      }
    }
    return Error::success();
  }

  Error exportSymbols(Input& input) {
    bool found = false;
    for (const object::ELFSymbolRef symbol : input.file->symbols()) {
      bool isFunction = symbol.getELFType() == ELF::STT_FUNC;
      bool isEntry = cantFail(symbol.getName()) == input.object->entry;
      Expected<object::section_iterator> section = symbol.getSection();
      if (!section)
        return section.takeError();
      if (*section == input.file->section_end())
        continue;
      auto it = input.places.find((*section)->getIndex());
      if (it == input.places.end() || symbol.getELFType() == ELF::STT_SECTION)
        continue;
      const LinkedSection& out = image.sections[it->second.output];
      uint64_t address = out.address + it->second.offset + cantFail(symbol.getValue());
      if (isEntry && StringRef(out.name).starts_with(".text")) {
        image.entries[kindName(input.object->kind).str()] = address - out.address;
        found = true;
      }
      if (isFunction || isEntry || symbol.getELFType() == ELF::STT_OBJECT)
        image.symbols.push_back(
            {cantFail(symbol.getName()).str(), out.name, address, symbol.getSize(), isFunction || isEntry});
    }
    return found ? Error::success()
                 : makeError("entry '" + input.object->entry + "' is not a symbol of the code");
  }
};

} // namespace

Expected<Image> link(ArrayRef<const Object*> objects) {
  for (size_t i = 0; i < objects.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (objects[i]->kind == objects[k]->kind)
        return makeError("two objects for the same core kind (" + kindName(objects[i]->kind) + ")");
  return Linker().run(objects);
}

} // namespace dlsim::codegen
