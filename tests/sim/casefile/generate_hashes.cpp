// A line "INIT DTYPE COUNT SCALE FNV-1a" for arrays of every kind and dtype.
#include "sim/casefile/generate.h"

#include <cstdio>

int main() {
  using namespace dlsim;
  for (const char* text : {"normal(1)", "normal(123456789012)", "uniform(2)", "arange", "zeros"})
    for (const char* name : {"f16", "bf16", "f32", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"})
      for (double scale : {1.0, 0.37}) {
        casefile::Init init = *casefile::parseInit(text);
        init.scale = scale;
        uint64_t hash = 0xcbf29ce484222325ull;
        for (uint8_t byte : casefile::generate(init, *isa::dtypeByName(name), 5000))
          hash = (hash ^ byte) * 0x100000001b3ull;
        std::printf("%s %s 5000 %g %016llx\n", text, name, scale, static_cast<unsigned long long>(hash));
      }
}
