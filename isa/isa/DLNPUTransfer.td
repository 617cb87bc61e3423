// MTE1, MTE2, MTE3: transfers. On-chip addresses are byte offsets into the scope that the mnemonic names.
//
// Roles of register operands (read by the table generator): "dst:SCOPE", "src:SCOPE", "cfg:a,b,.." with
// the fields of a configuration word from its low end as name/width, "val".
// dtype codes: 0 f16, 1 bf16, 2 f32, 3 i8, 4 i16, 5 i32, 6 hf32, 7 u8, 8 u16, 9 u32, 10 i64, 11 u64.
// Nz layout of an R x C tile of S-byte elements with column-block stride W bytes (C0 = 32 / S):
//   address(r, c) = (c / C0) * W + r * 32 + (c % C0) * S.

let mayLoad = 1, mayStore = 1 in {
// ---- MTE2: global memory to L1 or UB -------------------------------------------------
class CopyIn<bits<9> op, string scope, list<Predicate> preds>
    : Command6<op, "mte2.copy." # scope, "MTE2", IIMTE2,
        "Strided burst copy, global memory to " # scope # ". For i in 0..count-1: left bytes of pad, length "
        "bytes from src + i * srcstride, right bytes of pad, at dst + i * dststride. Pad bytes repeat the "
        "element value in f. dst and dststride are multiples of 32. Length 0 writes the padding only."> {
  let Roles = ["dst:" # scope, "src:gm", "cfg:count/32,length/32", "cfg:srcstride/64",
               "cfg:dststride/32,left/16,right/16", "val"];
  let ImmFields = ["size_log2:0:2", "bypass:4:1"];
  let Predicates = preds;
}
def MTE2_COPY_L1 : CopyIn<0x100, "l1", [HasAIC]>;
def MTE2_COPY_UB : CopyIn<0x101, "ub", [HasAIV]>;
let Predicates = [HasAIC] in {
def MTE2_ND2NZ : Command5<0x102, "mte2.nd2nz.l1", "MTE2", IIMTE2,
    "Row-major tile in global memory to Nz in L1: element (r, c), r < rows, c < cols, from src + r * srcstride "
    "+ c * size to Nz(r, c) with column-block stride W = e. Bytes of the last column block beyond cols stay as they were. "
    "srcstride in bytes."> {
  let Roles = ["dst:l1", "src:gm", "cfg:rows/32,cols/32", "cfg:srcstride/64", "cfg:blockstride/32"];
  let ImmFields = ["dtype:0:4", "bypass:4:1"];
}
def MTE2_FILL_L1 : Command3<0x103, "mte2.fill.l1", "MTE2", IIMTE2,
    "Fill c bytes (a multiple of 32) of L1 at a with the 32-bit pattern in b."> {
  let Roles = ["dst:l1", "val", "cfg:bytes/32"];
}
}
let Predicates = [HasAIV] in
def MTE2_GATHER_UB : Command6<0x104, "mte2.gather.ub", "MTE2", IIMTE2,
    "Row gather: for i in 0..count-1 the 32-bit index x = UB[c + 4i] selects length bytes at src + x * rowstride, "
    "written to dst + i * dststride."> {
  let Roles = ["dst:ub", "src:gm", "src:ub", "cfg:count/32,length/32", "cfg:rowstride/64", "cfg:dststride/32"];
  let ImmFields = ["bypass:4:1"];
}

// ---- MTE3: L1 or UB to global memory --------------------------------------------------
class CopyOut<bits<9> op, string scope, list<Predicate> preds>
    : Command5<op, "mte3.copy." # scope, "MTE3", IIMTE3,
        "Strided burst copy, " # scope # " to global memory. For i in 0..count-1: length bytes from src + i * srcstride "
        "to dst + i * dststride. atomic: 0 store, 1 add, 2 max, 3 min, on elements of dtype."> {
  let Roles = ["dst:gm", "src:" # scope, "cfg:count/32,length/32", "cfg:dststride/64", "cfg:srcstride/32"];
  let ImmFields = ["dtype:0:4", "bypass:4:1", "atomic:5:2"];
  let Predicates = preds;
}
def MTE3_COPY_L1 : CopyOut<0x110, "l1", [HasAIC]>;
def MTE3_COPY_UB : CopyOut<0x111, "ub", [HasAIV]>;

// ---- MTE1: L1 to L0A, L0B, BT, FB -------------------------------------------------------
// L0A, zZ: A(m, k) of an M x K operand with KF = ceil(K / C0) fractals a row:
//   ((m / 16) * KF + k / C0) * 512 + (m % 16) * 32 + (k % C0) * S.
// L0B, nZ: B(k, n) of a K x N operand with NF = ceil(N / 16):
//   ((k / C0) * NF + n / 16) * 512 + (n % 16) * 32 + (k % C0) * S.
let Predicates = [HasAIC] in {
def MTE1_LOAD_L0A : Command4<0x120, "mte1.load.l0a", "MTE1", IIMTE1,
    "Fractal load L1 to L0A of mf x kf fractals (16 x C0 elements each). transpose 0: the L1 tile is Nz of (m, k); "
    "transpose 1: it is Nz of (k, m). W = d is its column-block stride."> {
  let Roles = ["dst:l0a", "src:l1", "cfg:mf/16,kf/16", "cfg:blockstride/32"];
  let ImmFields = ["dtype:0:4", "transpose:4:1"];
}
def MTE1_LOAD_L0B : Command4<0x121, "mte1.load.l0b", "MTE1", IIMTE1,
    "Fractal load L1 to L0B of kf x nf fractals (C0 x 16 elements each). transpose 0: the L1 tile is Nz of (n, k); "
    "transpose 1: it is Nz of (k, n). W = d is its column-block stride."> {
  let Roles = ["dst:l0b", "src:l1", "cfg:kf/16,nf/16", "cfg:blockstride/32"];
  let ImmFields = ["dtype:0:4", "transpose:4:1"];
}
def MTE1_IMG2COL_L0A : Command6<0x124, "mte1.img2col.l0a", "MTE1", IIMTE1,
    "Fractal load of a window matrix: mf x kf fractals to L0A, zZ, from a feature map in L1. The map has 32-byte columns of "
    "C0 channels: element (c, y, x) at ((c / C0 * height + y) * width + x) * 32 + (c % C0) * S. Row m of the matrix is output "
    "position mstart + m, counted along x, then y; an output row has (width + padleft + padright - dilx * (kx - 1) - 1) / stridex "
    "+ 1 positions. Column k is ((c1 * ky + j) * kx + i) * C0 + c0, from kstart * C0 on, with c1 < channels1: row m holds the map's "
    "(y * stridey + j * dily - padtop, x * stridex + i * dilx - padleft), or padvalue's low S bytes outside it and beyond the last "
    "column."> {
  let Roles = ["dst:l0a", "src:l1", "cfg:mf/16,kf/16,mstart/32", "cfg:height/16,width/16,channels1/16,kstart/16",
               "cfg:kx/8,ky/8,stridex/8,stridey/8,dilx/8,dily/8,padleft/8,padtop/8", "cfg:padright/8,padvalue/32"];
  let ImmFields = ["dtype:0:4"];
}
def MTE1_LOAD_BT : Command3<0x122, "mte1.load.bt", "MTE1", IIMTE1, "Copy c bytes from L1 at b to the bias table at a."> {
  let Roles = ["dst:bt", "src:l1", "cfg:bytes/32"];
}
def MTE1_LOAD_FB : Command3<0x123, "mte1.load.fb", "MTE1", IIMTE1, "Copy c bytes from L1 at b to the fixpipe buffer at a."> {
  let Roles = ["dst:fb", "src:l1", "cfg:bytes/32"];
}
}
}
