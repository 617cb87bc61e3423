#include "sim/casefile/case.h"

#include "sim/casefile/compare.h"
#include "sim/casefile/file.h"
#include "sim/casefile/input_error.h"
#include "sim/casefile/npz.h"
#include "sim/values/number.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

namespace dlsim::casefile {

using Json = nlohmann::json;
using isa::DType;

namespace {

// A value as messages show it; some are long.
std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

// Reads members of one JSON object; every complaint says where.
class Object {
public:
  Object(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object())
      fail("must be an object");
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(where_ + ": " + what); }
  bool has(const char* key) const { return json_.contains(key); }
  const Json& at(const char* key) const {
    if (!has(key))
      fail(std::string("'") + key + "' is missing");
    return json_.at(key);
  }
  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string())
      fail(std::string("'") + key + "' must be a string, not " + shown(value));
    return value.get<std::string>();
  }
  double number(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number())
      fail(std::string("'") + key + "' must be a number, not " + shown(value));
    return value.get<double>();
  }
  int64_t integer(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number_integer())
      fail(std::string("'") + key + "' must be an integer, not " + shown(value));
    return value.get<int64_t>();
  }
  void onlyKeys(std::initializer_list<const char*> known) const {
    std::set<std::string> names(known.begin(), known.end());
    for (const auto& [key, value] : json_.items())
      if (!names.count(key)) {
        std::string all;
        for (const std::string& name : names)
          all += (all.empty() ? "" : " ") + name;
        fail("unknown key '" + key + "'; known: " + all);
      }
  }

private:
  const Json& json_;
  std::string where_;
};

bool isTruth(const std::string& dtype) { return dtype == "i1" || dtype == "bool"; }

DType dtypeOf(const Object& o, const std::string& name) {
  if (isTruth(name))
    return DType::U8; // a byte of 0 or 1
  std::optional<DType> dtype = isa::dtypeByName(name);
  if (!dtype || *dtype == DType::HF32)
    o.fail("dtype '" + name + "' is not one of f16 bf16 f32 i1 i8 i16 i32 i64 u8 u16 u32 u64");
  return *dtype;
}

std::vector<uint64_t> extents(const Object& o, const char* key, size_t least, size_t most) {
  const Json& list = o.at(key);
  std::vector<uint64_t> values;
  if (!list.is_array() || list.size() < least || list.size() > most)
    o.fail(std::string("'") + key + "' must be a list of " + std::to_string(least) + " to " +
           std::to_string(most) + " integers, not " + shown(list));
  for (const Json& item : list) {
    if (!item.is_number_integer() || item.get<int64_t>() < 0 || item.get<int64_t>() > (int64_t{1} << 40))
      o.fail(std::string("'") + key + "' must hold non-negative integers, not " + shown(item));
    values.push_back(item.get<uint64_t>());
  }
  return values;
}

template <class T> uint64_t intSlot(const Object& o) {
  const Json& value = o.at("value");
  bool fits = false;
  if (value.is_number_unsigned())
    fits = value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max());
  else if (value.is_number_integer())
    fits = std::is_signed_v<T> && value.get<int64_t>() >= static_cast<int64_t>(std::numeric_limits<T>::min());
  if (!fits)
    o.fail("value " + shown(value) + " does not fit dtype '" + o.text("dtype") + "'");
  return static_cast<uint64_t>(static_cast<int64_t>(static_cast<T>(value.get<int64_t>())));
}

// JSON has no infinities and NaNs: they are texts.
template <class Convert> auto floatSlot(const Object& o, uint32_t infinity, Convert convert) {
  const Json& value = o.at("value");
  if (value == "nan" || value == "inf" || value == "-inf")
    return convert(std::stof(value.get<std::string>()));
  if (!value.is_number())
    o.fail("'value' must be a number, \"nan\", \"inf\" or \"-inf\", not " + shown(value));
  const auto bits = convert(static_cast<float>(value.get<double>()));
  if ((bits & infinity) == infinity)
    o.fail("value " + shown(value) + " is beyond the range of dtype '" + o.text("dtype") +
           "'; \"inf\" and \"-inf\" are the infinities");
  return bits;
}

uint64_t scalarSlot(const Object& o, const std::string& dtype) {
  if (isTruth(dtype)) {
    const Json& value = o.at("value");
    if (value.is_boolean())
      return value.get<bool>();
    int64_t x = o.integer("value");
    if (x != 0 && x != 1)
      o.fail("value " + std::to_string(x) + " does not fit dtype '" + dtype + "'");
    return static_cast<uint64_t>(x);
  }
  switch (dtypeOf(o, dtype)) {
  case DType::F32:
    return floatSlot(o, 0x7f800000u, values::bitCast<uint32_t, float>);
  case DType::F16:
    return floatSlot(o, 0x7c00u, [](float x) { return values::f32ToF16(x); });
  case DType::BF16:
    return floatSlot(o, 0x7f80u, [](float x) { return values::f32ToBf16(x); });
  case DType::I8:
    return intSlot<int8_t>(o);
  case DType::I16:
    return intSlot<int16_t>(o);
  case DType::I32:
    return intSlot<int32_t>(o);
  case DType::U8:
    return intSlot<uint8_t>(o);
  case DType::U16:
    return intSlot<uint16_t>(o);
  case DType::U32:
    return intSlot<uint32_t>(o);
  case DType::U64:
    return intSlot<uint64_t>(o);
  default:
    return intSlot<int64_t>(o);
  }
}

