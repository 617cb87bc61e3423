// Modules through compileModule and writeDlk, read back with the loader.
#include "codegen/object/Object.h"
#include "isa/dlk/kernel.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

using namespace dlsim::codegen;
namespace dlk = dlsim::dlk;
namespace isa = dlsim::isa;

namespace {

// A kernel with one command, a table and a line; `command` is the call.
std::string source(const std::string& name, const std::string& declaration, const std::string& command,
                   int line) {
  return declaration + R"(
@table = internal constant [4 x i64] [i64 5, i64 6, i64 7, i64 8]
declare i64 @dlnpu.sreg(i64)
define void @)" +
         name + R"(() "dlnpu-args"="x:tensor:f16,n:scalar:i32" !dbg !4 {
  %c = call i64 @dlnpu.sreg(i64 0), !dbg !8
  %p = getelementptr [4 x i64], ptr @table, i64 0, i64 %c, !dbg !8
  %v = load i64, ptr %p, !dbg !8
  )" + command +
         R"(, !dbg !8
  ret void, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_Python, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.py", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, scopeLine: 1, unit: !0, type: !6)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = !DILocation(line: )" +
         std::to_string(line) + R"(, column: 5, scope: !4)
)";
}

llvm::Expected<Object> compile(const std::string& text, CompileOptions options = {}) {
  llvm::LLVMContext context;
  auto module = readModule(text, "test.ll", context);
  if (!module)
    return module.takeError();
  return compileModule(**module, options);
}

Object compiled(const std::string& text, CompileOptions options = {}) {
  auto object = compile(text, options);
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return {};
  }
  return std::move(*object);
}

std::string errorOf(const std::string& text, CompileOptions options = {}) {
  auto object = compile(text, options);
  return object ? "" : llvm::toString(object.takeError());
}

Object cube() {
  CompileOptions options;
  options.kind = CoreKind::Aic;
  return compiled(source("cube", "declare void @dlnpu.mte2.fill.l1(i64, i64, i64, i64)",
                         "call void @dlnpu.mte2.fill.l1(i64 0, i64 %v, i64 32, i64 0)", 11),
                  options);
}

Object vector() {
  return compiled(source("vector", "declare void @dlnpu.v.count(i64, i64)",
                         "call void @dlnpu.v.count(i64 %v, i64 0)", 22));
}

struct ObjectTest : testing::Test {
  std::string path = testing::TempDir() + "object_test_" +
                     testing::UnitTest::GetInstance()->current_test_info()->name() + ".dlk";
  ~ObjectTest() override { std::remove(path.c_str()); }

  std::string write(llvm::ArrayRef<const Object*> objects, llvm::json::Object meta = {}) {
    llvm::Error error = writeDlk(path, objects, std::move(meta));
    return error ? llvm::toString(std::move(error)) : "";
  }
};

// Word of the only command of that opcode, as an index into the text.
size_t find(const dlk::Text& text, isa::Opcode op) {
  for (size_t i = 0; i < text.words.size(); ++i)
    if ((text.words[i] >> 54 & 0x1ff) == static_cast<unsigned>(op))
      return i;
  return size_t(-1);
}

TEST_F(ObjectTest, LoaderReadsWhatWasWritten) {
  Object object = vector();
  ASSERT_EQ(write({&object}), "");
  dlk::Kernel kernel = dlk::load(path);
  EXPECT_EQ(kernel.name, "vector");
  EXPECT_EQ(kernel.kind, dlk::KernelKind::Aiv);
  ASSERT_EQ(kernel.args.size(), 2u);
  EXPECT_EQ(kernel.args[0].dtype, "f16");
  EXPECT_EQ(kernel.rodataAddress, 0x20000000u);
  ASSERT_EQ(kernel.rodata.size(), 32u);
  EXPECT_EQ(kernel.rodata[8], 6);
  auto line = kernel.sourceLine(isa::CoreKind::AIV, find(*kernel.aiv, isa::Opcode::V_COUNT));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->line, 22u);
}

