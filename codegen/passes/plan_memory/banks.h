// What it costs where UB buffers lie: vector commands read two rows of one bank group one after the other,
// and read a bank that they also write more slowly, unless the rows meet exactly.
#pragma once
#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/plan_memory/target.h"

namespace dlsim::codegen {

// Another buffer that a command touches at the same time as this one, element by element.
struct Meeting {
  unsigned other = 0; // its number in the table
  enum Kind {
    reads,     // both are read
    readWrite, // one is read, one written, at the same pace
    otherPace  // the same at different paces: a cast between sizes, a column's blocks
  } kind = reads;
  int64_t repeats = 0; // of all its commands in all turns of loops around it, whose number is guessed
  int64_t bytes = 0;   // of the smaller buffer
};

class BankConflicts {
public:
  BankConflicts(const AccessTable& table, const TargetMemory& target);

  // Whether any command reads or writes the buffer beside another one, so that its place matters.
  bool matters(unsigned buffer) const { return !meetings[buffer].empty(); }
  // Cycles lost in commands that touch the buffer, when it lies at `offset` and others where `offsetOf` says
  // (negative: nowhere yet).
  int64_t lost(unsigned buffer, int64_t offset, llvm::function_ref<int64_t(unsigned)> offsetOf) const;
  // Bytes after which bank groups come again, and those of the part of UB that has one bank of each.
  int64_t groupSpan() const { return banks.groups * banks.rowBytes; }
  int64_t bankSpan() const { return banks.groups * banks.bankBytes; }

private:
  void add(mlir::Operation* op, mlir::Value a, mlir::Value b, Meeting::Kind kind);
  int64_t lost(const Meeting& meeting, int64_t a, int64_t b) const;

  UbBanks banks;
  llvm::DenseMap<mlir::Operation*, unsigned> numbers;  // of buffers, by npu.alloc
  std::vector<llvm::SmallVector<Meeting, 2>> meetings; // by buffer
};

} // namespace dlsim::codegen
