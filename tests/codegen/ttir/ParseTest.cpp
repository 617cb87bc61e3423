#include "codegen/ttir/Ttir.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace mlir;

namespace {
std::string parseError(llvm::StringRef text) {
  MLIRContext context;
  auto module = dlsim::ttir::parseTtir(llvm::MemoryBufferRef(text, "dump.ttir"), context);
  return module ? std::string() : llvm::toString(module.takeError());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ParseTtir, UnknownOperationNamesSourceLineAndSupportedOperations) {
  std::string error = parseError(R"(#loc = loc("/home/me/kernel.py":7:0)
#loc2 = loc("/home/me/kernel.py":12:9)
#loc3 = loc("x"(#loc2))
module {
  tt.func public @k(%p: !tt.ptr<f32> loc("p"(#loc))) attributes {noinline = false} {
    %x:2 = tt.teleport %p, 3 {far = true} : !tt.ptr<f32> loc(#loc3)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
)");
  EXPECT_TRUE(contains(error, "kernel.py:12: error: unsupported op tt.teleport; supported: ")) << error;
  EXPECT_TRUE(contains(error, "tt.load")) << error;
}

TEST(ParseTtir, UnknownOperationInGenericForm) {
  std::string error = parseError(
      "module {\n  tt.func @k() {\n    %0 = \"tt.teleport\"() : () -> i32\n    tt.return\n  }\n}\n");
  EXPECT_TRUE(contains(error, "dump.ttir:3: error: unsupported op tt.teleport")) << error;
}

TEST(ParseTtir, UnknownOperationWithRegionsIsNamedByTheLineBehindThem) {
  std::string error = parseError(R"(module {
  tt.func @k(%x: tensor<8xf32>) {
    %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%a: f32 loc("kernel.py":3:1)):
      scf.if %c {
        tt.store %p, %a : !tt.ptr<f32> loc("kernel.py":4:1)
      } else {
      } loc("kernel.py":5:1)
      tt.map_elementwise.return %a : f32 loc("kernel.py":6:1)
    }) : (tensor<8xf32>) -> tensor<8xf32> loc("kernel.py":7:1)
    tt.return loc("kernel.py":8:1)
  }
}
)");
  EXPECT_TRUE(contains(error, "kernel.py:7: error: unsupported op tt.map_elementwise; supported: ")) << error;
}

TEST(ParseTtir, BracketsOfAnyDepthAreSurvived) {
  std::string error = parseError("module {\n" + std::string(6000, '(') + "\n}\n");
  EXPECT_EQ(error, "dump.ttir:2: error: brackets are nested deeper than 5000");
}

TEST(ParseTtir, OperationOfAnotherDialect) {
  std::string error = parseError("module {\n  tt.func @k() {\n    %0 = ttg.local_alloc : () -> "
                                 "!ttg.memdesc<8xf16>\n    tt.return\n  }\n}\n");
  EXPECT_TRUE(contains(error, "dump.ttir:3: error: unsupported op ttg.local_alloc")) << error;
  EXPECT_TRUE(contains(error, "TTGIR") || contains(error, "layout")) << error;
}

TEST(ParseTtir, ForeignAttributesAndAddressSpacesAreAccepted) {
  EXPECT_EQ(
      parseError(R"(module attributes {hacc.target = #hacc.target<"Ascend910B3">, "ttg.num-warps" = 4 : i32} {
  tt.func public @k(%p: !tt.ptr<f32, 1> {tt.divisibility = 16 : i32, hacc.arg_type = #hacc.arg<gm>}, %n: i32) attributes {noinline = false} {
    %c0 = arith.constant {tt.divisibility = dense<16> : tensor<1xi32>} 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1  : i32 {
      %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
      %v = tt.load %q {"some.hint" = 3 : i32} : !tt.ptr<f32>
      tt.store %q, %v : !tt.ptr<f32>
    } {tt.num_stages = 3 : i32, bind_sub_block = true}
    tt.return
  }
}
)"),
      "");
}

TEST(ParseTtir, AssumptionsAndBarriersAsNewerVersionsPrintThem) {
  EXPECT_EQ(parseError(R"(module {
  tt.func public @k(%n: i32) {
    %c0 = arith.constant 0 : i32
    %0 = arith.cmpi sgt, %n, %c0 : i32
    llvm.intr.assume %0 : i1 loc("k.py":3:4)
    "llvm.intr.assume"(%0) : (i1) -> ()
    gpu.barrier loc("k.py":4:4)
    tt.return
  }
}
)"),
            "");
  std::string error =
      parseError("module {\n  tt.func @k() {\n    %0 = gpu.thread_id  x\n    tt.return\n  }\n}\n");
  EXPECT_TRUE(contains(error, "dump.ttir:3: error: unsupported op gpu.thread_id")) << error;
}

TEST(ParseTtir, SyntaxErrorHasPosition) {
  std::string error =
      parseError("module {\n  tt.func @k() {\n    %0 = arith.constant 1 :\n    tt.return\n  }\n}\n");
  EXPECT_EQ(error.rfind("dump.ttir:3:28: error: ", 0), 0u) << error;
}

TEST(ParseTtir, TilesWithoutElements) {
  std::string error =
      parseError("module {\n  tt.func @k() {\n    %0 = arith.constant dense<1> : tensor<4x0xi32> "
                 "loc(\"kernel.py\":5:7)\n    tt.return\n  }\n}\n");
  EXPECT_EQ(error.rfind("kernel.py:5:7: error: 'tensor<4x0xi32>': a tensor has 1 to 2^31 elements", 0), 0u)
      << error;
  EXPECT_TRUE(contains(parseError("module {\n  tt.func @k(%x: tensor<0xf32>) {\n    tt.return\n  }\n}\n"),
                       "tensor<0xf32>"));
  EXPECT_TRUE(contains(parseError("module {\n  tt.func @k(%x: tensor<?xf32>) {\n    tt.return\n  }\n}\n"),
                       "tensor<?xf32>"));
  EXPECT_TRUE(contains(
      parseError("module {\n  tt.func @k(%x: tensor<65536x65536xf32>) {\n    tt.return\n  }\n}\n"), "2^31"));
}

TEST(ParseTtir, MissingFile) {
  MLIRContext context;
  auto module = dlsim::ttir::parseTtir("no/such/file.ttir", context);
  ASSERT_FALSE(bool(module));
  EXPECT_EQ(llvm::toString(module.takeError()), "cannot read 'no/such/file.ttir': No such file or directory");
}

TEST(ParseTtir, EveryCaseParses) {
  unsigned count = 0;
  for (auto& entry : std::filesystem::recursive_directory_iterator(DLSIM_TESTS_DIR "/cases")) {
    if (entry.path().extension() != ".ttir")
      continue;
    MLIRContext context;
    auto module = dlsim::ttir::parseTtir(entry.path().string(), context);
    EXPECT_TRUE(bool(module)) << entry.path() << (module ? "" : llvm::toString(module.takeError()));
    ++count;
  }
  EXPECT_GT(count, 0u);
}
} // namespace
