// Code as an annotated listing that assembles again: everything that is no assembly is a comment.
#pragma once
#include "isa/tables/tables.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace dlsim::mc {

struct ListingInput {
  std::string section; // ".text.aic"
  std::vector<uint64_t> words;
  uint64_t address = 0;                 // of words[0]
  std::map<size_t, std::string> labels; // word index -> symbol; branch targets get labels of their own
  std::map<size_t, std::string> notes;  // word index -> comment, for relocations
  // "file:line" or "file:line: source text" of a word, empty when unknown.
  std::function<std::string(size_t)> source;
};

struct ListingOptions {
  bool addresses = true;
  bool fields = true; // immediates by their field names
  bool rawWords = false;
};

void printListing(llvm::raw_ostream& os, const ListingInput& input, const ListingOptions& options);

} // namespace dlsim::mc
