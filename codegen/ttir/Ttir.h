// Front end for TTIR text: reading it, and the clean-up stage `ttir`.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace dlsim::ttir {
// The dialects that TTIR text may use.
void registerDialects(mlir::DialectRegistry& registry);

// Parses a file, or a buffer whose identifier stands in messages. Dialects are loaded into `context`;
// attributes of foreign dialects are kept as they are. Error texts name the operation and the kernel's source
// line.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> parseTtir(llvm::StringRef path, mlir::MLIRContext& context);
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> parseTtir(llvm::MemoryBufferRef text,
                                                            mlir::MLIRContext& context);

// Brackets nested deeper than a recursive parser can follow: a message with the line, success otherwise.
llvm::Error checkNesting(llvm::MemoryBufferRef text);

// Operations of `text` that no loaded dialect knows: a message for the first one, success otherwise.
llvm::Error findUnknownOperation(llvm::MemoryBufferRef text, mlir::MLIRContext& context);

// Products with scales along K become products of bf16 or f16.
std::unique_ptr<mlir::Pass> createScaledDotPass();
// Floats of eight bits become their bits.
std::unique_ptr<mlir::Pass> createFloat8Pass();
// Structured control flow (early returns become ifs); assertions and prints are dropped with a warning.
std::unique_ptr<mlir::Pass> createPreparePass();
// Stage `ttir`: products with scales, floats of eight bits, prepare, inline, canonicalise, CSE,
// loop-invariant code motion.
void buildTtirPipeline(mlir::OpPassManager& passes);
} // namespace dlsim::ttir
