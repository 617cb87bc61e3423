// V: 256-byte repeats over UB.
//
// Element i of repeat r on a side with element size S, block stride B and repeat stride P (both in units of
// 32 bytes) lives at base + r * P * 32 + (i * S / 32) * B * 32 + (i * S) % 32. A repeat holds 256 / S elements,
// S the larger of the element sizes of its vector sides.
// Strides word (operand `strides`): dst block [7:0], src0 block [15:8], src1 block [23:16], dst repeat [31:24], src0 repeat [39:32],
// src1 repeat [47:40], repeats [55:48] (0..255).
// Lane state, set by v.mask and v.count in queue order: mask mode (128 lanes, all set at start) applies the mask to every
// repeat; count mode ignores the repeats field and handles exactly `count` elements. Lanes that are off are not written.
// Repeats run in order; each reads all its sources before it writes. In count mode the last repeat is a partial one.
// f16 and bf16 operations other than casts compute in f32 and round once. A NaN result is the canonical quiet NaN;
// maximum and minimum order +0 above -0. Bit masks (v.cmp, v.sel) hold one bit per
// element, 256 / S bits per repeat, packed without gaps.

defvar Strides = "cfg:dst_block/8,src0_block/8,src1_block/8,dst_repeat/8,src0_repeat/8,src1_repeat/8,repeats/8";

