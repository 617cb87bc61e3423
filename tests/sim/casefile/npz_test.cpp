#include "sim/casefile/npz.h"

#include "sim/casefile/file.h"
#include "sim/casefile/input_error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace dlsim::casefile {
namespace {

namespace fs = std::filesystem;

struct Npz : ::testing::Test {
  fs::path folder = fs::temp_directory_path() / ("npz_test." + std::to_string(::getpid()));
  std::string path = (folder / "x.npz").string();
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  std::string message(const std::string& name = "a") {
    try {
      NpzReader(path).read(name);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

Array sample() {
  Array array{"<f4", {2, 3}, {}};
  for (uint8_t i = 0; i < 24; ++i)
    array.bytes.push_back(i);
  return array;
}

TEST_F(Npz, RoundTripAndEqualBytes) {
  writeNpz(path, {{"a", sample()}, {"scalar", Array{"|i1", {}, {7}}}, {"empty", Array{"<i8", {0, 4}, {}}}});
  NpzReader reader(path);
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"a", "scalar", "empty"}));
  EXPECT_TRUE(reader.has("a"));
  EXPECT_FALSE(reader.has("b"));
  Array a = reader.read("a");
  EXPECT_EQ(a.descr, "<f4");
  EXPECT_EQ(a.shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(a.bytes, sample().bytes);
  EXPECT_TRUE(reader.read("scalar").shape.empty());
  EXPECT_EQ(reader.read("empty").shape, (std::vector<uint64_t>{0, 4}));
  std::string first = readText(path);
  writeNpz(path, {{"a", sample()}, {"scalar", Array{"|i1", {}, {7}}}, {"empty", Array{"<i8", {0, 4}, {}}}});
  EXPECT_EQ(readText(path), first);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()),
            1); // no temporary file left
}

TEST_F(Npz, ErrorsSayWhatIsWrong) {
  EXPECT_NE(message().find("no such file"), std::string::npos);
  writeText(path, "not a zip");
  EXPECT_NE(message().find("not a readable .npz"), std::string::npos);
  writeNpz(path, {{"b", sample()}});
  EXPECT_NE(message().find("'a' is missing; the file holds: b"), std::string::npos);
  EXPECT_THROW(writeNpz((folder / "no" / "x.npz").string(), {{"a", sample()}}), InputError);
}

TEST_F(Npz, EveryTruncationIsAnError) {
  writeNpz(path, {{"a", sample()}});
  std::string whole = readText(path);
  for (size_t size = 0; size < whole.size(); size += 7) {
    writeText(path, whole.substr(0, size));
    EXPECT_THROW(NpzReader(path).read("a"), InputError) << size;
  }
}

TEST_F(Npz, DamagedBytesNeverCrash) {
  writeNpz(path, {{"a", sample()}});
  std::string whole = readText(path);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    writeText(path, damaged);
    try {
      NpzReader(path).read("a");
    } catch (const InputError&) {
    }
  }
}

TEST(Npy, HeadersAndTheirErrors) {
  auto with = [](const std::string& header, size_t bytes) {
    std::vector<uint8_t> file = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<uint8_t>(header.size()), 0};
    file.insert(file.end(), header.begin(), header.end());
    file.resize(file.size() + bytes);
    return file;
  };
  EXPECT_EQ(parseNpy(with("{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }\n", 6), "x").shape,
            std::vector<uint64_t>{3});
  EXPECT_EQ(parseNpy(with("{\"shape\":(), \"descr\":\"|u1\",\"fortran_order\":True}", 1), "x").descr, "|u1");
  for (const char* bad :
       {"{'descr': '>f2', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<f2', 'fortran_order': True, 'shape': (1, 3), }",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", "{'descr': '<f2', 'shape': (3,), }",
        "{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (-3,), }",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }",
        "{'descr': '<f2', 'fortran_order': Maybe, 'shape': (3,), }",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (999999999999999, 999999999999999), }", "{", "",
        "garbage"})
    EXPECT_THROW(parseNpy(with(bad, 6), "x"), InputError) << bad;
  EXPECT_THROW(parseNpy({}, "x"), InputError);
  EXPECT_THROW(parseNpy({0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 200, 0, '{'}, "x"), InputError);
}

} // namespace
} // namespace dlsim::casefile
