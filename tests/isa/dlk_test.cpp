// The kernel binary reader: right files are read in full, wrong ones are refused with file, field, value and
// fix.
#include "isa/dlk/kernel.h"
#include "tests/isa/dlk_builder.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace dlsim;
using test::DlkBuilder;

namespace {

constexpr uint64_t kExit = 0x0a6ULL << 54;
constexpr uint64_t kNop = 0;
constexpr uint64_t kNotLast = 1ULL << 63;

std::vector<uint64_t> someCode() { return {kNop, kNop | kNotLast, kExit}; }

DlkBuilder minimal(const std::string& meta = test::kMinimalMeta) {
  DlkBuilder builder;
  builder.addText(".text.aiv", someCode()).add(".dlnpu.meta", meta);
  return builder;
}

// The field that parse() complains about; empty when it does not.
std::string complaint(const std::vector<uint8_t>& bytes) {
  try {
    dlk::parse(bytes, "k.dlk");
    return "";
  } catch (const dlk::FormatError& error) {
    EXPECT_EQ(error.file(), "k.dlk");
    EXPECT_FALSE(error.value().empty());
    EXPECT_FALSE(error.fix().empty());
    EXPECT_NE(std::string(error.what()).find(error.field()), std::string::npos);
    return error.field();
  }
}

std::string metaWith(const std::string& pointer, const nlohmann::json& value) {
  auto meta = nlohmann::json::parse(test::kMinimalMeta);
  meta[nlohmann::json::json_pointer(pointer)] = value;
  return meta.dump();
}

std::string complaintAboutMeta(const std::string& pointer, const nlohmann::json& value) {
  return complaint(minimal(metaWith(pointer, value)).build());
}

} // namespace

TEST(Dlk, ReadsEverything) {
  auto builder = minimal();
  builder.add(".rodata", {1, 2, 3, 4}, 0x20000000);
  builder.add(".debug_line", test::lineTable("f.py", {7, 0, 9}, isa::kTextBase));
  const dlk::Kernel kernel = dlk::parse(builder.build(), "k.dlk");
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.kind, dlk::KernelKind::Aiv);
  ASSERT_TRUE(kernel.aiv);
  EXPECT_FALSE(kernel.aic);
  EXPECT_EQ(kernel.aiv->words, someCode());
  ASSERT_EQ(kernel.args.size(), 2u);
  EXPECT_EQ(kernel.args[0].dtypeBytes, 2u);
  EXPECT_EQ(kernel.args[1].kind, dlk::Argument::Kind::Scalar);
  EXPECT_EQ(kernel.stackBytesPerCore, 8192u);
  EXPECT_EQ(kernel.options, R"({"multibuffer":2})");
  EXPECT_EQ(kernel.hintsUsed, std::vector<std::string>{"x"});
  EXPECT_EQ(kernel.rodata.size(), 4u);
  ASSERT_NE(kernel.bufferAt(isa::Scope::UB, 64 + 255), nullptr);
  EXPECT_EQ(kernel.bufferAt(isa::Scope::UB, 64 + 255)->line, "f.py:12");
  EXPECT_EQ(kernel.bufferAt(isa::Scope::UB, 64 + 256), nullptr);
  EXPECT_EQ(kernel.bufferAt(isa::Scope::L1, 64), nullptr);
}

TEST(Dlk, SourceLines) {
  auto builder = minimal();
  builder.add(".debug_line", test::lineTable("f.py", {7, 0, 9}, isa::kTextBase));
  const dlk::Kernel kernel = dlk::parse(builder.build(), "k.dlk");
  ASSERT_TRUE(kernel.sourceLine(isa::CoreKind::AIV, 0));
  EXPECT_EQ(kernel.sourceLine(isa::CoreKind::AIV, 0)->toString(), "f.py:7");
  EXPECT_FALSE(kernel.sourceLine(isa::CoreKind::AIV, 1)); // line 0: none
  EXPECT_EQ(kernel.sourceLine(isa::CoreKind::AIV, 2)->line, 9u);
  EXPECT_FALSE(kernel.sourceLine(isa::CoreKind::AIV, 3));
  EXPECT_FALSE(kernel.sourceLine(isa::CoreKind::AIC, 0));
  EXPECT_FALSE(kernel.lines.find(isa::kTextBase - 1));
  EXPECT_FALSE(kernel.lines.find(isa::kTextBase + 24));
}

