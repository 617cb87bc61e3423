// What is wrong with a kernel binary.
#pragma once
#include <stdexcept>
#include <string>

namespace dlsim::dlk {

class FormatError : public std::runtime_error {
public:
  // "FILE: FIELD is VALUE; FIX"
  FormatError(std::string file, std::string field, std::string value, std::string fix)
      : std::runtime_error(file + ": " + field + " is " + value + "; " + fix), file_(std::move(file)),
        field_(std::move(field)), value_(std::move(value)), fix_(std::move(fix)) {}

  const std::string& file() const { return file_; }
  const std::string& field() const { return field_; } // "meta.args[2].dtype", ".text.aic word 12"
  const std::string& value() const { return value_; }
  const std::string& fix() const { return fix_; }

private:
  std::string file_, field_, value_, fix_;
};

} // namespace dlsim::dlk
