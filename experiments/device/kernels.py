"""Triton kernels of the cases. The same text runs on an Ascend 910B (Triton-Ascend), on a GPU, and, printed as TTIR, in dlsim."""

import triton
import triton.language as tl


@triton.jit
def vector_add(x_ptr, y_ptr, z_ptr, n, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    """z = x + y; each program takes every PROGRAMS-th block."""
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), PROGRAMS):
        at = block * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(z_ptr + at, tl.load(x_ptr + at, mask=inside) + tl.load(y_ptr + at, mask=inside), mask=inside)


@triton.jit
def softmax(x_ptr, y_ptr, rows, columns, PROGRAMS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Softmax of each row; a row has at most COLUMNS columns."""
    for block in range(tl.program_id(0), tl.cdiv(rows, ROWS), PROGRAMS):
        row = block * ROWS + tl.arange(0, ROWS)[:, None]
        column = tl.arange(0, COLUMNS)[None, :]
        inside = (row < rows) & (column < columns)
        x = tl.load(x_ptr + row * columns + column, mask=inside, other=float("-inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=1)[:, None])
        tl.store(y_ptr + row * columns + column, (e / tl.sum(e, axis=1)[:, None]).to(y_ptr.dtype.element_ty), mask=inside)


@triton.jit
def place(task, down, across, ORDER: tl.constexpr, SIZE: tl.constexpr):
    """The tile (row, column) of C that a task computes: rows, group (SIZE rows at a time) or diagonal (in SIZE x SIZE squares)."""
    if ORDER == "rows":
        return task // across, task % across
    band = task // (SIZE * across)
    top = band * SIZE
    height = tl.minimum(down - top, SIZE)
    inside = task - top * across
    if ORDER == "group":
        return top + inside % height, inside // height
    square = inside // (height * SIZE)
    left = square * SIZE
    width = tl.minimum(across - left, SIZE)
    inside = inside - square * height * SIZE
    # Diagonals repeat after the least common multiple of the sides; from there on they start one column further.
    x, y = tl.maximum(height, width), tl.minimum(height, width)
    while y != 0:
        x, y = y, x % y
    return top + inside % height, left + (inside + inside // (height * width // x)) % width


@triton.jit
def matmul_ordered(a_ptr, b_ptr, c_ptr, M, N, K, PROGRAMS: tl.constexpr, ORDER: tl.constexpr, SIZE: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """C = A B by PROGRAMS persistent programs that take the tiles of C in an order."""
    down, across = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for task in range(tl.program_id(0), down * across, PROGRAMS):
        row, column = place(task, down, across, ORDER, SIZE)
        rm = row * BLOCK_M + tl.arange(0, BLOCK_M)
        rn = column * BLOCK_N + tl.arange(0, BLOCK_N)
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            rk = k + tl.arange(0, BLOCK_K)
            a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
            b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
            acc = tl.dot(a, b, acc)
        tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def matmul_gelu(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """C = gelu(A B + bias); M, N and K are multiples of the block."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        rk = k + tl.arange(0, BLOCK_K)
        acc = tl.dot(tl.load(a_ptr + rm[:, None] * K + rk[None, :]), tl.load(b_ptr + rk[:, None] * N + rn[None, :]), acc)
    x = acc + tl.load(bias_ptr + rn).to(tl.float32)[None, :]
    y = 0.5 * x * (1.0 + tl.math.erf(x * 0.7071067811865476))
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], y.to(tl.float16))


@triton.jit
def moe_up(x_ptr, gate_ptr, up_ptr, y_ptr, offsets_ptr, E, N, K, PROGRAMS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    """y = silu(x gate_e) * (x up_e) for the rows of each expert e, whose rows are offsets[e] to offsets[e + 1]; one persistent launch."""
    pid = tl.program_id(0)
    across = tl.cdiv(N, BLOCK_N)
    done = 0
    for e in range(E):
        low, high = tl.load(offsets_ptr + e), tl.load(offsets_ptr + e + 1)
        tiles = tl.cdiv(high - low, BLOCK_M) * across
        for task in range((pid + PROGRAMS - done % PROGRAMS) % PROGRAMS, tiles, PROGRAMS):
            rm = low + task // across * BLOCK_M + tl.arange(0, BLOCK_M)
            rn = task % across * BLOCK_N + tl.arange(0, BLOCK_N)
            gate = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            up = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for k in range(0, K, BLOCK_K):
                rk = k + tl.arange(0, BLOCK_K)
                x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=rm[:, None] < high, other=0.0)
                weight = e.to(tl.int64) * K * N + rk[:, None] * N + rn[None, :]
                gate = tl.dot(x, tl.load(gate_ptr + weight), gate)
                up = tl.dot(x, tl.load(up_ptr + weight), up)
            y = gate * (1.0 / (1.0 + tl.exp(-gate))) * up
            tl.store(y_ptr + rm[:, None] * N + rn[None, :], y.to(tl.float16), mask=rm[:, None] < high)
        done += tiles


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, scale, length, HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """Flash attention of dense heads [head, length, HEAD]: a program takes BLOCK_M queries and walks the keys BLOCK_N at a time."""
    start = tl.program_id(0) * BLOCK_M
    base = tl.program_id(1).to(tl.int64) * length * HEAD
    q_block = tl.make_block_ptr(q_ptr + base, (length, HEAD), (HEAD, 1), (start, 0), (BLOCK_M, HEAD), (1, 0))
    k_block = tl.make_block_ptr(k_ptr + base, (HEAD, length), (1, HEAD), (0, 0), (HEAD, BLOCK_N), (0, 1))
    v_block = tl.make_block_ptr(v_ptr + base, (length, HEAD), (HEAD, 1), (0, 0), (BLOCK_N, HEAD), (1, 0))
    o_block = tl.make_block_ptr(o_ptr + base, (length, HEAD), (HEAD, 1), (start, 0), (BLOCK_M, HEAD), (1, 0))
    q = tl.load(q_block)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD), tl.float32)
    last = start + BLOCK_M if CAUSAL else length
    for key in range(0, last, BLOCK_N):
        scores = tl.dot(q, tl.load(k_block)) * (scale * 1.44269504)
        if CAUSAL:
            seen = start + tl.arange(0, BLOCK_M)[:, None] >= key + tl.arange(0, BLOCK_N)[None, :]
            scores = tl.where(seen, scores, float("-inf"))
        higher = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.math.exp2(scores - higher[:, None])
        shrink = tl.math.exp2(largest - higher)
        total = total * shrink + tl.sum(weights, axis=1)
        acc = tl.dot(weights.to(tl.float16), tl.load(v_block), acc * shrink[:, None])
        largest = higher
        k_block = tl.advance(k_block, (0, BLOCK_N))
        v_block = tl.advance(v_block, (BLOCK_N, 0))
    tl.store(o_block, (acc / total[:, None]).to(tl.float16))