TEST(Dlk, ForeignFiles) {
  EXPECT_EQ(complaint({}), "file size");
  EXPECT_EQ(complaint(std::vector<uint8_t>(100, 'x')), "magic");
  auto builder = minimal();
  builder.machine = EM_X86_64;
  EXPECT_EQ(complaint(builder.build()), "e_machine");
  builder = minimal();
  builder.type = ET_REL;
  EXPECT_EQ(complaint(builder.build()), "e_type");
  EXPECT_EQ(complaint(DlkBuilder().addText(".text.aiv", someCode()).build()), "section .dlnpu.meta");
  EXPECT_THROW(dlk::load("/nonexistent/k.dlk"), dlk::FormatError);
  EXPECT_THROW(dlk::load("/"), dlk::FormatError);
}

TEST(Dlk, Sections) {
  auto builder = minimal();
  builder.addText(".text.aic", someCode());
  EXPECT_EQ(complaint(builder.build()), "section .text.aic");
  EXPECT_EQ(complaint(DlkBuilder().add(".dlnpu.meta", test::kMinimalMeta).build()), "section .text.aiv");
  builder = minimal();
  builder.add(".dlnpu.meta", test::kMinimalMeta);
  EXPECT_EQ(complaint(builder.build()), "section .dlnpu.meta");
  builder = minimal();
  builder.add(".rodata", {1}, 0x100);
  EXPECT_EQ(complaint(builder.build()), "address of .rodata");
}

TEST(Dlk, Code) {
  const auto complaintAboutCode = [](std::vector<uint64_t> words) {
    return complaint(DlkBuilder().addText(".text.aiv", words).add(".dlnpu.meta", test::kMinimalMeta).build());
  };
  const uint64_t jump = 0x0a0ULL << 54, load = 0x076ULL << 54, mmad = 0x130ULL << 54;
  EXPECT_EQ(complaintAboutCode({jump | 1, kExit}), "");
  EXPECT_EQ(complaintAboutCode({}), ".text.aiv");
  EXPECT_EQ(complaintAboutCode({kNop, 0x1ffULL << 54}), ".text.aiv word 1");
  EXPECT_EQ(complaintAboutCode({mmad, kExit}), ".text.aiv word 0");
  EXPECT_EQ(complaintAboutCode({kNop, kNop | kNotLast}), ".text.aiv word 1");
  EXPECT_EQ(complaintAboutCode({load | kNotLast, jump, kExit}), ".text.aiv word 0");
  EXPECT_EQ(complaintAboutCode({kNop | kNotLast, kNop | kNotLast, kNop}), ".text.aiv word 0");
  EXPECT_EQ(complaintAboutCode({jump | 5, kExit}), ".text.aiv word 0");
  EXPECT_EQ(complaintAboutCode({jump | 0xffffff, kExit}), ".text.aiv word 0");
  EXPECT_EQ(complaintAboutCode({jump | 2, kNop | kNotLast, kExit}), ".text.aiv word 0"); // inside a bundle
  EXPECT_EQ(
      complaint(DlkBuilder().add(".text.aiv", "1234567").add(".dlnpu.meta", test::kMinimalMeta).build()),
      "size of .text.aiv");
}

TEST(Dlk, MetaFields) {
  EXPECT_EQ(complaint(minimal("{").build()), ".dlnpu.meta");
  EXPECT_EQ(complaint(minimal("[]").build()), "meta");
  EXPECT_EQ(complaint(minimal(std::string(100000, '[')).build()), ".dlnpu.meta");
  EXPECT_EQ(complaintAboutMeta("/version", 2), "meta.version");
  EXPECT_EQ(complaintAboutMeta("/version", "1"), "meta.version");
  EXPECT_EQ(complaintAboutMeta("/kind", "gpu"), "meta.kind");
  EXPECT_EQ(complaintAboutMeta("/kernel", ""), "meta.kernel");
  EXPECT_EQ(complaintAboutMeta("/entries/aiv", 4), "meta.entries of .text.aiv");
  EXPECT_EQ(complaintAboutMeta("/entries/aiv", 16), "entry of .text.aiv"); // second word of a bundle
  EXPECT_EQ(complaintAboutMeta("/entries/aiv", 800), "entry of .text.aiv");
  EXPECT_EQ(complaintAboutMeta("/entries/aiv", -8), "meta.entries.aiv");
  EXPECT_EQ(complaintAboutMeta("/args/0/dtype", "f8"), "meta.args[0].dtype");
  EXPECT_EQ(complaintAboutMeta("/args/0/kind", "pointer"), "meta.args[0].kind");
  EXPECT_EQ(complaintAboutMeta("/args/1/name", "a_ptr"), "meta.args[1].name");
  EXPECT_EQ(complaintAboutMeta("/grid/rank", 4), "meta.grid.rank");
  EXPECT_EQ(complaintAboutMeta("/grid/k_offset", 1), "meta.grid.k_offset");
  EXPECT_EQ(complaintAboutMeta("/buffers/0/scope", "l1"), "meta.buffers[0].scope");
  EXPECT_EQ(complaintAboutMeta("/buffers/0/scope", "gm"), "meta.buffers[0].scope");
  EXPECT_EQ(complaintAboutMeta("/buffers/0/slots", 0), "meta.buffers[0].slots");
  EXPECT_EQ(complaintAboutMeta("/buffers/0/bytes", 1.5), "meta.buffers[0].bytes");
  EXPECT_EQ(complaintAboutMeta("/buffers/0/offset", 1e300), "meta.buffers[0].offset");
  EXPECT_EQ(complaintAboutMeta("/options", 3), "meta.options");
  EXPECT_EQ(complaintAboutMeta("/hints/used/0", 3), "meta.hints.used[0]");
  EXPECT_EQ(complaintAboutMeta("/a_new_key", 3), "");
}

