#include "isa/mc/objdump/Inputs.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <fstream>

using namespace llvm;

namespace dlsim::mc {

std::string SourceText::line(const std::string& file, unsigned number) {
  auto [at, inserted] = files_.try_emplace(file);
  if (inserted) {
    std::ifstream stream(file);
    for (size_t i = 0; !stream.is_open() && i < folders_.size(); ++i)
      stream.open(folders_[i] + "/" + file);
    for (std::string text; std::getline(stream, text);)
      at->second.push_back(StringRef(text).trim().str());
  }
  return number >= 1 && number <= at->second.size() ? at->second[number - 1] : "";
}

std::vector<ListingInput> listingsOf(const dlk::Kernel& kernel, SourceText& sources) {
  std::vector<ListingInput> inputs;
  for (const auto core : {isa::CoreKind::AIC, isa::CoreKind::AIV}) {
    const auto& text = kernel.text(core);
    if (!text)
      continue;
    ListingInput input;
    input.section = core == isa::CoreKind::AIC ? ".text.aic" : ".text.aiv";
    input.words = text->words;
    input.address = text->address;
    input.labels[text->entry] = core == isa::CoreKind::AIC ? "entry_aic" : "entry_aiv";
    input.source = [&kernel, &sources, core](size_t index) {
      const auto line = kernel.sourceLine(core, index);
      if (!line)
        return std::string();
      const std::string source = sources.line(line->file, line->line);
      return line->toString() + (source.empty() ? "" : ": " + source);
    };
    inputs.push_back(std::move(input));
  }
  return inputs;
}

namespace {

std::string relocationName(uint64_t type) {
  switch (type) {
  case DLNPU::R_DLNPU_NONE:
    return "R_DLNPU_NONE";
  case DLNPU::R_DLNPU_64:
    return "R_DLNPU_64";
  case DLNPU::R_DLNPU_32:
    return "R_DLNPU_32";
  case DLNPU::R_DLNPU_PC24W:
    return "R_DLNPU_PC24W";
  case DLNPU::R_DLNPU_LO32:
    return "R_DLNPU_LO32";
  case DLNPU::R_DLNPU_HI32:
    return "R_DLNPU_HI32";
  default:
    return "relocation " + std::to_string(type);
  }
}

using Object = object::ELFObjectFile<object::ELF64LE>;

Error addRelocations(const Object& object, std::map<uint64_t, ListingInput>& byIndex) {
  for (const object::SectionRef& section : object.sections()) {
    Expected<object::section_iterator> target = section.getRelocatedSection();
    if (!target)
      return target.takeError();
    if (*target == object.section_end())
      continue;
    const auto at = byIndex.find((*target)->getIndex());
    if (at == byIndex.end())
      continue;
    for (const object::ELFRelocationRef relocation : section.relocations()) {
      std::string text = relocationName(relocation.getType());
      if (relocation.getSymbol() != object.symbol_end()) {
        Expected<StringRef> name = relocation.getSymbol()->getName();
        if (!name)
          return name.takeError();
        text += " " + name->str();
      }
      if (Expected<int64_t> addend = relocation.getAddend()) {
        if (*addend)
          text += formatv("{0}{1}", *addend < 0 ? "" : "+", *addend).str();
      } else {
        consumeError(addend.takeError());
      }
      at->second.notes[relocation.getOffset() / isa::kWordBytes] = text;
    }
  }
  return Error::success();
}

Error addSymbols(const Object& object, std::map<uint64_t, ListingInput>& byIndex) {
  for (const object::ELFSymbolRef symbol : object.symbols()) {
    Expected<object::section_iterator> section = symbol.getSection();
    Expected<StringRef> name = symbol.getName();
    Expected<uint64_t> value = symbol.getValue();
    if (!section || !name || !value)
      return joinErrors(section.takeError(), joinErrors(name.takeError(), value.takeError()));
    if (*section == object.section_end() || name->empty() || symbol.getELFType() == ELF::STT_SECTION)
      continue;
    if (const auto at = byIndex.find((*section)->getIndex()); at != byIndex.end())
      at->second.labels[*value / isa::kWordBytes] = name->str();
  }
  return Error::success();
}

} // namespace

Expected<std::vector<ListingInput>> listingsOfObject(StringRef path, StringRef bytes) {
  auto object = Object::create(MemoryBufferRef(bytes, path));
  if (!object)
    return object.takeError();
  if (object->getELFFile().getHeader().e_machine != isa::kElfMachine)
    return createStringError("e_machine is 0x" + utohexstr(object->getELFFile().getHeader().e_machine) +
                             "; a DLNPU object has 0xd1a0");
  std::map<uint64_t, ListingInput> byIndex;
  for (const object::SectionRef& section : object->sections()) {
    if (!section.isText() || section.getSize() == 0)
      continue;
    Expected<StringRef> name = section.getName();
    Expected<StringRef> contents = section.getContents();
    if (!name || !contents)
      return joinErrors(name.takeError(), contents.takeError());
    ListingInput& input = byIndex[section.getIndex()];
    input.section = name->str();
    for (size_t at = 0; at + isa::kWordBytes <= contents->size(); at += isa::kWordBytes)
      input.words.push_back(support::endian::read64le(contents->data() + at));
  }
  if (Error error = addSymbols(*object, byIndex))
    return error;
  if (Error error = addRelocations(*object, byIndex))
    return error;
  std::vector<ListingInput> inputs;
  for (auto& [index, input] : byIndex)
    inputs.push_back(std::move(input));
  return inputs;
}

namespace {

void printBuffers(raw_ostream& os, const dlk::Kernel& kernel) {
  if (kernel.buffers.empty())
    return;
  os << "// buffers:\n//   scope      offset       bytes  slots  name\n";
  std::map<std::string, uint64_t> ends;
  for (const dlk::Buffer& buffer : kernel.buffers) {
    const std::string scope(isa::scopeName(buffer.scope));
    os << formatv("//   {0,-5}  {1,10}  {2,10}  {3,5}  {4}{5}\n", scope,
                  formatv("{0:x}", buffer.offset).str(), buffer.bytes, buffer.slots, buffer.name,
                  buffer.line.empty() ? "" : "  (" + buffer.line + ")");
    uint64_t& end = ends[scope];
    end = std::max(end, buffer.offset + buffer.bytes * buffer.slots);
  }
  os << "// used up to:";
  for (const auto& [scope, end] : ends)
    os << formatv(" {0} {1} bytes;", scope, end);
  os << '\n';
}

} // namespace

void printPlan(raw_ostream& os, const dlk::Kernel& kernel) {
  const std::string kind(dlk::kindName(kernel.kind));
  os << formatv("// {0}: kernel '{1}' ({2}) for {3}, by {4}\n", kernel.path, kernel.name, kind, kernel.chip,
                kernel.compiler);
  os << formatv("// grid: rank {0}, order {1}, policy {2}{3}\n", kernel.grid.rank, kernel.grid.order,
                kernel.grid.policy, kernel.grid.kOffset ? ", k offset" : "");
  os << formatv("// per core: {0} bytes of workspace, {1} of stack; constants: {2} bytes\n",
                kernel.workspaceBytesPerCore, kernel.stackBytesPerCore, kernel.rodata.size());
  for (size_t i = 0; i < kernel.args.size(); ++i)
    os << formatv("// argument {0}: {1}, {2} {3}\n", i, kernel.args[i].name,
                  kernel.args[i].kind == dlk::Argument::Kind::Tensor ? "tensor of" : "scalar",
                  kernel.args[i].dtype);
  printBuffers(os, kernel);
  os << "// options: " << kernel.options << '\n';
  for (const std::string& hint : kernel.hintsUsed)
    os << "// hint used: " << hint << '\n';
  for (const std::string& hint : kernel.hintsIgnored)
    os << "// hint ignored: " << hint << '\n';
}

} // namespace dlsim::mc
