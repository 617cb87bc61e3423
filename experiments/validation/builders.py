"""Launches of the micro kernels by the terms in which published runs describe themselves.

The profiler of single operators replays a kernel from an empty L2: loads of C111 and C119 take as long as from a cold one, and in
C049 the 48 cores would otherwise move 268 MB of misses and evictions in 138 us, more than the memory's peak. So launches start
cold. Benchmarks that launch one kernel in a loop, and profiles of whole applications, find in L2 what the launch before left
(`warmup`): a cast of 16.8 MB loads faster than its memory could deliver (C118).
"""

from experiments.validation.model import SIZES, Launch, roofline


def copy_in(chip, rows, columns, tile, *, unit="ub", block_rows=None, passes=1, shared=False, rotate=0, bypass=False,
            stride=None, cores=0):
    """Launch that only reads an f16 matrix, tile by tile, to UB or (as matrix operand) to L1."""
    defines = (["L1"] if unit == "l1" else []) + (["BYPASS=1"] if bypass else [])
    scalars = dict(rows=rows, row_bytes=2 * columns, stride=2 * (stride or columns), tile_rows=tile[0], tile_bytes=2 * tile[1],
                   block_rows=block_rows or rows, passes=passes, shared=int(shared), rotate=rotate)
    return Launch("copy_in", "aic" if unit == "l1" else "aiv", chip, (("x", "f16", (rows, stride or columns)),),
                  tuple(scalars.items()), tuple(defines), cores)


