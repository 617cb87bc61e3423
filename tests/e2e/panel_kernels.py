"""Loops along K in the forms that kernels have, as TTIR text: how the tiles move on, what is masked, how operands lie in memory."""

from dataclasses import dataclass

ACC = {"f16": "f32", "f32": "f32", "i8": "i32"}


@dataclass(frozen=True)
class Form:
    """A kernel product(a_ptr, b_ptr, o_ptr, K) with o = a b, tiles of m x block and block x n.

    walk: "index" (addresses from the loop's counter), "counted" (from a counter of tiles), "carried" (pointers that the loop moves on).
    masked: the end of K is masked. a_columns, b_columns: the operand lies in memory column by column.
    rounds: a loop around the one along K, over blocks of m rows of a.
    """

    element: str = "f16"
    walk: str = "index"
    masked: bool = True
    a_columns: bool = False
    b_columns: bool = False
    rounds: int = 1
    m: int = 32
    n: int = 48
    block: int = 32

    @property
    def name(self):
        order = ("aT" if self.a_columns else "a") + ("bT" if self.b_columns else "b")
        return f"{self.element}-{self.walk}-{'masked' if self.masked else 'whole'}-{order}-{self.rounds}x{self.m}x{self.n}x{self.block}"

    @property
    def sum_type(self):
        return f"tensor<{self.m}x{self.n}x{ACC[self.element]}>"


@dataclass(frozen=True)
class Side:
    """An operand: its tile's shape, which dimension is K, and whether neighbours along K are neighbours in memory."""

    name: str
    rows: int
    columns: int
    k_dim: int
    k_fast: bool
    element: str

    @property
    def shape(self):
        return f"{self.rows}x{self.columns}"

    @property
    def pointers(self):
        return f"tensor<{self.shape}x!tt.ptr<{self.element}>>"

    @property
    def tile(self):
        return f"tensor<{self.shape}x{self.element}>"

    @property
    def k_shape(self):
        return f"1x{self.columns}" if self.k_dim == 1 else f"{self.rows}x1"

    @property
    def other_shape(self):
        return f"{self.rows}x1" if self.k_dim == 1 else f"1x{self.columns}"


def sides(form):
    return (Side("a", form.m, form.block, 1, not form.a_columns, form.element),
            Side("b", form.block, form.n, 0, form.b_columns, form.element))


def pointers(side, form, start):
    """%<name>p: pointers to the tile that begins at `start` along K; %<name>other are its rows (of a) or columns (of b)."""
    s, k, shape = side.name, form.block, side.shape
    k_range, other = (f"%{s}k", side.k_shape), (f"%{s}other", side.other_shape)
    (slow, slow_shape), (fast, fast_shape) = (other, k_range) if side.k_fast else (k_range, other)
    stride = "%K" if side.k_fast else {"a": "%all", "b": "%wide"}[s]
    return [
        f"%{s}ks = tt.splat {start} : i32 -> tensor<{k}xi32>",
        f"%{s}k1 = arith.addi %{s}ks, %rk0 : tensor<{k}xi32>",
        f"%{s}k = tt.expand_dims %{s}k1 {{axis = {1 - side.k_dim} : i32}} : tensor<{k}xi32> -> tensor<{side.k_shape}xi32>",
        f"%{s}st = tt.splat {stride} : i32 -> tensor<{slow_shape}xi32>",
        f"%{s}sl = arith.muli {slow}, %{s}st : tensor<{slow_shape}xi32>",
        f"%{s}slb = tt.broadcast %{s}sl : tensor<{slow_shape}xi32> -> tensor<{shape}xi32>",
        f"%{s}fab = tt.broadcast {fast} : tensor<{fast_shape}xi32> -> tensor<{shape}xi32>",
        f"%{s}at = arith.addi %{s}slb, %{s}fab : tensor<{shape}xi32>",
        f"%{s}base = tt.splat %{s}_ptr : !tt.ptr<{side.element}> -> {side.pointers}",
        f"%{s}p = tt.addptr %{s}base, %{s}at : {side.pointers}, tensor<{shape}xi32>",
    ]


def load(side, form, address):
    """%<name>v: the tile, with the end of K masked if the form says so (%left elements are left)."""
    s, k = side.name, form.block
    if not form.masked:
        return [f"%{s}v = tt.load {address} : {side.pointers}"]
    return [
        f"%{s}mk = tt.expand_dims %rk0 {{axis = {1 - side.k_dim} : i32}} : tensor<{k}xi32> -> tensor<{side.k_shape}xi32>",
        f"%{s}ml = tt.splat %left : i32 -> tensor<{side.k_shape}xi32>",
        f"%{s}mc = arith.cmpi slt, %{s}mk, %{s}ml : tensor<{side.k_shape}xi32>",
        f"%{s}m = tt.broadcast %{s}mc : tensor<{side.k_shape}xi1> -> tensor<{side.shape}xi1>",
        f"%{s}v = tt.load {address}, %{s}m, %other_{s} : {side.pointers}",
    ]


