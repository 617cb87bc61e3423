// dl-objdump: kernels and objects as listings that assemble again.
//
// Exit codes: 0 ok, 2 bad usage or bad input.
#include "isa/mc/objdump/Inputs.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace dlsim;

namespace {

constexpr int kBadInput = 2;

struct Options {
  std::vector<std::string> files, sourceFolders;
  std::string section;
  mc::ListingOptions listing;
  bool noPlan = false, planOnly = false, noSource = false;
};

int fail(const std::string& message) {
  llvm::errs() << "dl-objdump: error: " << message << '\n';
  return kBadInput;
}

bool isObject(llvm::StringRef bytes) {
  return bytes.size() > 18 &&
         bytes.starts_with("\x7f"
                           "ELF") &&
         bytes[16] == llvm::ELF::ET_REL && bytes[17] == 0;
}

int printAll(std::vector<mc::ListingInput> inputs, const Options& options) {
  bool found = options.section.empty();
  for (mc::ListingInput& input : inputs) {
    if (!options.section.empty() && input.section != options.section)
      continue;
    found = true;
    if (options.noSource)
      input.source = nullptr;
    llvm::outs() << '\n';
    mc::printListing(llvm::outs(), input, options.listing);
  }
  return found ? 0 : fail("there is no text section '" + options.section + "'");
}

int dumpKernel(const std::string& path, llvm::StringRef bytes, const Options& options) {
  mc::SourceText sources(options.sourceFolders);
  const dlk::Kernel kernel = dlk::parse(std::vector<uint8_t>(bytes.begin(), bytes.end()), path);
  if (!options.noPlan)
    mc::printPlan(llvm::outs(), kernel);
  return options.planOnly ? 0 : printAll(mc::listingsOf(kernel, sources), options);
}

int dump(const std::string& path, const Options& options) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail(path + ": " + buffer.getError().message());
  const llvm::StringRef bytes = (*buffer)->getBuffer();
  if (!isObject(bytes))
    return dumpKernel(path, bytes, options);
  auto inputs = mc::listingsOfObject(path, bytes);
  if (!inputs)
    return fail(path + ": " + llvm::toString(inputs.takeError()));
  return printAll(std::move(*inputs), options);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Disassembles DLNPU kernels (.dlk) and objects, in bundles, with source lines and the buffer plan.\n"
      "The output assembles again: what is no assembly is a comment.\n"
      "Exit codes: 0 ok, 2 bad usage or bad input.",
      "dl-objdump");
  Options options;
  bool noAddresses = false, noFields = false;
  app.add_option("files", options.files, "Kernels or objects")->required();
  app.add_option("-j,--section", options.section, "Only this text section (.text.aic, .text.aiv)");
  app.add_option("-I,--source-dir", options.sourceFolders, "Folder to look for source files in (repeatable)");
  app.add_flag("--plan-only", options.planOnly, "Only the kernel's arguments, grid and buffer plan");
  app.add_flag("--no-plan", options.noPlan, "Leave those out");
  app.add_flag("--no-source", options.noSource, "Leave source lines out");
  app.add_flag("--no-addresses", noAddresses, "Leave addresses out");
  app.add_flag("--no-fields", noFields, "Leave the names of immediate fields out");
  app.add_flag("--raw", options.listing.rawWords, "Show the words in hexadecimal");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  options.listing.addresses = !noAddresses;
  options.listing.fields = !noFields;
  int result = 0;
  for (const std::string& file : options.files) {
    try {
      result = std::max(result, dump(file, options));
    } catch (const dlk::FormatError& error) {
      result = fail(error.what());
    }
  }
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error(); // LLVM would end the program with its own words
    result = fail("standard output cannot be written: " + error.message());
  }
  return result;
}
