// Whole files, read and written with good messages; writing is atomic (a temporary file, then a rename).
#pragma once

#include <functional>
#include <string>

namespace dlsim::casefile {

std::string readText(const std::string& path); // throws InputError
void writeText(const std::string& path, const std::string& text);

// Calls write(temporary path) and renames the result to path; the temporary file goes away on any failure.
void writeAtomically(const std::string& path, const std::function<void(const std::string&)>& write);

} // namespace dlsim::casefile