def vadd(chip, elements, tile_bytes, *, buffers=1, bypass=False, work=1, cores=0, gap=0, warmup=0, part=1.0):
    """Launch of z = x + y in f16; every core gets a whole number of tiles."""
    defines = [f"BUFFERS={buffers}", f"BYPASS={int(bypass)}", f"WORK={work}", f"GAP={gap}"]
    tensors = tuple((name, "f16", (elements,)) for name in "xyz")
    return Launch("vadd", "aiv", chip, tensors, (("n", elements * part), ("tile", tile_bytes // 2)), tuple(defines), cores,
                  warmup, part)


def vector_loop(chip, op, iterations, repeats, *, dst, src0, src1=None, scalar=0, dtype="f32", barrier=False):
    """Launch of one vector instruction over and over, contiguous operands."""
    kind = 1 if op in ("exp", "ln", "sqrt", "rsqrt", "relu", "rec", "abs", "copy") else 2
    # dst, src0, src1: block strides of 1, repeat strides of 8.
    strides = 1 | 1 << 8 | 1 << 16 | 8 << 24 | 8 << 32 | 8 << 40 | repeats << 48
    defines = [f"OP={op}", f"KIND={kind}", f"DTYPE=__dl_{dtype}"] + (["BARRIER"] if barrier else [])
    scalars = dict(iterations=iterations, dst=dst, src0=src0, src1=scalar if src1 is None else src1, strides=strides)
    return Launch("vector_loop", "aiv", chip, (), tuple(scalars.items()), tuple(defines), 1)


def steps(chip, step, iterations, *, bytes_=0, cores=1, warmup=0):
    return Launch("steps", "aiv", chip, (("x", "f32", (1 << 16,)),), (("iterations", iterations), ("bytes", bytes_)),
                  (f"STEP={step}",), cores, warmup)


def cube_steps(chip, step, iterations, m, k, n, dtype="f16"):
    return Launch("cube_steps", "aic", chip, (), (("iterations", iterations), ("m", m), ("k", k), ("n", n)),
                  (f"STEP={step}", f"TYPE=__dl_{dtype}"), 1)


def elementwise(chip, op, elements, tile, source, target, cores=0, warmup=0):
    defines = [f"OP_{op}", f"FROM=__dl_{source}", f"FROM_NAME={source}", f"FROM_SIZE={SIZES[source]}", f"TO=__dl_{target}", f"TO_NAME={target}", f"TO_SIZE={SIZES[target]}"]
    tensors = (("x", source, (elements,)), ("y", target, (elements,)))
    return Launch("elementwise", "aiv", chip, tensors, (("n", elements), ("tile", tile)), tuple(defines), cores, warmup)


def rms_norm(chip, rows, columns, size, warmup=0):
    dtype = "f16" if size == 2 else "f32"
    pitch = -(-columns * size // 256) * 256
    tile_rows = max(1, min(-(-rows // 40), 255, (196608 - 2 * pitch - 4096) // (6 * pitch)))
    shape = {name: (rows, columns) for name in ("x1", "x2", "y")} | {name: (columns,) for name in ("gamma", "bias")}
    tensors = tuple((name, dtype, shape[name]) for name in ("x1", "x2", "gamma", "bias", "y"))
    return Launch("rms_norm", "aiv", chip, tensors, (("rows", rows), ("columns", columns), ("tile_rows", tile_rows)),
                  (f"TYPE=__dl_{dtype}", f"TYPE_NAME={dtype}", f"SIZE={size}"), 0, warmup)


def softmax(chip, rows):
    """Rows of 1024 halves."""
    return Launch("softmax", "aiv", chip, tuple((name, "f16", (rows, 1024)) for name in "xy"), (("rows", rows),))


def matmul(chip, m, n, k, base, *, step=(1, 1), l1=(2, 2), l0=2, c_slots=1, b="nk", a_whole=False, dtype="f16", out="f16",
           grid=None, single=None, m_parts=1, k_parts=1, order="rows", swizzle=1, k_shift=0, cores=0, part=1.0, columns=None,
           unit_flag=False, warmup=0, a="rows", loads=1, img2col=False,
           b_whole=False, l0_flags=1, down_first=False):
    """Launch of C = A x B.

    a: "rows" or "nz" (fractal columns; what 16 columns of 16-bit rows are anyway); base: (m, n, k) of a base tile; step: base tiles along K in an L1 panel of A and of B; l1: panels of each; b: "kn", "nk"
    or "nz"; grid: cores (down, across) with `single` = elements of a core's block, else tiles are dealt in `order`;
    loads: commands that bring an operand's tile to L0; img2col: A by img2col loads;
    l0_flags: 2 if L0A and L0B are handed over each by a flag; down_first: a core's tiles down the columns of its block;
    part: only this share of the rows is computed, or of the columns, where `columns` of the matrix are left.
    """
    layout = {"kn": 0, "nk": 1, "nz": 2}[b]
    size = SIZES[dtype]
    defines = dict(BM=base[0], BN=base[1], BK=base[2], STEPA=step[0], STEPB=step[1], A_SLOTS=l1[0], B_SLOTS=l1[1], L0_SLOTS=l0,
                   C_SLOTS=c_slots, B_LAYOUT=layout, A_WHOLE=int(a_whole), B_WHOLE=int(b_whole), L0_FLAGS=l0_flags, A_LAYOUT=2 * (a == "nz"), UNITFLAG=int(unit_flag), LOADS=loads, IMG2COL=int(img2col), DOWN_FIRST=int(down_first), TYPE=f"__dl_{dtype}", TYPE_NAME=dtype,
                   SIZE=size, OUT=f"__dl_{out}", OUT_NAME=out, OUT_SIZE=SIZES[out], TYPE_IS_I8=int(dtype == "i8"))
    ldb = {"kn": n * size, "nk": k * size, "nz": k * 32}[b]
    rows = m if columns else int(m * part)
    stride_n, n = n, columns or n
    scalars = dict(m=rows, n=n, k=k, lda=(m * 32 if a == "nz" else k * size), ldb=ldb, ldc=stride_n * SIZES[out], rows_of_cores=grid[0] if grid else 0,
                   columns_of_cores=grid[1] if grid else 0, m_parts=m_parts, k_parts=k_parts,
                   order={"rows": 0, "columns": 1, "diagonal": 2, "swizzle": 3}[order], swizzle=swizzle, k_shift=k_shift,
                   single_m=0 if not single else single[0] if columns else int(single[0] * part), single_n=single[1] if single else 0)
    tensors = (("a", dtype, (m, k)), ("b", dtype, (stride_n, k)), ("c", out, (m, stride_n)))
    return Launch("matmul", "aic", chip, tensors, tuple(scalars.items()),
                  tuple(f"{key}={value}" for key, value in defines.items()), cores,
                  warmup, part)


ATTENTION_KEYS, ATTENTION_HEAD = 512, 128  # keys in a tile, elements of a head: fixed in the kernel's text


def attention(chip, heads, length, *, block=256, s_slots=2, p_slots=3, depth=2, s_f16=False, chunk=16, rotate=1, cores=0):
    """Launch of O = softmax(Q K^T / sqrt(128)) V, not causal, fp16, heads of 128 elements.

    block: rows of Q in a task; s_slots, p_slots: tiles of scores and probabilities in the workspace; depth: tiles between a product of scores and
    the one with V; s_f16: scores cross the workspace in f16; chunk: tiles of O that are added up at once; rotate: tiles by which the order of
    keys differs between neighbouring cores.
    """
    tiles, group = length // ATTENTION_KEYS, 2 if s_f16 else 4
    chunks = -(-tiles // chunk)
    room = 21504 // (2 * block) - 2 * (chunk + depth) - 1  # rows of statistics that UB has left
    if length % ATTENTION_KEYS or chunk % group or chunks > room:
        raise ValueError(f"attention: length {length} is not a multiple of {ATTENTION_KEYS} up to {room * chunk * ATTENTION_KEYS}, or chunk {chunk} not one of {group}")
    if depth >= s_slots + p_slots:
        raise ValueError(f"attention: with depth {depth} the products wait for each other unless there are {depth + 1} slots of scores and P together")
    outputs = chunk + group + chunks if chunks > 1 else -(-tiles // group) * group + group
    workspace = block * (ATTENTION_KEYS * (s_slots * (2 if s_f16 else 4) + p_slots * 2) + ATTENTION_HEAD * 4 * outputs)
    tensors = tuple((name, "f16", (heads, length, ATTENTION_HEAD)) for name in "qkvo") + (("ws", "f32", (24 * workspace // 4,)),)
    return Launch("attention", "mix", chip, tensors, (("heads", heads), ("length", length), ("rotate", rotate), ("ws_stride", workspace)),
                  (f"BM={block}", f"S_SLOTS={s_slots}", f"P_SLOTS={p_slots}", f"DEPTH={depth}", f"S_F16={int(s_f16)}", f"CHUNK={chunk}"), cores)


def matmul_roofline(chip, m, n, k, dtype="f16", out="f16", cores=None):
    steps_k = {"f16": 16, "bf16": 16, "i8": 32, "f32": 4}[dtype]
    cube = -(-m // 16) * -(-n // 16) * -(-k // steps_k)
    return roofline(chip, (m * k + n * k) * SIZES[dtype] + m * n * SIZES[out], cube, cores=cores)