def k_loop(form):
    """%sum: the loop along K."""
    a, b = sides(form)
    begin = f"%sum = scf.for %i = %c0 to %tiles step %c1 iter_args(%c = %zeros) -> {form.sum_type} : i32 {{"
    body, end = ["%at = arith.muli %i, %block : i32"], [f"scf.yield %d : {form.sum_type}"]
    if form.walk == "index":
        begin = f"%sum = scf.for %at = %c0 to %K step %block iter_args(%c = %zeros) -> {form.sum_type} : i32 {{"
        body = []
    body.append("%left = arith.subi %K, %at : i32")
    before = []
    if form.walk == "carried":
        before = pointers(a, form, "%c0") + pointers(b, form, "%c0")
        begin = (f"%sum:3 = scf.for %i = %c0 to %tiles step %c1 iter_args(%ap1 = %ap, %bp1 = %bp, %c = %zeros) "
                 f"-> ({a.pointers}, {b.pointers}, {form.sum_type}) : i32 {{")
        body += load(a, form, "%ap1") + load(b, form, "%bp1")
        end = [f"scf.yield %anext, %bnext, %d : {a.pointers}, {b.pointers}, {form.sum_type}"]
    else:
        body += pointers(a, form, "%at") + pointers(b, form, "%at") + load(a, form, "%ap") + load(b, form, "%bp")
    body.append(f"%d = tt.dot %av, %bv, %c, inputPrecision = ieee : {a.tile} * {b.tile} -> {form.sum_type}")
    if form.walk == "carried":
        for side, stride in ((a, "%all"), (b, "%wide")):
            s, step = side.name, "%block"
            if not side.k_fast:
                step = f"%{s}step"
                body.append(f"{step} = arith.muli %block, {stride} : i32")
            body += [f"%{s}on = tt.splat {step} : i32 -> tensor<{side.shape}xi32>",
                     f"%{s}next = tt.addptr %{s}p1, %{s}on : {side.pointers}, tensor<{side.shape}xi32>"]
    return [*before, begin, *body, *end, "}"]


def product(form):
    """Text of the kernel."""
    a, b = sides(form)
    m, n, k, acc = form.m, form.n, form.block, ACC[form.element]
    zero = "0" if form.element == "i8" else "0.0"
    at, pointer = f"tensor<{m}x{n}xi32>", f"tensor<{m}x{n}x!tt.ptr<{acc}>>"
    lines = [
        "%c0 = arith.constant 0 : i32", "%c1 = arith.constant 1 : i32", f"%block = arith.constant {k} : i32",
        f"%less = arith.constant {k - 1} : i32", f"%rows = arith.constant {m} : i32", f"%rounds = arith.constant {form.rounds} : i32",
        f"%all = arith.constant {form.rounds * m} : i32", f"%wide = arith.constant {n} : i32",
        f"%zeros = arith.constant dense<{'0' if acc == 'i32' else '0.0'}> : {form.sum_type}",
        f"%other_a = arith.constant dense<{zero}> : {a.tile}", f"%other_b = arith.constant dense<{zero}> : {b.tile}",
        f"%rm0 = tt.make_range {{start = 0 : i32, end = {m} : i32}} : tensor<{m}xi32>",
        f"%rn0 = tt.make_range {{start = 0 : i32, end = {n} : i32}} : tensor<{n}xi32>",
        f"%rk0 = tt.make_range {{start = 0 : i32, end = {k} : i32}} : tensor<{k}xi32>",
        f"%bother = tt.expand_dims %rn0 {{axis = 0 : i32}} : tensor<{n}xi32> -> tensor<1x{n}xi32>",
        "%rounded = arith.addi %K, %less : i32", "%tiles = arith.divsi %rounded, %block : i32",
        "scf.for %round = %c0 to %rounds step %c1 : i32 {",
        "%first = arith.muli %round, %rows : i32", f"%firsts = tt.splat %first : i32 -> tensor<{m}xi32>",
        f"%rm = arith.addi %firsts, %rm0 : tensor<{m}xi32>",
        f"%aother = tt.expand_dims %rm {{axis = 1 : i32}} : tensor<{m}xi32> -> tensor<{m}x1xi32>",
        *k_loop(form),
        f"%ow = tt.splat %wide : i32 -> tensor<{m}x1xi32>", f"%or = arith.muli %aother, %ow : tensor<{m}x1xi32>",
        f"%orb = tt.broadcast %or : tensor<{m}x1xi32> -> {at}", f"%onb = tt.broadcast %bother : tensor<1x{n}xi32> -> {at}",
        f"%oi = arith.addi %orb, %onb : {at}", f"%os = tt.splat %o_ptr : !tt.ptr<{acc}> -> {pointer}",
        f"%op = tt.addptr %os, %oi : {pointer}, {at}",
        f"tt.store %op, {'%sum#2' if form.walk == 'carried' else '%sum'} : {pointer}",
        "}", "tt.return",
    ]
    body = "\n".join("  " + line for line in lines)
    return f"tt.func public @product(%a_ptr: !tt.ptr<{a.element}>, %b_ptr: !tt.ptr<{b.element}>, %o_ptr: !tt.ptr<{acc}>, %K: i32) {{\n{body}\n}}\n"