Init initOf(const Object& o, DType dtype) {
  std::string text = o.text("init");
  std::optional<Init> init = parseInit(text);
  if (!init)
    o.fail("init '" + text + "' is not one of normal(seed), uniform(seed), arange, zeros");
  if (o.has("scale"))
    init->scale = o.number("scale");
  if (o.has("low") != o.has("high"))
    o.fail("'low' and 'high' go together");
  if (!o.has("low"))
    return *init;
  init->low = o.integer("low");
  init->high = o.integer("high");
  bool isInt = dtype != DType::F16 && dtype != DType::BF16 && dtype != DType::F32;
  if (init->kind != Init::Kind::Uniform || !isInt || *init->high <= *init->low)
    o.fail("'low' < 'high' are for uniform(seed) of an integer dtype");
  return *init;
}

// Names become those of files in an archive.
void checkName(const Object& o, const std::string& name) {
  bool odd = name.empty() || std::any_of(name.begin(), name.end(), [](unsigned char c) {
               return c < ' ' || c == '/' || c == '\\' || c == 0x7f;
             });
  if (odd)
    o.fail("'name' must be a name without slashes and control characters, not " + shown(name));
}

Arg parseArg(const Json& json, const std::string& where) {
  Object o(json, where);
  Arg arg;
  arg.name = o.text("name");
  checkName(o, arg.name);
  Object named(json, where + " '" + arg.name + "'");
  std::string kind = named.text("kind");
  arg.dtype = named.text("dtype");
  if (kind == "scalar") {
    named.onlyKeys({"name", "kind", "dtype", "value"});
    arg.slot = scalarSlot(named, arg.dtype);
    return arg;
  }
  if (kind != "tensor")
    named.fail("kind '" + kind + "' is neither tensor nor scalar");
  named.onlyKeys({"name", "kind", "dtype", "shape", "output", "init", "scale", "low", "high"});
  arg.tensor = true;
  arg.data.dtype = dtypeOf(named, arg.dtype);
  arg.data.shape = extents(named, "shape", 0, 8);
  unsigned __int128 bytes = isa::dtypeBytes(arg.data.dtype);
  for (uint64_t extent : arg.data.shape)
    bytes = std::min<unsigned __int128>(bytes * extent, uint64_t{1} << 62);
  if (bytes > (uint64_t{1} << 40))
    named.fail("shape " + shapeText(arg.data.shape) + " is more than 1 TiB");
  if (named.has("output")) {
    if (!named.at("output").is_boolean())
      named.fail("'output' must be true or false");
    arg.data.output = named.at("output").get<bool>();
  }
  if (named.has("init"))
    arg.data.init = initOf(named, arg.data.dtype);
  else if (named.has("scale") || named.has("low") || named.has("high"))
    named.fail("'scale', 'low' and 'high' need an 'init'");
  return arg;
}

void parseTolerance(const Object& o, Case& c) {
  const Json& value = o.at("tolerance");
  auto check = [&](const Json& item) {
    if (!item.is_number() || item.get<double>() < 0)
      o.fail("'tolerance' must be a non-negative number or an object of them by dtype");
    return item.get<double>();
  };
  if (!value.is_object()) {
    c.tolerance = check(value);
    return;
  }
  for (const auto& [dtype, item] : value.items()) {
    dtypeOf(o, dtype);
    c.tolerances[dtype] = check(item);
  }
}

} // namespace

double Case::toleranceOf(const TensorArg& tensor) const {
  auto found = tolerances.find(std::string(isa::dtypeName(tensor.dtype)));
  if (found != tolerances.end())
    return found->second;
  return tolerance.value_or(defaultTolerance(tensor.dtype));
}

