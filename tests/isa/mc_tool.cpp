// isa-mc: the assembler and disassembler on the command line, for lit tests.
//
//   isa-mc FILE.s              words of the file, disassembled
//   isa-mc FILE.s -o FILE.o    relocatable object
//   isa-mc FILE.s --dlk META.json -o FILE.dlk    a kernel binary from code without relocations
#include "isa/mc/Assembler.h"
#include "tests/isa/dlk_builder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

using namespace dlsim;

namespace {

int fail(const std::string& text) {
  std::cerr << text << '\n';
  return 1;
}

void write(const std::string& path, const char* bytes, size_t size) {
  std::ofstream(path, std::ios::binary).write(bytes, static_cast<std::streamsize>(size));
}

int writeKernel(llvm::StringRef text, const mc::AssemblyOptions& options, const std::string& metaPath,
                const std::string& output) {
  auto words = mc::assemble(text, options);
  if (!words)
    return fail(llvm::toString(words.takeError()));
  auto meta = llvm::MemoryBuffer::getFile(metaPath);
  if (!meta)
    return fail("cannot read " + metaPath);
  test::DlkBuilder builder;
  builder.addText(text.contains(".text.aic") ? ".text.aic" : ".text.aiv", *words);
  builder.add(".dlnpu.meta", (*meta)->getBuffer().str());
  std::vector<uint8_t> lines;
  for (size_t i = 0; i < words->size(); ++i)
    lines.push_back(static_cast<uint8_t>(1 + i / 2));
  builder.add(".debug_line", test::lineTable("kernel.py", lines, isa::kTextBase));
  const auto bytes = builder.build();
  write(output, reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("Assembler and disassembler for tests", "isa-mc");
  std::string input, output, meta;
  mc::AssemblyOptions options;
  app.add_option("input", input)->required();
  app.add_option("-o", output);
  app.add_option("--mcpu", options.cpu);
  app.add_option("--dlk", meta);
  CLI11_PARSE(app, argc, argv);
  auto buffer = llvm::MemoryBuffer::getFile(input, /*IsText=*/true);
  if (!buffer)
    return fail("cannot read " + input);
  const llvm::StringRef text = (*buffer)->getBuffer();
  options.fileName = input.substr(input.find_last_of('/') + 1);
  if (!meta.empty())
    return writeKernel(text, options, meta, output);
  if (output.empty()) {
    auto words = mc::assemble(text, options);
    if (!words)
      return fail(llvm::toString(words.takeError()));
    llvm::outs() << mc::disassemble(*words);
    return 0;
  }
  auto object = mc::assembleObject(text, options);
  if (!object)
    return fail(llvm::toString(object.takeError()));
  write(output, object->data(), object->size());
  return 0;
}
