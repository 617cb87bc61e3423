#include "sim/tools/info_command.h"

#include "isa/dlk/kernel.h"

#include <cstdio>

namespace dlsim::tools {

namespace {

size_t bundlesOf(const dlk::Text& text) {
  size_t bundles = 0;
  for (uint64_t word : text.words)
    bundles += !(word >> 63);
  return bundles;
}

void printText(const char* kind, const std::optional<dlk::Text>& text) {
  if (text)
    std::printf("code %s       %zu words in %zu bundles, entry at word %zu\n", kind, text->words.size(),
                bundlesOf(*text), text->entry);
}

void printHints(const char* title, const std::vector<std::string>& hints) {
  for (const std::string& hint : hints)
    std::printf("hint %s %s\n", title, hint.c_str());
}

} // namespace

int infoCommand(const InfoOptions& options) {
  dlk::Kernel kernel = dlk::load(options.kernel);
  std::printf("kernel         %s (%s)\n", kernel.name.c_str(),
              std::string(dlk::kindName(kernel.kind)).c_str());
  std::printf("compiled by    %s for %s\n", kernel.compiler.c_str(), kernel.chip.c_str());
  std::printf("options        %s\n", kernel.options.c_str());
  std::printf("grid           rank %u, order %s, policy %s%s\n", kernel.grid.rank, kernel.grid.order.c_str(),
              kernel.grid.policy.c_str(), kernel.grid.kOffset ? ", with k offset" : "");
  printText("aic", kernel.aic);
  printText("aiv", kernel.aiv);
  std::printf("constants      %zu bytes\n", kernel.rodata.size());
  std::printf("workspace      %llu bytes per core\n",
              static_cast<unsigned long long>(kernel.workspaceBytesPerCore));
  std::printf("stack          %llu bytes per core\n",
              static_cast<unsigned long long>(kernel.stackBytesPerCore));
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const dlk::Argument& arg = kernel.args[i];
    std::printf("argument %-4zu  %s %s %s\n", i, arg.name.c_str(),
                arg.kind == dlk::Argument::Kind::Tensor ? "tensor of" : "scalar", arg.dtype.c_str());
  }
  for (const dlk::Buffer& b : kernel.buffers)
    std::printf("buffer         %-4s 0x%06llx  %8llu bytes x %u  %s  %s\n",
                std::string(isa::scopeName(b.scope)).c_str(), static_cast<unsigned long long>(b.offset),
                static_cast<unsigned long long>(b.bytes), b.slots, b.name.c_str(), b.line.c_str());
  printHints("used   ", kernel.hintsUsed);
  printHints("ignored", kernel.hintsIgnored);
  return kOk;
}

} // namespace dlsim::tools