Case parseCase(const std::string& text, const std::string& path) {
  // Case files are flat; showing a value recurses.
  constexpr int kMaxDepth = 64;
  const auto limitDepth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth)
      throw InputError(path + ": not a case: nested more than " + std::to_string(kMaxDepth) + " deep");
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, limitDepth);
  } catch (const Json::exception& error) {
    throw InputError(path + ": not JSON: " + error.what());
  }
  Object o(json, path);
  o.onlyKeys({"name", "kernel", "grid", "args", "npz", "tolerance"});
  Case c;
  c.path = path;
  std::filesystem::path file(path);
  c.name = o.has("name") ? o.text("name") : file.stem().string();
  c.kernel = o.has("kernel") ? o.text("kernel") : "";
  std::vector<uint64_t> grid = extents(o, "grid", 1, 3);
  std::copy(grid.begin(), grid.end(), c.grid.begin());
  for (uint64_t extent : grid)
    if (extent < 1 || extent > 0x7fffffff)
      o.fail("grid extents are 1..2^31 - 1, not " + std::to_string(extent));
  if (!o.at("args").is_array())
    o.fail("'args' must be a list");
  for (const Json& item : o.at("args"))
    c.args.push_back(parseArg(item, path + ": argument " + std::to_string(c.args.size())));
  std::set<std::string> names;
  for (const Arg& arg : c.args)
    if (!names.insert(arg.name).second)
      o.fail("two arguments are called '" + arg.name + "'");
  c.npzNamed = o.has("npz");
  c.npz =
      c.npzNamed ? (file.parent_path() / o.text("npz")).string() : file.replace_extension(".npz").string();
  if (o.has("tolerance"))
    parseTolerance(o, c);
  return c;
}

Case loadCase(const std::string& path) { return parseCase(readText(path), path); }

bool CaseData::anyExpected() const {
  for (const auto& item : expected)
    if (item)
      return true;
  return false;
}

namespace {

// Bits of an integer type in memory or in a slot; 0 for another type.
unsigned integerBits(const std::string& dtype, bool tensor) {
  if (isTruth(dtype))
    return tensor ? 8 : 1;
  bool integer = dtype[0] == 'i' || dtype[0] == 'u';
  return integer ? isa::dtypeBytes(*isa::dtypeByName(dtype)) * 8 : 0;
}

} // namespace

bool Arg::fits(const std::string& wanted) const {
  unsigned bits = integerBits(dtype, tensor);
  return dtype == wanted || (bits && bits == integerBits(wanted, tensor));
}

namespace {

std::vector<uint8_t> readTensor(const NpzReader& npz, const std::string& prefix, const Arg& arg,
                                const Case& c) {
  Array array = npz.read(prefix + arg.name);
  std::string what = c.npz + ": array '" + prefix + arg.name + "'";
  if (array.shape != arg.data.shape)
    throw InputError(what + " has shape " + shapeText(array.shape) + ", but " + c.path + " says " +
                     shapeText(arg.data.shape));
  std::string expected = descrOf(arg.data.dtype);
  bool truth = isTruth(arg.dtype) && (array.descr == "|b1" || array.descr == "|i1");
  if (array.descr != expected && !truth &&
      !(array.descr[0] == '=' && array.descr.substr(1) == expected.substr(1)))
    throw InputError(what + " has numpy type '" + array.descr + "', but dtype " + arg.dtype + " of " +
                     c.path + " needs '" + expected + "'" +
                     (arg.data.dtype == DType::BF16 ? " (bit patterns)" : ""));
  return std::move(array.bytes);
}

} // namespace

namespace {

std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
  return text;
}

// Before anything is allocated: a machine that runs out of memory stops the program without a word.
void checkMemory(const Case& c) {
  double needed = 0,
         have = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  for (const Arg& arg : c.args)
    if (arg.tensor)
      needed += static_cast<double>(arg.data.bytes());
  if (needed > have)
    throw InputError(c.path + ": the tensors have " + gibibytes(needed) + ", this machine has " +
                     gibibytes(have) + " of memory; use smaller shapes");
}

} // namespace

CaseData loadData(const Case& c) {
  checkMemory(c);
  // An npz that merely stands beside the case is used only when an input has to come from it: expected
  // results belong to the inputs beside them, not to generated ones.
  bool needed = c.npzNamed;
  for (const Arg& arg : c.args)
    needed = needed || (arg.tensor && !arg.data.init && !arg.data.output);
  bool generated = false;
  for (const Arg& arg : c.args)
    generated = generated || (arg.tensor && arg.data.init);
  std::error_code error;
  bool exists = std::filesystem::exists(c.npz, error);
  if (!needed && !generated)
    needed = exists;
  std::unique_ptr<NpzReader> npz;
  if (needed) {
    if (!exists)
      throw InputError(c.npz + ": " + (error ? error.message() : "no such file") + "; " + c.path +
                       " has tensors without 'init', whose arrays are expected there");
    npz = std::make_unique<NpzReader>(c.npz);
  }
  CaseData data;
  for (const Arg& arg : c.args) {
    data.inputs.emplace_back();
    data.expected.emplace_back();
    if (!arg.tensor)
      continue;
    if (arg.data.init) {
      if (arg.data.init->kind != Init::Kind::Zeros)
        data.inputs.back() = generate(*arg.data.init, arg.data.dtype, elementCount(arg.data.shape));
    } else if (npz && (!arg.data.output || npz->has("in_" + arg.name)))
      data.inputs.back() = readTensor(*npz, "in_", arg, c);
    if (npz && arg.data.output && npz->has("out_" + arg.name))
      data.expected.back() = readTensor(*npz, "out_", arg, c);
  }
  return data;
}

} // namespace dlsim::casefile