TEST_F(ObjectTest, MixedKernelKeepsBothTextsTablesAndLines) {
  Object first = cube(), second = vector();
  ASSERT_EQ(write({&first, &second}, llvm::json::Object{{"kernel", "both"}}), "");
  dlk::Kernel kernel = dlk::load(path);
  EXPECT_EQ(kernel.kind, dlk::KernelKind::Mix);
  EXPECT_EQ(kernel.name, "both");
  EXPECT_EQ(kernel.rodata.size(), 64u);
  EXPECT_NE(kernel.aic->address, kernel.aiv->address);
  auto aic = kernel.sourceLine(isa::CoreKind::AIC, find(*kernel.aic, isa::Opcode::MTE2_FILL_L1));
  auto aiv = kernel.sourceLine(isa::CoreKind::AIV, find(*kernel.aiv, isa::Opcode::V_COUNT));
  ASSERT_TRUE(aic && aiv);
  EXPECT_EQ(aic->line, 11u);
  EXPECT_EQ(aiv->line, 22u);
  // Each addresses its own table.
  auto table = [](const dlk::Text& text) {
    for (uint64_t word : text.words)
      if ((word >> 54 & 0x1ff) == static_cast<unsigned>(isa::Opcode::LI) && (word & 0xf0000000) == 0x20000000)
        return word & 0xffffffff;
    return uint64_t(0);
  };
  EXPECT_EQ(table(*kernel.aic), 0x20000000u);
  EXPECT_EQ(table(*kernel.aiv), 0x20000020u);
}

TEST_F(ObjectTest, RefusesTwoTextsOfOneKind) {
  Object first = vector(), second = vector();
  EXPECT_NE(write({&first, &second}).find("two objects for the same core kind (aiv)"), std::string::npos);
}

TEST_F(ObjectTest, FailedWriteLeavesTheOldFile) {
  Object good = vector();
  ASSERT_EQ(write({&good}), "");
  CompileOptions options;
  auto bad = assembleObject("\t.globl k\nk:\n\tcall nowhere\n\texit\n", "bad.s", options);
  ASSERT_TRUE(bool(bad));
  EXPECT_NE(write({&*bad}).find("uses 'nowhere', which is not defined"), std::string::npos);
  EXPECT_EQ(dlk::load(path).name, "vector");
}

TEST_F(ObjectTest, RefusesWritableDataInAssembly) {
  auto object = assembleObject("\t.globl k\nk:\n\texit\n\t.data\n\t.quad 1\n", "data.s", {});
  ASSERT_TRUE(bool(object));
  EXPECT_NE(write({&*object}).find("is writable data"), std::string::npos);
}

TEST_F(ObjectTest, StackOfCallsAddsUp) {
  const char* text = R"(
define internal i64 @leaf(i64 %n) noinline {
  %a = alloca [16 x i64]
  %p = getelementptr [16 x i64], ptr %a, i64 0, i64 %n
  store volatile i64 1, ptr %p
  %v = load volatile i64, ptr %a
  ret i64 %v
}
declare i64 @dlnpu.sreg(i64)
define void @k() {
  %a = alloca [2000 x i64]
  %n = call i64 @dlnpu.sreg(i64 0)
  %p = getelementptr [2000 x i64], ptr %a, i64 0, i64 %n
  %v = call i64 @leaf(i64 %n)
  store volatile i64 %v, ptr %p
  ret void })";
  Object object = compiled(text);
  int64_t bytes = object.report.stackBytes("k");
  EXPECT_GE(bytes, 2016 * 8);
  EXPECT_LE(bytes, 2016 * 8 + 64);
  ASSERT_EQ(write({&object}), "");
  EXPECT_GE(dlk::load(path).stackBytesPerCore, uint64_t(bytes));
}

TEST_F(ObjectTest, RecursionHasNoBound) {
  const char* text = R"(
define internal i64 @f(i64 %n, ptr %p) noinline { %c = icmp eq i64 %n, 0
  br i1 %c, label %x, label %y
x: ret i64 0
y: %m = sub i64 %n, 1
  store volatile i64 %n, ptr %p
  %r = call i64 @f(i64 %m, ptr %p)
  %s = mul i64 %r, %n
  %t = add i64 %s, %r
  store volatile i64 %t, ptr %p
  ret i64 %t }
define void @k() { %a = alloca i64
  store volatile i64 9, ptr %a
  %n = load volatile i64, ptr %a
  %v = call i64 @f(i64 %n, ptr %a)
  ret void })";
  EXPECT_EQ(compiled(text).report.stackBytes("k"), -1);
}

TEST_F(ObjectTest, ErrorsComeBackAndTheContextStaysUsable) {
  llvm::LLVMContext context;
  for (int i = 0; i < 2; ++i) {
    auto module = readModule(
        "declare void @dlnpu.nothing()\ndefine void @k() { call void @dlnpu.nothing()\n ret void }", "e.ll",
        context);
    ASSERT_TRUE(bool(module));
    auto object = compileModule(**module, {});
    ASSERT_FALSE(bool(object));
    EXPECT_NE(llvm::toString(object.takeError()).find("no instruction 'nothing'"), std::string::npos);
  }
  EXPECT_NE(errorOf("define void @k() { frob }").find("test.ll:1"), std::string::npos);
  EXPECT_NE(errorOf("define void @a() { ret void } define void @b() { ret void }")
                .find("2 possible kernels (a, b)"),
            std::string::npos);
}

} // namespace
