// Prints docs/chip-reference.md.
#include "sim/config/chip_file.h"

#include <iostream>

int main() { std::cout << dlsim::sim::chipReference(); }
