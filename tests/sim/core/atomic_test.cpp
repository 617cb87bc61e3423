// atom.rmw and atom.cas: values by type, several cores on one element, faults, and the time that an update
// takes.
#include "sim/core/atomic.h"
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

using core::AtomicOp;
using isa::DType;

constexpr int64_t rmw(AtomicOp op, DType dtype) {
  return static_cast<int64_t>(op) << 4 | static_cast<int64_t>(dtype);
}

TEST(Atomic, UpdatesByType) {
  using core::updated;
  EXPECT_EQ(*updated(AtomicOp::Add, DType::I32, 0x7fffffff, 1) & 0xffffffff, 0x80000000u) << "wraps";
  EXPECT_EQ(core::extended(DType::I32, *updated(AtomicOp::Max, DType::I32, 0xffffffff, 3)), 3u);
  EXPECT_EQ(core::extended(DType::U32, *updated(AtomicOp::Max, DType::U32, 0xffffffff, 3)), ~uint64_t{0});
  EXPECT_EQ(core::extended(DType::I8, *updated(AtomicOp::Min, DType::I8, 0x80, 5)),
            static_cast<uint64_t>(-128));
  EXPECT_EQ(*updated(AtomicOp::Add, DType::F16, 0x3c00, 0x3c00), 0x4000u);
  EXPECT_EQ(*updated(AtomicOp::Add, DType::BF16, 0x3f80, 0x4000), 0x4040u);
  EXPECT_EQ(*updated(AtomicOp::Exchange, DType::F32, 1, 2), 2u);
  EXPECT_EQ(*updated(AtomicOp::Xor, DType::I64, 6, 5), 3u);
  EXPECT_FALSE(updated(AtomicOp::Or, DType::F32, 1, 2));
}

// Every core of the chip takes tickets from one counter: all are dealt once, and the old values are those
// tickets.
TEST(Atomic, EveryCoreSeesItsOwnOldValue) {
  Rig rig({"chip.clusters=4"});
  const uint64_t counter = rig.upload(std::vector<uint32_t>{0});
  const uint64_t seen = rig.upload(std::vector<uint32_t>(24, 0));
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("ld.d", {22, 20}, 8);
  p.li(1, 1).li(2, 3);
  p.label("again").op("atom.rmw", {3, 21, 1}, rmw(AtomicOp::Add, DType::I32));
  p.op("shli", {4, 3}, 2).op("add", {4, 4, 22}).op("atom.rmw", {5, 4, 1}, rmw(AtomicOp::Add, DType::I32));
  p.op("addi", {2, 2}, -1).op(W::to("bnz", {2}, "again")).ex();
  ASSERT_FALSE(rig.run(kernelOf(p, dlk::KernelKind::Aiv, 2), {counter, seen}, 1000000, 0).fault);
  EXPECT_EQ(rig.download<uint32_t>(counter, 1)[0], 24u);
  EXPECT_EQ(rig.download<uint32_t>(seen, 24), std::vector<uint32_t>(24, 1));
}

TEST(Atomic, CompareAndSwap) {
  Rig rig;
  const uint64_t at = rig.upload(std::vector<int32_t>{-5, 0});
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).li(1, static_cast<uint64_t>(-5)).li(2, 9).li(3, 4);
  p.op("atom.cas", {4, 21, 1, 2}, static_cast<int64_t>(DType::I32)); // -5 becomes 9
  p.op("atom.cas", {5, 21, 1, 3}, static_cast<int64_t>(DType::I32)); // is 9: stays
  p.op("add", {4, 4, 5}).op("st.w", {4, 21}, 4).ex();
  ASSERT_FALSE(rig.aiv(p, {at}).fault);
  EXPECT_EQ(rig.download<int32_t>(at, 2), (std::vector<int32_t>{9, 4}));
}

TEST(Atomic, WaitsForTheAnswerOfTheL2) {
  Rig rig;
  const uint64_t at = rig.upload(std::vector<uint64_t>{0});
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("nop");
  const size_t first = p.size();
  p.op("atom.rmw", {3, 21, 21}, rmw(AtomicOp::Add, DType::I64)).op("mov", {4, 3}).ex();
  ASSERT_FALSE(rig.aiv(p, {at}).fault);
  const auto waited = rig.recorder.stalled(observe::Stall::DCache);
  EXPECT_GT(rig.recorder.issued(first), rig.recorder.issued(first - 1) + rig.chip().l2.atomicCycles);
  EXPECT_EQ(rig.recorder.issued(first + 1), rig.recorder.issued(first) + 1) << "the answer is there";
  EXPECT_GE(waited, rig.recorder.issued(first) - rig.recorder.issued(first - 1) - 1);
}

TEST(Atomic, Faults) {
  const auto kindOf = [](uint64_t offset, int64_t imm) {
    Rig rig;
    const uint64_t at = rig.upload(std::vector<uint64_t>{0, 0});
    Program p;
    p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("atom.rmw", {3, 21, 20}, imm).ex();
    const auto result = rig.aiv(p, {at + offset});
    return result.fault ? std::optional(result.fault->kind) : std::nullopt;
  };
  EXPECT_EQ(kindOf(0, rmw(AtomicOp::Add, DType::I32)), std::nullopt);
  EXPECT_EQ(kindOf(2, rmw(AtomicOp::Add, DType::I32)), core::FaultKind::Misaligned);
  EXPECT_EQ(kindOf(1 << 30, rmw(AtomicOp::Add, DType::I32)), core::FaultKind::UnmappedMemory);
  EXPECT_EQ(kindOf(0, rmw(AtomicOp::And, DType::F32)), core::FaultKind::BadOperand);
  EXPECT_EQ(kindOf(0, 15), core::FaultKind::IllegalWord) << "no such element type";
  EXPECT_EQ(kindOf(0, static_cast<int64_t>(DType::I32)), core::FaultKind::BadOperand) << "no operation";
}

} // namespace
} // namespace dlsim::test
