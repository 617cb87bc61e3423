// LLVM's diagnostics as one llvm::Error.
#pragma once

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace dlsim::codegen {

/// While it lives, errors that passes report to the context are collected instead of printed.
class DiagnosticCollector {
  struct Handler;
  llvm::LLVMContext& context;
  std::unique_ptr<llvm::DiagnosticHandler> previous;
  std::string text; // one error a line

public:
  explicit DiagnosticCollector(llvm::LLVMContext& context);
  ~DiagnosticCollector();
  DiagnosticCollector(const DiagnosticCollector&) = delete;
  DiagnosticCollector& operator=(const DiagnosticCollector&) = delete;

  /// What was collected since the last call.
  llvm::Error take();
};

llvm::Error makeError(const llvm::Twine& message);

} // namespace dlsim::codegen
