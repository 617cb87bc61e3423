// Checks of a kernel's code.
#pragma once
#include "isa/dlk/kernel.h"

namespace dlsim::dlk {

// Bytes of a text section as words.
std::vector<uint64_t> toWords(const std::string& file, const std::string& section,
                              const std::vector<uint8_t>& bytes);

// Every word decodes and may run on this core, bundles fit the slots and end, entry and direct branch targets
// are starts of bundles. Throws FormatError.
void validateText(const std::string& file, const std::string& section, const Text& text, isa::CoreKind core);

} // namespace dlsim::dlk