TEST(Dlk, EveryMetaKeyIsNeeded) {
  const auto full = nlohmann::json::parse(test::kMinimalMeta);
  for (const auto& [key, value] : full.items()) {
    auto meta = full;
    meta.erase(key);
    EXPECT_EQ(complaint(minimal(meta.dump()).build()), "meta." + key);
  }
}

namespace {

std::vector<uint8_t> fuzzSeed() {
  auto builder = minimal();
  builder.add(".rodata", {1, 2, 3, 4}, 0x20000000);
  builder.add(".debug_line", test::lineTable("f.py", {7, 8, 9}, isa::kTextBase));
  return builder.build();
}

// Anything but a FormatError fails the test.
void tryParse(const std::vector<uint8_t>& bytes) {
  try {
    const dlk::Kernel kernel = dlk::parse(bytes, "k.dlk");
    for (size_t i = 0; i < 4; ++i)
      (void)kernel.sourceLine(isa::CoreKind::AIV, i);
  } catch (const dlk::FormatError&) {
  }
}

} // namespace

TEST(Dlk, TruncatedFilesNeverCrash) {
  const auto whole = fuzzSeed();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(complaint({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
}

TEST(Dlk, EveryFlippedByteIsHarmless) {
  const auto whole = fuzzSeed();
  for (size_t at = 0; at < whole.size(); ++at)
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      auto bytes = whole;
      bytes[at] ^= flip;
      ASSERT_NO_THROW(tryParse(bytes)) << at;
    }
}

TEST(Dlk, RandomDamageIsHarmless) {
  const auto whole = fuzzSeed();
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    auto bytes = whole;
    for (unsigned n = 1 + random() % 8; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0)
      bytes.resize(random() % bytes.size());
    ASSERT_NO_THROW(tryParse(bytes)) << round;
  }
}

TEST(Dlk, Messages) {
  const nlohmann::json good = {
      {{"text", "x"},
       {"line", "f.py:1"},
       {"kind", "print"},
       {"hex", false},
       {"programs", 1},
       {"values",
        {{{"dtype", "i32"}, {"shape", nlohmann::json::array()}}, {{"dtype", "f16"}, {"shape", {4, 8}}}}}}};
  const dlk::Kernel kernel = dlk::parse(minimal(metaWith("/messages", good)).build(), "k.dlk");
  ASSERT_EQ(kernel.messages.size(), 1u);
  EXPECT_EQ(kernel.messages[0].values[1].count(), 32u);
  EXPECT_EQ(kernel.messages[0].values[0].count(), 1u);
  EXPECT_FALSE(kernel.messages[0].fatal);
  const auto complaintAbout = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[0][nlohmann::json::json_pointer(pointer)] = value;
    return complaintAboutMeta("/messages", bad);
  };
  EXPECT_EQ(complaintAbout("/kind", "shout"), "meta.messages[0].kind");
  EXPECT_EQ(complaintAbout("/programs", 3), "meta.messages[0].programs") << "more than there are values";
  EXPECT_EQ(complaintAbout("/values/1/dtype", "f8"), "meta.messages[0].values[1].dtype");
  EXPECT_EQ(complaintAbout("/values/1/shape", {1 << 20, 1 << 20}), "meta.messages[0].values[1]");
}
