// M and FIX: the cube and the way out of L0C.
// L0C, Nz with 16-column blocks of 4-byte elements: C(m, n) at (n / 16) * W + m * 64 + (n % 16) * 4,
// W = 64 * ceil16(m) unless the fixpipe is told otherwise.
// The unit flag (imm.unitflag: 0 off, 2, 3) orders M and FIX by 512-byte blocks of L0C, without flags of
// whole commands: an mmad writes a block when its flag is clear and with 3 sets it then (the last of a chain);
// a fix.copy reads a block when its flag is set and with 3 clears it then, and moves its values when it has
// read the last one.
let Predicates = [HasAIC], mayLoad = 1, mayStore = 1 in {
def MMAD : Command6<0x130, "m.mmad", "M", IIM,
    "C(m, n) += sum over k of A(m, k) * B(k, n), one f32 (or i32) chain per element, k ascending; fp16 and bf16 products "
    "are exact in f32 (bf16, f32 and hf32 round the product, then the sum). A NaN in C is canonical. Reads exactly m x k and k x n elements and charges the ceilings. flags bit 0: C starts at 0 (or at "
    "bias(n) from the bias table at f when imm.bias) instead of being read. dtype is that of A and B: f16, bf16, f32, hf32 "
    "(f32 rounded to 11 significant bits on read), i8 (i32 result). imm.unitflag: 2 waits until the blocks are clear, 3 sets them as well."> {
  let Roles = ["dst:l0c", "src:l0a", "src:l0b", "cfg:m/16,k/16,n/16", "cfg:init/1", "src:bt"];
  let ImmFields = ["dtype:0:4", "bias:4:1", "unitflag:5:2"];
}
def FIX_GM : Command6<0x138, "fix.copy.gm", "FIX", IIFIX,
    "Fixpipe L0C to global memory, row-major: C(m, n) scaled by the f32 in f when imm.scale, relu when imm.relu, cast to "
    "dtype (f16 bf16 f32 i8 u8 i16 i32, to nearest even; integers saturate; an i32 source that is scaled or cast to a float "
    "becomes f32 first) at dst + m * dststride + n * size. W = e. atomic as for mte3.copy. source: 0 f32, 1 i32 in L0C. imm.unitflag: 2 waits until the blocks are set, 3 clears them as well."> {
  let Roles = ["dst:gm", "src:l0c", "cfg:m/32,n/32", "cfg:dststride/64", "cfg:blockstride/32", "val"];
  let ImmFields = ["dtype:0:4", "bypass:4:1", "atomic:5:2", "relu:7:1", "scale:8:1", "source:9:1", "unitflag:10:2"];
}
def FIX_L1 : Command6<0x139, "fix.copy.l1", "FIX", IIFIX,
    "Fixpipe L0C to L1, cast to dtype, Nz with column-block stride in d."> {
  let Roles = ["dst:l1", "src:l0c", "cfg:m/32,n/32", "cfg:dstblockstride/32", "cfg:blockstride/32", "val"];
  let ImmFields = ["dtype:0:4", "relu:7:1", "scale:8:1", "source:9:1", "unitflag:10:2"];
}
}
