#include "sim/config/chip_file.h"

#include "sim/config/schema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

using namespace dlsim::sim;

namespace {

const std::string kChips = DLSIM_SOURCE_DIR "/sim/chips/";

std::string errorOf(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parseChip("base = \"ascend910b1.toml\"\n" + text, "t.toml", kChips, overrides);
  } catch (const ChipFileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ChipFile, EveryBuiltInChipLoads) {
  const std::vector<std::string> chips = builtinChips();
  EXPECT_GE(chips.size(), 4u);
  for (const std::string& name : chips) {
    const Chip chip = loadChip(name);
    EXPECT_EQ(chip.spec.name, name);
    for (const ChipParameter& parameter : chip.parameters) {
      EXPECT_FALSE(parameter.file.empty());
      if (parameter.key != "name" && parameter.key != "description") {
        EXPECT_FALSE(parameter.source.empty()) << parameter.key;
      }
    }
  }
}

TEST(ChipFile, The910B1IsWhatItsSourcesSay) {
  const ChipSpec chip = loadChip("ascend910b1").spec;
  EXPECT_EQ(chip.count("aic"), 24u);
  EXPECT_EQ(chip.count("aiv"), 48u);
  EXPECT_EQ(chip.cores(), 72u);
  EXPECT_EQ(chip.coreIndex("aiv", 3), 27u);
  EXPECT_EQ(chip.kindOfCore(27).name, "aiv");
  EXPECT_EQ(chip.l2.bytes(), 192u << 20);
  EXPECT_EQ(chip.kind("aic")->scope("l0c")->bytes, 128u << 10);
  EXPECT_EQ(chip.kind("aic")->path("MTE1", "l1", "l0a")->bytesPerCycle, 256.0);
  EXPECT_EQ(chip.kind("aiv")->path("MTE1", "l1", "l0a"), nullptr);
  EXPECT_EQ(chip.vector.op("no such operation").cycles32, chip.vector.op("default").cycles32);
  // 4 stacks of HBM2e: 1638.4 GB/s.
  EXPECT_NEAR(chip.hbm.channels() * chip.hbm.channelBytes * chip.clockMhz * 1e-3, 1638.4, 1.0);
}

TEST(ChipFile, AStarInAnOverrideStandsForAnyName) {
  const ChipSpec plain = loadChip("ascend910b1").spec;
  const ChipSpec chip = loadChip("ascend910b1", {"vector.op.*.startup_cycles=0", "launch.*=7"}).spec;
  EXPECT_GT(plain.vector.ops.size(), 10u);
  for (const auto& [name, op] : chip.vector.ops) {
    EXPECT_EQ(op.startupCycles, 0u) << name;
    EXPECT_EQ(op.cycles32, plain.vector.op(name).cycles32) << name;
  }
  EXPECT_EQ(chip.launch.headCycles, 7u);
  EXPECT_EQ(chip.launch.tailCycles, 7u);
  EXPECT_NE(errorOf("", {"vector.op.*.startup=0"}).find("no parameter of the chip has such a name"),
            std::string::npos);
  EXPECT_NE(errorOf("", {"*.ways=0"}).find("l2.ways"), std::string::npos)
      << "each is checked by its own range";
}

TEST(ChipFile, VariantsTakeTheRestFromTheirBase) {
  const ChipSpec b1 = loadChip("ascend910b1").spec, b4 = loadChip("ascend910b4").spec;
  EXPECT_EQ(b4.l2.bytes(), 96u << 20);
  EXPECT_EQ(b4.count("aic"), 20u);
  EXPECT_EQ(b4.l2.ways, b1.l2.ways);
}

TEST(ChipFile, OverridesReplaceOneParameter) {
  const Chip chip =
      loadChip("ascend910b1", {"l2.ways=16", "cube.overlap_startup=false", "dma.pieces=[256,128]"});
  EXPECT_EQ(chip.spec.l2.ways, 16u);
  EXPECT_FALSE(chip.spec.cube.overlapStartup);
  EXPECT_EQ(chip.spec.dma.pieces, (std::vector<std::uint32_t>{256, 128}));
  for (const ChipParameter& parameter : chip.parameters)
    if (parameter.key == "l2.ways") {
      EXPECT_EQ(parameter.source, "command line");
      EXPECT_EQ(parameter.value, "16");
    }
}

TEST(ChipFile, ErrorsNameKeyLineValueAndRange) {
  EXPECT_EQ(errorOf("l2.ways = { value = 900, source = \"x\" }"),
            "chip file t.toml:2: l2.ways = 900: legal is 1..64");
  EXPECT_EQ(errorOf("\nl2.line_bytes = { value = 500, source = \"x\" }"),
            "chip file t.toml:3: l2.line_bytes = 500: legal is power of two, 32..4096 bytes");
  EXPECT_EQ(errorOf("l2.ways = { value = \"many\", source = \"x\" }"),
            "chip file t.toml:2: l2.ways = \"many\": legal is integer, 1..64");
  EXPECT_EQ(errorOf("l2.ways = { value = 2.5, source = \"x\" }"),
            "chip file t.toml:2: l2.ways = 2.5: legal is integer, 1..64");
  EXPECT_EQ(errorOf("hbm.efficiency = { value = nan, source = \"x\" }"),
            "chip file t.toml:2: hbm.efficiency = nan: legal is 0.01..1");
  EXPECT_EQ(errorOf("", {"l2.ways=-1"}), "chip file (command line): l2.ways = -1: legal is 1..64");
}

TEST(ChipFile, UnknownKeysAreErrorsWithASuggestion) {
  EXPECT_EQ(errorOf("l2.way = { value = 16, source = \"x\" }"),
            "chip file t.toml:2: unknown key l2.way = 16; did you mean l2.ways?");
  EXPECT_EQ(
      errorOf("l3.frobnication = { value = 16, source = \"x\" }"),
      "chip file t.toml:2: unknown key l3.frobnication = 16; docs/chip-reference.md lists the legal keys");
  EXPECT_NE(errorOf("", {"l2.wayz=3"}).find("unknown key l2.wayz"), std::string::npos);
  EXPECT_NE(errorOf("", {"l2.ways"}).find("write key=value"), std::string::npos);
}

TEST(ChipFile, EveryNumberNeedsASource) {
  EXPECT_NE(errorOf("l2.ways = 16").find("t.toml:2: l2.ways: write { value = ..., source"),
            std::string::npos);
  EXPECT_NE(errorOf("l2.ways = { value = 16 }").find("has no source"), std::string::npos);
  EXPECT_NE(errorOf("l2.ways = { value = 16, source = \"x\", note = \"y\" }").find("unknown field 'note'"),
            std::string::npos);
}

TEST(ChipFile, MissingParametersAreNamed) {
  try {
    parseChip("name = \"x\"\ndescription = \"y\"\n", "t.toml", kChips);
    FAIL() << "an empty chip was accepted";
  } catch (const ChipFileError& error) {
    EXPECT_NE(std::string(error.what()).find("chip.clock_mhz is missing: core clock"), std::string::npos);
  }
  EXPECT_NE(errorOf("core.aic.scope.l9.bytes = { value = 16, source = \"x\" }")
                .find("core.aic.scope.l9.align is missing"),
            std::string::npos);
}

TEST(ChipFile, ChecksParametersAgainstEachOther) {
  EXPECT_NE(errorOf("", {"ub.groups=8"}).find("core.aiv.scope.ub.bytes"), std::string::npos);
  EXPECT_NE(errorOf("", {"dma.pieces=[1024,128]"}).find("crosses l2.line_bytes"), std::string::npos);
  EXPECT_NE(errorOf("", {"core.aiv.units=[\"S\",\"MTE9\"]"}).find("no unit is called 'MTE9'"),
            std::string::npos);
}

TEST(ChipFile, TomlErrorsNameTheLine) {
  EXPECT_NE(errorOf("l2.ways = {").find("t.toml:2"), std::string::npos);
  EXPECT_THROW(loadChip("/nowhere/x.toml"), ChipFileError);
  EXPECT_THROW(loadChip("no_such_chip"), ChipFileError);
}

TEST(Schema, KeysAreUniqueAndDocumented) {
  std::set<std::string_view> keys;
  for (const SchemaEntry& entry : chipSchema()) {
    EXPECT_TRUE(keys.insert(entry.key).second) << entry.key;
    EXPECT_FALSE(entry.meaning.empty()) << entry.key;
    EXPECT_LE(entry.least, entry.most) << entry.key;
  }
}

TEST(Schema, PatternsMatchNamesPartByPart) {
  ChipNames names;
  EXPECT_TRUE(matches("core.*.scope.*.bytes", "core.aic.scope.l1.bytes", &names));
  EXPECT_EQ(names, (ChipNames{"aic", "l1"}));
  EXPECT_FALSE(matches("core.*.units", "core.aic.scope.units"));
  EXPECT_FALSE(matches("core.*.units", "core.aic"));
}

TEST(Schema, ReferencePageIsCurrent) {
  std::ifstream file(DLSIM_SOURCE_DIR "/docs/chip-reference.md");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), chipReference()) << "run build/bin/dlsim-chip-reference > docs/chip-reference.md";
}

} // namespace
