// Assembling and disassembling in memory, for tools and tests.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MCInst;
}

namespace dlsim::mc {

struct AssemblyOptions {
  std::string fileName = "<assembly>"; // for messages and line tables
  std::string cpu = "generic";         // aic, aiv, or generic for both
  bool lineTable = true;               // DWARF lines of the assembly file when it has no .loc of its own
};

// An ELF relocatable object (e_machine 0xD1A0). The error holds every diagnostic as `file:line:column: error:
// ...`.
llvm::Expected<llvm::SmallVector<char, 0>> assembleObject(llvm::StringRef text,
                                                          const AssemblyOptions& options = {});

// The words of the only text section with content (`.text`, `.text.aic` or `.text.aiv`). Fails when a word
// still needs a relocation.
llvm::Expected<std::vector<uint64_t>> assemble(llvm::StringRef text, const AssemblyOptions& options = {});

// Words of one text section as bundles.
class Disassembler {
public:
  Disassembler();
  ~Disassembler();
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  struct Bundle {
    size_t words = 1;               // words that were consumed, at least 1
    bool valid = false;             // a word or their combination is no instruction
    std::vector<std::string> texts; // one per word, without the leading tab; empty when invalid
  };
  // The bundle at the start of `words`, which must not be empty. Address is that of its first word.
  Bundle next(llvm::ArrayRef<uint64_t> words, uint64_t address = 0) const;
  // Whether this word, whatever its bundle bit, is an instruction.
  bool isInstruction(uint64_t word) const { return next({word & ~(1ULL << 63)}).valid; }

private:
  struct State;
  std::unique_ptr<State> state_;
};

// Text that `assemble` turns back into these words; invalid words as `.quad`.
std::string disassemble(llvm::ArrayRef<uint64_t> words);

} // namespace dlsim::mc
