// The DLNPU instruction tables: what isa/isa/*.td says, as plain C++ without LLVM.
//
// Latencies are in core cycles and `assumed` (see DLNPUSchedule.td).
#pragma once
#include "isa/tables/isa_gen.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dlsim::isa {

// The unit whose queue holds an instruction; the numbers are those of flag peers.
enum class Unit : uint8_t { S = 0, MTE1 = 1, MTE2 = 2, MTE3 = 3, FIX = 4, M = 5, V = 6 };
inline constexpr unsigned kNumUnits = 7;

// The core kind that an instruction needs.
enum class CoreKind : uint8_t { Any, AIC, AIV };

// The memory that an address operand points into.
enum class Scope : uint8_t { None, GM, L1, L0A, L0B, L0C, UB, BT, FB };

// Slots of a bundle, as bits of InstrInfo::slots. An instruction takes one of the slots in its mask.
enum Slot : uint8_t {
  kSlotS0 = 1,
  kSlotS1 = 2,
  kSlotMTE1 = 4,
  kSlotMTE2 = 8,
  kSlotMTE3 = 16,
  kSlotFIX = 32,
  kSlotM = 64,
  kSlotV = 128
};
inline constexpr unsigned kNumSlots = 8;

enum class RoleKind : uint8_t {
  None,
  Def,    // scalar result
  Use,    // scalar source
  DefUse, // read and written (lih)
  Dst,    // address that the command writes (in `scope`)
  Src,    // address that the command reads (in `scope`)
  Cfg,    // configuration word, `fields`
  Val,    // plain value
};

enum class SyncKind : uint8_t { None, SetFlag, WaitFlag, CrossSet, CrossWait, Barrier, BarrierAll };

// S: sign-extended, U: zero-extended, Branch: signed words relative to the branch word, Flag: id and peer.
enum class ImmKind : uint8_t { None, S24, U24, S32, U32, Branch, Flag };

enum class DType : uint8_t {
  F16 = 0,
  BF16 = 1,
  F32 = 2,
  I8 = 3,
  I16 = 4,
  I32 = 5,
  HF32 = 6,
  U8 = 7,
  U16 = 8,
  U32 = 9,
  I64 = 10,
  U64 = 11
};
inline constexpr unsigned kNumDTypes = 12;
unsigned dtypeBytes(DType dtype);
std::string_view dtypeName(DType dtype);
std::optional<DType> dtypeByName(std::string_view name);

struct Field {
  std::string_view name;
  uint8_t low;   // lowest bit
  uint8_t width; // bits
};

// A run of the generated field table.
class FieldList {
public:
  constexpr FieldList() = default;
  constexpr FieldList(uint16_t first, uint16_t count) : first_(first), count_(count) {}
  const Field* begin() const;
  const Field* end() const { return begin() + count_; }
  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const Field* find(std::string_view name) const;

private:
  uint16_t first_ = 0, count_ = 0;
};

struct RegOperand {
  RoleKind role = RoleKind::None;
  Scope scope = Scope::None;
  FieldList fields; // of a Cfg word
};

struct InstrInfo {
  Opcode opcode;
  std::string_view name;     // the TableGen name, MTE2_COPY_L1
  std::string_view mnemonic; // mte2.copy.l1
  std::string_view doc;
  Unit unit;
  CoreKind core;
  SyncKind sync;
  ImmKind immKind;
  uint8_t slots;      // mask of Slot
  uint8_t latency;    // cycles from issue to use of the scalar result; 0 without a result
  uint8_t numRegs;    // register operands
  uint8_t numDefs;    // of these, the first numDefs are written
  uint32_t immMask;   // immediate bits that some field names
  uint64_t fixedBits; // of the word, without the bundle bit
  uint64_t varBits;   // bits that operands fill; all others must equal fixedBits
  std::array<RegOperand, 6> regs;
  FieldList immFields;
  bool isBranch;     // jmp, bnz, bez, jmpr
  bool isCall;       // call, callr
  bool isReturn;     // ret, exit
  bool isTerminator; // ends a basic block
  bool isIndirect;   // target comes from a register
  bool isCommand;    // moves or computes data in its unit's queue
  bool mayLoad;
  bool mayStore;

  // Goes into a unit's queue instead of executing in the sequencer.
  bool isQueued() const { return unit != Unit::S; }
};

// One decoded word.
struct Decoded {
  const InstrInfo* info;
  std::array<uint8_t, 6> r; // register numbers, 0 where there is no operand
  int64_t imm;              // extended as immKind says
  bool last;                // last word of its bundle

  Opcode opcode() const { return info->opcode; }
};

// Nothing when the opcode does not exist, a bit that the instruction does not use is set, or a flag names no
// unit.
std::optional<Decoded> decode(uint64_t word);

// The inverse of decode. Bits of imm outside the instruction's immediate are dropped.
uint64_t encode(const Decoded& decoded);

const InstrInfo& info(Opcode opcode);                          // of an enumerator
const InstrInfo* lookup(uint16_t opcodeBits);                  // nullptr when there is none
const InstrInfo* lookup(std::string_view mnemonic);            // nullptr when there is none
const std::array<InstrInfo, kNumInstructions>& instructions(); // by rising opcode

std::string_view unitName(Unit unit);                  // "MTE2"
std::string_view unitMnemonic(Unit unit);              // "mte2", as in assembly
std::optional<Unit> unitByName(std::string_view name); // either spelling
std::string_view scopeName(Scope scope);               // "l0a"
std::string_view slotName(unsigned slotIndex);         // index 0..7: "S0"

// For messages and traces: "mte2.copy.l1 r1, r2, ..., 0x10".
std::string toString(const Decoded& decoded);

// Registers with a role in the ABI.
inline constexpr unsigned kRegFP = 29, kRegSP = 30, kRegRA = 31, kNumRegs = 32;

// e_machine of objects and .dlk files; virtual address of the first byte of each text section.
inline constexpr uint16_t kElfMachine = 0xD1A0;
inline constexpr uint64_t kTextBase = 0x10000000;
inline constexpr unsigned kWordBytes = 8;

} // namespace dlsim::isa