let Predicates = [HasAIV], mayLoad = 1, mayStore = 1 in {
def V_MASK : Command2<0x140, "v.mask", "V", IIV, "Mask mode with lanes 0..63 from a and 64..127 from b."> { let Roles = ["val", "val"]; }
def V_COUNT : Command1<0x141, "v.count", "V", IIV, "Count mode: following commands handle a elements."> { let Roles = ["val"]; }

class VBinary<bits<9> op, string mn, string doc> : Command4<op, mn, "V", IIV, doc> {
  let Roles = ["dst:ub", "src:ub", "src:ub", Strides];
  let ImmFields = ["dtype:0:4"];
}
class VScalar<bits<9> op, string mn, string doc> : Command4<op, mn, "V", IIV, doc> {
  let Roles = ["dst:ub", "src:ub", "val", Strides];
  let ImmFields = ["dtype:0:4"];
}
class VUnary<bits<9> op, string mn, string doc> : Command3<op, mn, "V", IIV, doc> {
  let Roles = ["dst:ub", "src:ub", Strides];
  let ImmFields = ["dtype:0:4"];
}
def V_ADD : VBinary<0x150, "v.add", "dst = src0 + src1. f16 f32 i16 i32.">;
def V_SUB : VBinary<0x151, "v.sub", "dst = src0 - src1. f16 f32 i16 i32.">;
def V_MUL : VBinary<0x152, "v.mul", "dst = src0 * src1. f16 f32 i16 i32.">;
def V_DIV : VBinary<0x153, "v.div", "dst = src0 / src1, correctly rounded. f16 f32.">;
def V_MAX : VBinary<0x154, "v.max", "dst = maximum; a NaN operand yields the other one. f16 f32 i16 i32.">;
def V_MIN : VBinary<0x155, "v.min", "dst = minimum; a NaN operand yields the other one. f16 f32 i16 i32.">;
def V_AND : VBinary<0x156, "v.and", "dst = src0 & src1. i16 (bits).">;
def V_OR  : VBinary<0x157, "v.or", "dst = src0 | src1. i16 (bits).">;
def V_XOR : VBinary<0x158, "v.xor", "dst = src0 ^ src1. i16 (bits).">;
def V_MLA : VBinary<0x159, "v.mla", "dst = dst + src0 * src1, product rounded first. f16 f32.">;
def V_ADDS : VScalar<0x160, "v.adds", "dst = src0 + scalar in c. f16 f32 i16 i32.">;
def V_MULS : VScalar<0x161, "v.muls", "dst = src0 * scalar. f16 f32 i16 i32.">;
def V_MAXS : VScalar<0x162, "v.maxs", "dst = maximum with the scalar. f16 f32 i16 i32.">;
def V_MINS : VScalar<0x163, "v.mins", "dst = minimum with the scalar. f16 f32 i16 i32.">;
def V_SHLS : VScalar<0x164, "v.shls", "dst = src0 << scalar; an amount of the width or more gives 0. i16 u16 i32 u32.">;
def V_SHRS : VScalar<0x165, "v.shrs", "dst = src0 >> scalar; arithmetic for signed dtypes; an amount of the width or more shifts everything out. i16 u16 i32 u32.">;
def V_AXPY : VScalar<0x166, "v.axpy", "dst = dst + src0 * scalar, product rounded first. f16 f32.">;
def V_ABS : VUnary<0x170, "v.abs", "dst = |src|. f16 f32.">;
def V_EXP : VUnary<0x171, "v.exp", "dst = e^src, at most 1 ulp. f16 f32.">;
def V_LN  : VUnary<0x172, "v.ln", "dst = natural logarithm, at most 1 ulp. f16 f32.">;
def V_SQRT : VUnary<0x173, "v.sqrt", "dst = square root, correctly rounded. f16 f32.">;
def V_RSQRT : VUnary<0x174, "v.rsqrt", "dst = 1 / sqrt(src), the square root rounded first. f16 f32.">;
def V_REC : VUnary<0x175, "v.rec", "dst = 1 / src, correctly rounded. f16 f32.">;
def V_RELU : VUnary<0x176, "v.relu", "dst = max(src, 0). f16 f32 i32.">;
def V_NOT : VUnary<0x177, "v.not", "dst = ~src. i16 (bits).">;
def V_COPY : VUnary<0x178, "v.copy", "dst = src. Any 16- or 32-bit dtype.">;
def V_DUP : Command3<0x179, "v.dup", "V", IIV, "dst = scalar in b, in every lane. Any 16- or 32-bit dtype."> {
  let Roles = ["dst:ub", "val", Strides]; let ImmFields = ["dtype:0:4"];
}
def V_IOTA : Command4<0x17a, "v.iota", "V", IIV, "dst = b + c * (element number over all repeats). i32 f32."> {
  let Roles = ["dst:ub", "val", "val", Strides]; let ImmFields = ["dtype:0:4"];
}
def V_CAST : Command3<0x17b, "v.cast", "V", IIV,
    "dst = src converted from imm.from to imm.to. round: 0 nearest even, 1 towards zero, 2 floor, 3 ceil, 4 nearest away. "
    "One rounding from the exact value. Integers from floats saturate, NaN gives 0; integers to narrower integers keep the "
    "low bits. f32 <-> f32 rounds to an integral number. f32 <-> f16 bf16 i16 i32; f16 <-> i8 u8 i16 i32; i32 <-> i16; i32 <-> i64; f32 <-> i64."> {
  let Roles = ["dst:ub", "src:ub", Strides];
  let ImmFields = ["from:0:4", "to:4:4", "round:8:3"];
}
def V_CMP : VBinary<0x180, "v.cmp", "Bit mask at dst: src0 op src1. op: 0 lt, 1 gt, 2 le, 3 ge, 4 eq, 5 ne (ne is true, others false, if unordered). f16 f32; i32 eq only."> {
  let ImmFields = ["dtype:0:4", "op:4:3"];
}
def V_CMPS : VScalar<0x181, "v.cmps", "Bit mask at dst: src0 op scalar in c. As v.cmp."> {
  let ImmFields = ["dtype:0:4", "op:4:3"];
}
def V_SEL : Command5<0x182, "v.sel", "V", IIV,
    "dst = bit of the mask at e ? src0 : src1. Any 16- or 32-bit dtype. imm.scalar: src1 is the scalar in c."> {
  let Roles = ["dst:ub", "src:ub", "src:ub", Strides, "src:ub"];
  let ImmFields = ["dtype:0:4", "scalar:4:1"];
}
// Reductions. Whole: one result a repeat at dst + repeat * (dst repeat stride) * S, the stride in elements. Block: one
// result per 32-byte block, 8 a repeat, packed. Pair: neighbours, half a repeat of results. The tree is fixed: level by level,
// element 2i with 2i+1, lanes that are off are absent; a result with no lane at all is not written. Block and pair results
// are packed over all repeats: the dst strides do not apply.
class VReduce<bits<9> op, string mn, string doc> : Command3<op, mn, "V", IIV, doc> {
  let Roles = ["dst:ub", "src:ub", Strides];
  let ImmFields = ["dtype:0:4"];
}
def V_CADD : VReduce<0x190, "v.cadd", "Whole-repeat sum. f16 f32.">;
def V_CMAX : VReduce<0x191, "v.cmax", "Whole-repeat maximum. f16 f32.">;
def V_CMIN : VReduce<0x192, "v.cmin", "Whole-repeat minimum. f16 f32.">;
def V_CGADD : VReduce<0x193, "v.cgadd", "Per-block sum. f16 f32.">;
def V_CGMAX : VReduce<0x194, "v.cgmax", "Per-block maximum. f16 f32.">;
def V_CGMIN : VReduce<0x195, "v.cgmin", "Per-block minimum. f16 f32.">;
def V_CPADD : VReduce<0x196, "v.cpadd", "Pair sum. f16 f32.">;
def V_BRCB : VReduce<0x198, "v.brcb", "Broadcast to blocks: each repeat takes 8 elements at src + repeat * 8 * S and fills one 32-byte block with each; dst block and repeat strides apply. The lane state does not: the repeats field always counts. 16- and 32-bit dtypes.">;
def V_GATHER : VBinary<0x199, "v.gather", "dst[i] = element at src0 + (u32 byte offset src1[i]). Contiguous, 64 elements a repeat, in count or mask mode. 16- and 32-bit dtypes.">;
def V_TRANS : VReduce<0x19a, "v.trans", "Transpose a 16 x 16 tile of 16-bit elements: row j of src is the 32 bytes at src + j * (src0 block stride) * 32; row i of dst is at dst + i * (dst block stride) * 32. Repeats step both by their repeat strides. The lane state does not apply.">;
}
