// The lines of messages, by element type and shape, and what a trap says.
#include "sim/tools/printed.h"

#include <gtest/gtest.h>

namespace dlsim::tools {
namespace {

dlk::Message message(std::vector<dlk::Message::Value> values, unsigned programs = 1) {
  dlk::Message m;
  m.text = "x:";
  m.line = "k.py:3";
  m.programs = programs;
  m.values = std::move(values);
  return m;
}

TEST(Printed, ValuesByType) {
  const dlk::Message m =
      message({{"i32", {}}, {"i8", {}}, {"u16", {}}, {"f32", {}}, {"bf16", {}}, {"i1", {}}, {"i64", {}}});
  EXPECT_EQ(messageText(m, "AIV2", {5, 0xff, 0xffff, 0xbfc00000, 0x3f80, 1, ~uint64_t{0}}),
            "k.py:3: program (5) on AIV2: x: -1 65535 -1.5 1 true -1");
}

TEST(Printed, TensorsAreNestedLists) {
  const dlk::Message m = message({{"i32", {}}, {"i32", {}}, {"i32", {2, 1, 2}}}, 2);
  EXPECT_EQ(messageText(m, "AIC0", {1, 2, 3, 4, 5, 6}),
            "k.py:3: program (1, 2) on AIC0: x: [[[3, 4]], [[5, 6]]]");
}

TEST(Printed, Hexadecimal) {
  dlk::Message m = message({{"i32", {}}, {"i8", {}}, {"f32", {}}});
  m.hex = true;
  EXPECT_EQ(messageText(m, "AIV0", {16, 0xfe, 0x3f800000}), "k.py:3: program (16) on AIV0: x: 0xfe 1");
}

TEST(Printed, ATrapHasItsMessage) {
  dlk::Kernel kernel;
  kernel.messages = {message({})};
  kernel.messages[0].fatal = true;
  kernel.messages[0].text = "too large";
  core::Fault fault;
  fault.kind = core::FaultKind::Trap;
  fault.detail = "trap code 0";
  EXPECT_NE(faultText(kernel, fault).find("assertion failed: too large"), std::string::npos);
  fault.address = 1;
  EXPECT_NE(faultText(kernel, fault).find("trap code 0"), std::string::npos) << "a trap of the kernel's own";
}

} // namespace
} // namespace dlsim::tools
