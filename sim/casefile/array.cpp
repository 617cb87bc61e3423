#include "sim/casefile/array.h"

#include "sim/casefile/input_error.h"

#include <cctype>
#include <cstring>

namespace dlsim::casefile {

uint64_t elementCount(const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  for (uint64_t extent : shape)
    count *= extent;
  return count;
}

std::string shapeText(const std::vector<uint64_t>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string descrOf(isa::DType dtype) {
  switch (dtype) {
  case isa::DType::F16:
    return "<f2";
  case isa::DType::BF16:
    return "<u2";
  case isa::DType::F32:
  case isa::DType::HF32:
    return "<f4";
  case isa::DType::I8:
    return "|i1";
  case isa::DType::I16:
    return "<i2";
  case isa::DType::I32:
    return "<i4";
  case isa::DType::U8:
    return "|u1";
  case isa::DType::U16:
    return "<u2";
  case isa::DType::U32:
    return "<u4";
  case isa::DType::I64:
    return "<i8";
  case isa::DType::U64:
    return "<u8";
  }
  return "";
}

namespace {

// The header is a Python dict literal: {'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
public:
  HeaderParser(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  Array parse(bool& fortran) {
    Array array;
    bool seen[3] = {};
    expect('{');
    while (!accept('}')) {
      std::string key = quoted();
      expect(':');
      if (key == "descr")
        array.descr = quoted(), seen[0] = true;
      else if (key == "fortran_order")
        fortran = boolean(), seen[1] = true;
      else if (key == "shape")
        array.shape = tuple(), seen[2] = true;
      else
        fail("unknown key '" + key + "'");
      accept(',');
    }
    if (!seen[0] || !seen[1] || !seen[2])
      fail("descr, fortran_order or shape is missing");
    return array;
  }

private:
  [[noreturn]] void fail(const std::string& what) {
    throw InputError(name_ + ": not a .npy header that dlsim reads (" + what + ")");
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(std::string("expected '") + c + "'");
  }
  std::string quoted() {
    skip();
    char quote = at_ < text_.size() ? text_[at_] : 0;
    if (quote != '\'' && quote != '"')
      fail("expected a string; structured types are not supported");
    size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos)
      fail("unterminated string");
    std::string value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    skip();
    for (const char* word : {"True", "False"})
      if (text_.compare(at_, std::strlen(word), word) == 0) {
        at_ += std::strlen(word);
        return word[0] == 'T';
      }
    fail("expected True or False");
  }
  std::vector<uint64_t> tuple() {
    std::vector<uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      skip();
      size_t digits = 0;
      uint64_t value = 0;
      for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_, ++digits)
        value = value * 10 + static_cast<uint64_t>(text_[at_] - '0');
      if (digits == 0 || digits > 15)
        fail("bad extent in shape");
      shape.push_back(value);
      accept(',');
    }
    if (shape.size() > 16)
      fail("more than 16 dimensions");
    return shape;
  }

  const std::string& text_;
  const std::string& name_;
  size_t at_ = 0;
};

uint64_t itemSize(const std::string& descr, const std::string& name) {
  if (descr.size() < 3 || !std::strchr("<|=", descr[0]) || !std::strchr("fiub", descr[1]))
    throw InputError(name + ": numpy type '" + descr +
                     "' is not supported; use little-endian f2 f4 f8, i1..i8, u1..u8 or b1");
  uint64_t size = 0;
  for (size_t i = 2; i < descr.size(); ++i)
    size = size * 10 + static_cast<uint64_t>(descr[i] - '0');
  if (size != 1 && size != 2 && size != 4 && size != 8)
    throw InputError(name + ": numpy type '" + descr + "' has an unsupported size");
  return size;
}

} // namespace

Array parseNpy(const std::vector<uint8_t>& file, const std::string& name) {
  static constexpr uint8_t kMagic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  if (file.size() < 10 || std::memcmp(file.data(), kMagic, 6) != 0)
    throw InputError(name + ": not a .npy array (no NUMPY magic)");
  uint64_t start = file[6] == 1 ? 10 : 12, length = file[8] | uint64_t{file[9]} << 8;
  if (file[6] < 1 || file[6] > 3)
    throw InputError(name + ": .npy version " + std::to_string(file[6]) + " is not known");
  if (start == 12 && file.size() >= 12)
    length |= uint64_t{file[10]} << 16 | uint64_t{file[11]} << 24;
  if (start + length > file.size())
    throw InputError(name + ": truncated .npy header");
  std::string header(file.begin() + static_cast<int64_t>(start),
                     file.begin() + static_cast<int64_t>(start + length));
  bool fortran = false;
  Array array = HeaderParser(header, name).parse(fortran);
  if (fortran && array.shape.size() > 1)
    throw InputError(name + ": array is in Fortran order; save it with numpy.ascontiguousarray");
  uint64_t size = itemSize(array.descr, name), have = file.size() - start - length;
  unsigned __int128 expected = size;
  for (uint64_t extent : array.shape)
    expected *= extent, expected = expected >> 62 ? (unsigned __int128)1 << 62 : expected;
  if (expected != have)
    throw InputError(name + ": holds " + std::to_string(have) + " bytes of data, but its header says " +
                     array.descr + " " + shapeText(array.shape) + "; the file is damaged");
  array.bytes.assign(file.begin() + static_cast<int64_t>(start + length), file.end());
  return array;
}

std::vector<uint8_t> formatNpy(const Array& array) {
  std::string header =
      "{'descr': '" + array.descr + "', 'fortran_order': False, 'shape': " + shapeText(array.shape) + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::vector<uint8_t> file = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  file.push_back(static_cast<uint8_t>(header.size() & 0xff));
  file.push_back(static_cast<uint8_t>(header.size() >> 8));
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), array.bytes.begin(), array.bytes.end());
  return file;
}

} // namespace dlsim::casefile
