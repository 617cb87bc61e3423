"""The kernels that several experiments use, as points of a sweep at any shape.

Each function takes the labels of the point first and passes further words (options, run, trace, replace, ...) on to `triton`.
"""

from experiments.device.cases import Tensor
from experiments.runner.cases import Case, triton
from experiments.runner.tools import REPOSITORY

# Tables name the tiles of kernels; joined programs have others.
OWN_TILES = ("--coarsen=off",)
MATMUL = {"128x256x64": "tuned_matmul_grid2d_128x256x64", "128x256x256": "tuned_matmul_grid2d_128x256x256"}


def matmul(labels, m, n, k, tile="128x256x256", **more):
    """fp16 C = A B on cube cores."""
    return triton(MATMUL[tile], labels, [-(-m // 128), -(-n // 256)], {"M": m, "N": n, "K": k},
                  {"a_ptr": [m, k], "b_ptr": [k, n], "c_ptr": [m, n]}, **more)


def attention(labels, heads, length, head=64, causal=False, **more):
    """fp16 flash attention (`heads`: batch times heads), blocks of 128 queries and 128 keys; head 64 or (also causal) 128."""
    name = f"tuned_attention_d{head}{'_causal' if causal else ''}_128x128"
    shape = [heads, 1, length, head]
    return triton(name, labels, [-(-length // 128), heads],
                  {"sm_scale": head**-0.5, "stride_z": length * head, "stride_h": length * head, "stride_n": head, "N_CTX": length},
                  dict.fromkeys("QKVO", shape), **more)


def softmax(labels, rows, columns=1024, **more):
    """fp16 softmax of rows on vector cores, eight rows of at most 1024 columns at a time."""
    return triton("tuned_softmax_rows_8x1024", labels, [48], {"rows": rows, "cols": columns, "stride": columns},
                  {"x_ptr": [rows, columns], "y_ptr": [rows, columns]}, **more)


def rms_norm(labels, rows, columns=2048, **more):
    """bf16 RMS norm of rows on vector cores, four rows of at most 2048 columns at a time."""
    return triton("tuned_rms_norm_rows_4x2048", labels, [48], {"rows": rows, "cols": columns},
                  {"x_ptr": [rows, columns], "w_ptr": [columns], "y_ptr": [rows, columns]}, **more)


def vector_add(labels, elements, **more):
    """fp16 addition on vector cores, 16384 elements at a time."""
    return triton("tuned_vector_add_16384", labels, [48], {"n": elements},
                  dict.fromkeys(("x_ptr", "y_ptr", "o_ptr"), [elements]), **more)


def rope(labels, tokens, heads=4, **more):
    """fp16 rotary embedding, one token and head a program: little work, many small commands."""
    return triton("rope", labels, [tokens, heads], {"T": tokens, "HD": heads * 128},
                  {"x_ptr": [tokens, heads * 128], "cos_ptr": [tokens, 64], "sin_ptr": [tokens, 64], "y_ptr": [tokens, heads * 128]}, **more)


def layer_norm(labels, rows, columns=1151, **more):
    """fp16 layer norm, one row a program."""
    return triton("layer_norm", labels, [rows], {"stride": columns, "N": columns},
                  {"x_ptr": [rows, columns], "y_ptr": [rows, columns], "w_ptr": [columns], "b_ptr": [columns], "mean_ptr": [rows], "rstd_ptr": [rows]},
                  **more)


def small_matmul(labels, m, n, k, **more):
    """fp16 matmul in the small tiles of a GPU kernel (64 x 64 x 32 at most): many commands for little work."""
    return triton("matmul_rows", labels, [24], {"M": m, "N": n, "K": k},
                  {"a_ptr": [m, k], "b_ptr": [k, n], "c_ptr": [m, n]}, **more)


def device(labels, launch, options=(), run=(), **more):
    """A case of experiments/device; only time is computed, so inputs are zeros except those that steer the kernel."""
    arguments, inputs = [], {}
    for argument in launch.arguments:
        if not isinstance(argument, Tensor):
            name, value = argument
            arguments.append({"name": name, "kind": "scalar", "dtype": "f32" if isinstance(value, float) else "i32", "value": value})
            continue
        entry = {"name": argument.name, "kind": "tensor", "dtype": argument.dtype, "shape": list(argument.shape), "output": argument.output}
        if argument.values:
            inputs[argument.name] = list(argument.values)
        else:
            entry["init"] = "zeros"
        arguments.append(entry)
    record = {"name": launch.name, "kernel": launch.kernel, "grid": [*launch.grid, 1, 1][:3], "args": arguments}
    return Case(labels, REPOSITORY / "experiments" / "device" / "ttir" / launch.text, record, (*OWN_TILES, *options), ("--timing-only", "-q", *run),
                inputs=inputs or None, **more)
