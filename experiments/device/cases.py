"""The cases that a device and the model both run: what is launched, on which tensors, and what must come out."""

from dataclasses import dataclass

ORDERS = (("rows", 1), ("group", 8), ("diagonal", 8))
ATTENTION = ((64, 64), (64, 128), (128, 64), (128, 128), (128, 256))


@dataclass(frozen=True)
class Tensor:
    """A tensor argument: dense, row-major; `values` is given where the content steers the kernel."""

    name: str
    shape: tuple
    dtype: str = "f16"
    output: bool = False
    values: tuple = ()


@dataclass(frozen=True)
class Case:
    """One launch. `arguments` are tensors and (name, value) scalars in the kernel's order; `constants` its tl.constexpr values."""

    name: str
    kernel: str
    grid: tuple
    arguments: tuple
    constants: dict
    flops: int = 0

    @property
    def tensors(self):
        return [argument for argument in self.arguments if isinstance(argument, Tensor)]

    @property
    def text(self):
        """Name of the kernel's TTIR in ttir/: the kernel and what its constants change in it."""
        c = self.constants
        block = "x".join(str(c[key]) for key in ("BLOCK_M", "BLOCK_N", "BLOCK_K") if key in c)
        kind = {"attention": f"_d{c.get('HEAD')}{'_causal' if c.get('CAUSAL') else ''}_{block}", "moe_up": f"_{block}", "matmul_gelu": f"_{block}",
                "matmul_ordered": f"_{c.get('ORDER')}"}
        return f"{self.kernel}{kind.get(self.kernel, '')}.ttir"


def ceil(extent, block):
    return -(-extent // block)


def vector_add(elements, programs, block=16384):
    tensors = (Tensor("x_ptr", (elements,)), Tensor("y_ptr", (elements,)), Tensor("z_ptr", (elements,), output=True))
    return Case(f"vector_add-{elements}", "vector_add", (programs,), (*tensors, ("n", elements)), {"PROGRAMS": programs, "BLOCK": block}, elements)


def softmax(rows, columns, programs):
    tensors = (Tensor("x_ptr", (rows, columns)), Tensor("y_ptr", (rows, columns), output=True))
    return Case(f"softmax-{rows}x{columns}", "softmax", (programs,), (*tensors, ("rows", rows), ("columns", columns)),
                {"PROGRAMS": programs, "ROWS": 8, "COLUMNS": columns})


def matmul(m, n, k, order, size, programs, tile):
    tensors = (Tensor("a_ptr", (m, k)), Tensor("b_ptr", (k, n)), Tensor("c_ptr", (m, n), output=True))
    return Case(f"matmul-{m}x{n}x{k}-{order}{size if size > 1 else ''}", "matmul_ordered", (programs,), (*tensors, ("M", m), ("N", n), ("K", k)),
                {"PROGRAMS": programs, "ORDER": order, "SIZE": size, **tile}, 2 * m * n * k)


def matmul_gelu(m, n, k, block_m=64):
    tensors = (Tensor("a_ptr", (m, k)), Tensor("b_ptr", (k, n)), Tensor("bias_ptr", (n,)), Tensor("c_ptr", (m, n), output=True))
    return Case(f"matmul_gelu-{m}x{n}x{k}", "matmul_gelu", (ceil(m, block_m), ceil(n, 128)), (*tensors, ("M", m), ("N", n), ("K", k)),
                {"BLOCK_M": block_m, "BLOCK_N": 128, "BLOCK_K": 64}, 2 * m * n * k)


def moe_up(counts, n, k, programs, block_m=128, block_n=128):
    """`counts` are the tokens of each expert."""
    offsets = tuple(sum(counts[:expert]) for expert in range(len(counts) + 1))
    weights = (len(counts), k, n)
    tensors = (Tensor("x_ptr", (offsets[-1], k)), Tensor("gate_ptr", weights), Tensor("up_ptr", weights),
               Tensor("y_ptr", (offsets[-1], n), output=True), Tensor("offsets_ptr", (len(offsets),), "i32", values=offsets))
    return Case(f"moe_up-{len(counts)}x{offsets[-1]}x{n}x{k}{'-even' if len(set(counts)) == 1 else '-skewed'}", "moe_up", (programs,), (*tensors, ("E", len(counts)), ("N", n), ("K", k)),
                {"PROGRAMS": programs, "BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": 64}, 4 * offsets[-1] * n * k)


def attention(heads, length, head, block_m, block_n, causal):
    tensors = (*(Tensor(f"{name}_ptr", (heads, length, head)) for name in "qkv"), Tensor("o_ptr", (heads, length, head), output=True))
    return Case(f"attention-{heads}x{length}x{head}{'-causal' if causal else ''}-{block_m}x{block_n}", "attention", (ceil(length, block_m), heads),
                (*tensors, ("scale", head**-0.5), ("length", length)),
                {"HEAD": head, "BLOCK_M": block_m, "BLOCK_N": block_n, "CAUSAL": causal}, 4 * heads * length * length * head // (2 if causal else 1))


def cases(cubes, vectors, tile=(128, 256, 64)):
    """All cases for a device with so many cube and vector cores (on a GPU: multiprocessors for both)."""
    blocks = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), tile))
    found = [vector_add(1 << 24, vectors), softmax(8192, 1024, vectors)]
    found += [matmul(side, side, side, order, size, cubes, blocks) for side in (2048, 4096, 8192) for order, size in ORDERS]
    found += [matmul_gelu(2048, 2048, 1024), moe_up((512,) * 8, 1024, 512, cubes), moe_up((1636, 982, 589, 353, 212, 127, 76, 121), 1024, 512, cubes)]
    found += [attention(12, length, head, *blocks_, causal) for length, head in ((1024, 64), (4096, 64), (1024, 128)) for blocks_ in ATTENTION
              for causal in (False, True)]
    return found
