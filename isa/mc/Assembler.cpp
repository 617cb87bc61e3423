#include "isa/mc/Assembler.h"
#include "isa/mc/DLNPUBundle.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "isa/tables/tables.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlsim::mc {

namespace {

// What every use of the MC layer needs, in the order of construction.
struct Layer {
  explicit Layer(StringRef cpu)
      : target((registerTarget(), getTheDLNPUTarget())), triple(DLNPU::kTriple),
        registers(target.createMCRegInfo(DLNPU::kTriple)),
        asmInfo(target.createMCAsmInfo(*registers, DLNPU::kTriple, options)),
        instrs(target.createMCInstrInfo()), subtarget(target.createMCSubtargetInfo(DLNPU::kTriple, cpu, "")) {
  }

  const Target& target;
  Triple triple;
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> asmInfo;
  std::unique_ptr<MCInstrInfo> instrs;
  std::unique_ptr<MCSubtargetInfo> subtarget;
};

Error failure(const Twine& text) { return createStringError(inconvertibleErrorCode(), text); }

// Collects diagnostics instead of printing them.
void collect(const SMDiagnostic& diagnostic, void* text) {
  raw_string_ostream os(*static_cast<std::string*>(text));
  diagnostic.print(nullptr, os, /*ShowColors=*/false);
}

// True when everything went well.
bool parseInto(raw_pwrite_stream& os, Layer& layer, SourceMgr& sources, const AssemblyOptions& options) {
  MCContext context(layer.triple, layer.asmInfo.get(), layer.registers.get(), layer.subtarget.get(), &sources,
                    &layer.options);
  const std::unique_ptr<MCObjectFileInfo> sections(
      layer.target.createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(sections.get());
  context.setMainFileName(options.fileName);
  if (options.lineTable) {
    context.setGenDwarfForAssembly(true);
    context.setDwarfVersion(4); // 5 would put every relative file below a folder without a name
  }
  std::unique_ptr<MCAsmBackend> backend(
      layer.target.createMCAsmBackend(*layer.subtarget, *layer.registers, layer.options));
  std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(os);
  std::unique_ptr<MCCodeEmitter> emitter(layer.target.createMCCodeEmitter(*layer.instrs, context));
  const std::unique_ptr<MCStreamer> streamer(layer.target.createMCObjectStreamer(
      layer.triple, context, std::move(backend), std::move(writer), std::move(emitter), *layer.subtarget));
  streamer->setUseAssemblerInfoForParsing(true);
  const std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, *streamer, *layer.asmInfo));
  const std::unique_ptr<MCTargetAsmParser> targetParser(
      layer.target.createMCAsmParser(*layer.subtarget, *parser, *layer.instrs, layer.options));
  parser->setTargetParser(*targetParser);
  const bool failed = parser->Run(/*NoInitialTextSection=*/false);
  return !failed && !context.hadError();
}

} // namespace

Expected<SmallVector<char, 0>> assembleObject(StringRef text, const AssemblyOptions& options) {
  if (options.cpu != "aic" && options.cpu != "aiv" && options.cpu != "generic")
    return failure("unknown processor '" + options.cpu + "'; use aic, aiv or generic");
  Layer layer(options.cpu);
  SourceMgr sources;
  std::string diagnostics;
  sources.setDiagHandler(collect, &diagnostics);
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, options.fileName), SMLoc());
  SmallVector<char, 0> object;
  raw_svector_ostream os(object);
  if (!parseInto(os, layer, sources, options))
    return failure(StringRef(diagnostics).rtrim());
  return object;
}

Expected<std::vector<uint64_t>> assemble(StringRef text, const AssemblyOptions& options) {
  AssemblyOptions quiet = options;
  quiet.lineTable = false;
  auto object = assembleObject(text, quiet);
  if (!object)
    return object.takeError();
  auto file = object::ELFObjectFile<object::ELF64LE>::create(
      MemoryBufferRef(StringRef(object->data(), object->size()), options.fileName));
  if (!file)
    return file.takeError();
  std::vector<uint64_t> words;
  for (const object::SectionRef& section : file->sections()) {
    if (!section.relocations().empty())
      return failure(
          "an instruction refers to a symbol that is not defined in this text; assemble to an object and "
          "link it");
    if (!section.isText() || section.getSize() == 0)
      continue;
    Expected<StringRef> bytes = section.getContents();
    if (!bytes)
      return bytes.takeError();
    if (!words.empty())
      return failure("more than one text section has content; assemble to an object instead");
    for (size_t at = 0; at + isa::kWordBytes <= bytes->size(); at += isa::kWordBytes)
      words.push_back(support::endian::read64le(bytes->data() + at));
  }
  return words;
}

struct Disassembler::State {
  State()
      : layer("generic"),
        context(layer.triple, layer.asmInfo.get(), layer.registers.get(), layer.subtarget.get()),
        decoder(layer.target.createMCDisassembler(*layer.subtarget, context)),
        printer(layer.target.createMCInstPrinter(layer.triple, 0, *layer.asmInfo, *layer.instrs,
                                                 *layer.registers)) {}

  Layer layer;
  MCContext context;
  std::unique_ptr<MCDisassembler> decoder;
  std::unique_ptr<MCInstPrinter> printer;
};

Disassembler::Disassembler() : state_(std::make_unique<State>()) {}
Disassembler::~Disassembler() = default;

Disassembler::Bundle Disassembler::next(ArrayRef<uint64_t> words, uint64_t address) const {
  words = words.take_front(DLNPU::kMaxBundleWords);
  std::array<uint8_t, DLNPU::kMaxBundleWords * isa::kWordBytes> bytes;
  for (size_t i = 0; i < words.size(); ++i)
    support::endian::write64le(bytes.data() + i * isa::kWordBytes, words[i]);
  MCInst inst;
  uint64_t size = 0;
  Bundle bundle;
  const auto status = state_->decoder->getInstruction(
      inst, size, ArrayRef(bytes.data(), words.size() * isa::kWordBytes), address, nulls());
  if (status != MCDisassembler::Success)
    return bundle;
  bundle.valid = true;
  bundle.words = size / isa::kWordBytes;
  for (const MCInst* word : DLNPU::bundleWords(inst)) {
    std::string text;
    raw_string_ostream os(text);
    state_->printer->printInst(word, address + bundle.texts.size() * isa::kWordBytes, "",
                               *state_->layer.subtarget, os);
    bundle.texts.push_back(StringRef(os.str()).trim().str());
  }
  return bundle;
}

std::string disassemble(ArrayRef<uint64_t> words) {
  const Disassembler disassembler;
  std::string text;
  raw_string_ostream os(text);
  for (size_t at = 0; at < words.size();) {
    const auto bundle = disassembler.next(words.drop_front(at), at * isa::kWordBytes);
    if (!bundle.valid)
      os << "\t.quad\t" << format_hex(words[at], 18) << '\n';
    else if (bundle.words == 1)
      os << '\t' << bundle.texts.front() << '\n';
    else
      os << "\t{ " << join(bundle.texts, "\n\t  ") << " }\n";
    at += bundle.words;
  }
  return text;
}

} // namespace dlsim::mc
