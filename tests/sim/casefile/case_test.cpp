#include "sim/casefile/case.h"

#include "sim/casefile/input_error.h"

#include <gtest/gtest.h>

namespace dlsim::casefile {
namespace {

std::string withArgs(const std::string& args, const std::string& more = "") {
  return R"({"name": "x", "kernel": "k", "grid": [2, 3], )" + more + R"("args": [)" + args + "]}";
}

TEST(Case, ReadsTensorsAndScalars) {
  Case c =
      parseCase(withArgs(R"j({"name": "a", "kind": "tensor", "dtype": "f16", "shape": [2, 3], "output": true},
      {"name": "g", "kind": "tensor", "dtype": "i32", "shape": [9], "init": "uniform(3)", "low": -2, "high": 5},
      {"name": "n", "kind": "scalar", "dtype": "i32", "value": -7},
      {"name": "s", "kind": "scalar", "dtype": "f32", "value": 0.5},
      {"name": "u", "kind": "scalar", "dtype": "u64", "value": 18446744073709551615},
      {"name": "b", "kind": "scalar", "dtype": "i1", "value": true})j",
                         R"("tolerance": {"f16": 0.01}, )"),
                "dir/x.json");
  EXPECT_EQ(c.grid, (std::array<uint64_t, 3>{2, 3, 1}));
  EXPECT_EQ(c.npz, "dir/x.npz");
  ASSERT_EQ(c.args.size(), 6u);
  EXPECT_EQ(c.args[0].data.bytes(), 12u);
  EXPECT_TRUE(c.args[0].data.output);
  EXPECT_EQ(*c.args[1].data.init->low, -2);
  EXPECT_EQ(c.args[2].slot, static_cast<uint64_t>(-7));
  EXPECT_EQ(c.args[3].slot, 0x3f000000u);
  EXPECT_EQ(c.args[4].slot, ~uint64_t{0});
  EXPECT_EQ(c.args[5].slot, 1u);
  EXPECT_EQ(c.toleranceOf(c.args[0].data), 0.01);
  EXPECT_EQ(parseCase(withArgs("", R"("tolerance": 0.5, "npz": "y.npz", )"), "dir/x.json").npz, "dir/y.npz");
}

TEST(Case, IntegersFitByWidth) {
  auto scalar = [](const char* dtype) {
    Arg arg;
    arg.dtype = dtype;
    return arg;
  };
  auto tensor = [&](const char* dtype) {
    Arg arg = scalar(dtype);
    arg.tensor = true;
    return arg;
  };
  EXPECT_TRUE(scalar("u32").fits("i32"));
  EXPECT_TRUE(scalar("bool").fits("i1"));
  EXPECT_FALSE(scalar("i8").fits("i1"));
  EXPECT_FALSE(scalar("u32").fits("i64"));
  EXPECT_FALSE(scalar("u32").fits("f32"));
  EXPECT_TRUE(tensor("u16").fits("i16"));
  EXPECT_TRUE(tensor("bool").fits("i1"));
  EXPECT_TRUE(tensor("i1").fits("i8")) << "a byte each in memory";
  EXPECT_FALSE(tensor("i16").fits("f16"));
  EXPECT_FALSE(tensor("f16").fits("bf16"));
}

TEST(Case, EveryMistakeHasItsMessage) {
  auto message = [](const std::string& text) -> std::string {
    try {
      parseCase(text, "x.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  auto scalar = [](const std::string& dtype, const std::string& value) {
    return withArgs(R"({"name": "n", "kind": "scalar", "dtype": ")" + dtype + R"(", "value": )" + value +
                    "}");
  };
  auto tensor = [](const std::string& more) {
    return withArgs(R"({"name": "t", "kind": "tensor", )" + more + "}");
  };
  std::pair<std::string, const char*> cases[] = {
      {"{", "not JSON"},
      {"[]", "must be an object"},
      {R"({"grid": [1]})", "'args' is missing"},
      {R"({"args": []})", "'grid' is missing"},
      {R"({"args": [], "grid": []})", "'grid' must be a list of 1 to 3"},
      {R"({"args": [], "grid": [-1]})", "non-negative"},
      {R"({"args": [], "grid": [3000000000]})", "1..2^31 - 1"},
      {R"({"args": [], "grid": [1], "gird": 1})", "unknown key 'gird'"},
      {scalar("i32", "3000000000"), "value 3000000000 does not fit dtype 'i32'"},
      {scalar("u8", "-1"), "does not fit"},
      {scalar("i32", "1.5"), "does not fit"},
      {scalar("i32", "\"1\""), "does not fit"},
      {scalar("f32", "\"1\""), "'value' must be a number"},
      {scalar("i1", "2"), "does not fit"},
      {scalar("f8", "2"), "dtype 'f8' is not one of"},
      {withArgs(R"({"name": "n", "kind": "scalar", "dtype": "i32"})"), "argument 0 'n': 'value' is missing"},
      {withArgs(R"({"name": "n", "kind": "vector", "dtype": "i32"})"), "neither tensor nor scalar"},
      {withArgs(R"({"kind": "scalar", "dtype": "i32", "value": 1})"), "'name' is missing"},
      {tensor(R"("dtype": "f16")"), "'shape' is missing"},
      {tensor(R"("dtype": "f16", "shape": 3)"), "'shape' must be a list"},
      {tensor(R"("dtype": "f16", "shape": [1000000000, 1000000])"), "more than 1 TiB"},
      {tensor(R"("dtype": "f16", "shape": [1], "init": "random")"), "init 'random' is not one of"},
      {tensor(R"j("dtype": "f16", "shape": [1], "init": "uniform(1)", "low": 1)j"), "go together"},
      {tensor(R"j("dtype": "f16", "shape": [1], "init": "uniform(1)", "low": 1, "high": 2)j"),
       "integer dtype"},
      {tensor(R"("dtype": "f16", "shape": [1], "scale": 2)"), "need an 'init'"},
      {tensor(R"("dtype": "f16", "shape": [1], "output": 1)"), "must be true or false"},
      {withArgs(R"({"name": "n", "kind": "scalar", "dtype": "i32", "value": 1},
                   {"name": "n", "kind": "scalar", "dtype": "i32", "value": 1})"),
       "two arguments are called 'n'"},
      {withArgs("", R"("tolerance": -1, )"), "non-negative number"},
  };
  for (const auto& [text, part] : cases)
    EXPECT_NE(message(text).find(part), std::string::npos) << text << "\n" << message(text);
}

TEST(Case, DataComesFromInitOrFromTheNpz) {
  Case c =
      parseCase(withArgs(R"({"name": "a", "kind": "tensor", "dtype": "f32", "shape": [4], "init": "arange"},
      {"name": "o", "kind": "tensor", "dtype": "f32", "shape": [4], "output": true},
      {"name": "z", "kind": "tensor", "dtype": "f32", "shape": [4], "init": "zeros"})"),
                "/nowhere/x.json");
  CaseData data = loadData(c);
  EXPECT_EQ(data.inputs[0].size(), 16u);
  EXPECT_TRUE(data.inputs[1].empty());
  EXPECT_TRUE(data.inputs[2].empty()) << "zeros are not stored";
  EXPECT_FALSE(data.anyExpected());
  c = parseCase(withArgs(R"({"name": "a", "kind": "tensor", "dtype": "f32", "shape": [4]})"),
                "/nowhere/x.json");
  EXPECT_THROW(loadData(c), InputError);
}

} // namespace
} // namespace dlsim::casefile
