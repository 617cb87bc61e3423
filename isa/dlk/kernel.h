// A kernel binary (.dlk) in memory, validated.
//
// load() checks everything before it returns: ELF header, sections, every instruction word, entry points,
// branch targets, every field of the metadata. A file that is not right becomes a FormatError, never a crash.
#pragma once
#include "isa/dlk/format_error.h"
#include "isa/dlk/line_table.h"
#include "isa/tables/tables.h"
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlsim::dlk {

inline constexpr int kMetaVersion = 1;

enum class KernelKind : uint8_t { Aic, Aiv, Mix };
std::string_view kindName(KernelKind kind); // "aic"

// Code for one kind of core.
struct Text {
  std::vector<uint64_t> words;
  uint64_t address = isa::kTextBase; // of words[0]; line tables count from here
  size_t entry = 0;                  // index of the first word to execute
};

struct Argument {
  enum class Kind : uint8_t { Tensor, Scalar };
  std::string name;
  Kind kind = Kind::Tensor;
  std::string dtype;       // "f16", "i32", "i1", ...; of a tensor, of its elements
  unsigned dtypeBytes = 0; // bytes of one element in memory
};

struct Grid {
  unsigned rank = 1;    // 1..3
  std::string order;    // task order that the code implements
  std::string policy;   // "loop": cores loop over the grid
  bool kOffset = false; // each program starts its k loop at its own offset
};

// One planned on-chip buffer: `slots` slots of `bytes` bytes each from `offset` up.
struct Buffer {
  std::string name;
  isa::Scope scope = isa::Scope::None;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  unsigned slots = 1;
  std::string line; // "file:line" of the source that asked for it, may be empty
};

// What the program can tell the host: values that `print` hands over one by one, or why a `trap` of that
// number happened.
struct Message {
  struct Value {
    std::string dtype;           // as of an argument
    std::vector<uint64_t> shape; // row-major; empty: a scalar
    uint64_t count() const;      // elements
  };
  std::string text;
  std::string line;          // "file:line"
  bool fatal = false;        // of a trap: it has no values
  bool hex = false;          // integers in base 16
  unsigned programs = 0;     // the first values are the program's numbers along the grid's axes
  std::vector<Value> values; // in order
};

struct Kernel {
  std::string path;
  std::string compiler, chip, name;
  KernelKind kind = KernelKind::Aic;
  std::optional<Text> aic, aiv; // present as `kind` says
  std::vector<uint8_t> rodata;
  uint64_t rodataAddress = 0; // in global memory
  std::vector<Argument> args; // in slot order
  Grid grid;
  unsigned aicPerCluster = 0, aivPerCluster = 0; // cores of a cluster that the code counts on; 0: any number
  uint64_t workspaceBytesPerCore = 0;
  uint64_t stackBytesPerCore = 0;
  std::string options; // the compiler's options, JSON text of an object
  std::vector<Buffer> buffers;
  std::vector<std::string> hintsUsed, hintsIgnored;
  std::vector<Message> messages; // by number
  LineTable lines;

  const std::optional<Text>& text(isa::CoreKind core) const { return core == isa::CoreKind::AIV ? aiv : aic; }
  // Source of the word at `index` of that core's text.
  std::optional<SourceLine> sourceLine(isa::CoreKind core, size_t index) const;
  // The buffer of that scope that holds this byte, or nullptr.
  const Buffer* bufferAt(isa::Scope scope, uint64_t address) const;
};

// Throws FormatError, also when the file cannot be read.
Kernel load(const std::string& path);

// The same for bytes in memory; `name` stands for the file in messages.
Kernel parse(std::vector<uint8_t> bytes, const std::string& name);

} // namespace dlsim::dlk
