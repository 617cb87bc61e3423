// Something that the user gave is wrong. The text names the file, the value and what would be right.
#pragma once

#include <stdexcept>

namespace dlsim::casefile {

class InputError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace dlsim::casefile
