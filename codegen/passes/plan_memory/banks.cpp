#include "codegen/passes/plan_memory/banks.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t repeatBytes = 256;

int64_t sizeOf(Value buffer) { return npu::elementBits(cast<MemRefType>(buffer.getType())); }

// Operands that a command reads and the one that it writes, row by row at the pace of their elements.
// Reductions write too little to meet anything, comparisons too.
struct Operands {
  llvm::SmallVector<Value, 2> reads;
  Value written;
  Value repeated; // read too, a block for many
};

Operands operandsOf(Operation* op) {
  return llvm::TypeSwitch<Operation*, Operands>(op)
      .Case([](npu::VBinaryOp o) { return Operands{{o.getLhs(), o.getRhs()}, o.getDst(), {}}; })
      .Case([](npu::VColumnOp o) {
        return Operands{{o.getSrc()}, o.getDst(), o.getTmp() ? o.getTmp() : o.getBlocks()};
      })
      .Case<npu::VScalarOp, npu::VUnaryOp, npu::VCastOp>(
          [](auto o) { return Operands{{o.getSrc()}, o.getDst(), {}}; })
      .Case([](npu::VCmpOp o) { return Operands{{o.getLhs(), o.getRhs()}, {}, {}}; })
      .Case([](npu::VSelOp o) { return Operands{{o.getLhs(), o.getRhs()}, o.getDst(), {}}; })
      .Case([](npu::VSelsOp o) { return Operands{{o.getLhs()}, o.getDst(), {}}; })
      .Default([](Operation*) { return Operands(); });
}

// A guess: what matters is that inner loops count more than what is around them.
int64_t turnsOf(Operation* op) {
  constexpr int64_t ofALoop = 8;
  int64_t turns = 1;
  for (Operation* parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      turns *= ofALoop;
  return turns;
}

} // namespace

BankConflicts::BankConflicts(const AccessTable& table, const TargetMemory& target)
    : banks(target.banks), meetings(table.buffers.size()) {
  for (auto [i, buffer] : llvm::enumerate(table.buffers))
    if (buffer.onChip())
      numbers[npu::AllocOp(buffer.alloc).getOperation()] = unsigned(i);
  Operation* last = nullptr;
  for (const Access& access : table.accesses) {
    if (access.op == last || access.unit != npu::Unit::V)
      continue;
    last = access.op;
    Operands operands = operandsOf(access.op);
    if (operands.reads.size() == 2)
      add(access.op, operands.reads[0], operands.reads[1], Meeting::reads);
    for (Value read : operands.reads)
      if (operands.written)
        add(access.op, read, operands.written,
            sizeOf(read) == sizeOf(operands.written) ? Meeting::readWrite : Meeting::otherPace);
    if (operands.repeated)
      add(access.op, operands.repeated, operands.written, Meeting::otherPace);
  }
}

void BankConflicts::add(Operation* op, Value a, Value b, Meeting::Kind kind) {
  Root first = rootOf(a), second = rootOf(b);
  if (first.alloc == second.alloc)
    return;
  auto bytesOf = [](Value buffer) { return npu::slotBytes(cast<MemRefType>(buffer.getType())); };
  unsigned one = numbers.lookup(npu::AllocOp(first.alloc).getOperation()),
           two = numbers.lookup(npu::AllocOp(second.alloc).getOperation());
  int64_t repeats = std::max(bytesOf(a), bytesOf(b)) / repeatBytes * turnsOf(op);
  int64_t bytes = std::min(bytesOf(a), bytesOf(b));
  if (!repeats)
    return;
  meetings[one].push_back({two, kind, repeats, bytes});
  meetings[two].push_back({one, kind, repeats, bytes});
}

int64_t BankConflicts::lost(unsigned buffer, int64_t offset,
                            llvm::function_ref<int64_t(unsigned)> offsetOf) const {
  int64_t cycles = 0;
  for (const Meeting& m : meetings[buffer])
    if (int64_t other = offsetOf(m.other); other >= 0)
      cycles += lost(m, offset, other);
  return cycles;
}

// A repeat takes half of the groups. Two that lie half of them apart never meet; a read and a write may also
// meet exactly, and must else lie in different banks.
int64_t BankConflicts::lost(const Meeting& m, int64_t a, int64_t b) const {
  int64_t apart = std::abs(a - b) % groupSpan();
  bool halves = apart == groupSpan() / 2;
  if (m.kind == Meeting::reads)
    return halves ? 0 : m.repeats;
  if (m.kind == Meeting::readWrite && (halves || apart == 0))
    return 0;
  // The part of the way along which both are in one bank.
  constexpr int64_t samples = 8;
  int64_t together = 0;
  for (int64_t i = 0; i < samples; ++i) {
    int64_t at = m.bytes * i / samples;
    together += (a + at) / bankSpan() % banks.banks == (b + at) / bankSpan() % banks.banks;
  }
  return m.repeats * together / samples;
}

} // namespace dlsim::codegen
