// What dl-objdump reads: linked kernels and relocatable objects.
#pragma once
#include "isa/dlk/kernel.h"
#include "isa/mc/objdump/Listing.h"
#include "llvm/Support/Error.h"

namespace dlsim::mc {

// Finds source text for comments.
class SourceText {
public:
  explicit SourceText(std::vector<std::string> folders) : folders_(std::move(folders)) {}
  // The line without leading blanks, empty when the file is not there.
  std::string line(const std::string& file, unsigned number);

private:
  std::vector<std::string> folders_;
  std::map<std::string, std::vector<std::string>> files_;
};

// One listing input per text section of a kernel. `sources` must outlive the result.
std::vector<ListingInput> listingsOf(const dlk::Kernel& kernel, SourceText& sources);

// The same of a relocatable object (ET_REL), with its symbols and relocations.
llvm::Expected<std::vector<ListingInput>> listingsOfObject(llvm::StringRef path, llvm::StringRef bytes);

// Kernel, arguments, grid and buffer plan as comments.
void printPlan(llvm::raw_ostream& os, const dlk::Kernel& kernel);

} // namespace dlsim::mc
