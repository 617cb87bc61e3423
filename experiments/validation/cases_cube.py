"""Published cases of the cube core: copies to L1, single commands, matrix products."""

from experiments.validation.builders import copy_in, cube_steps, matmul, matmul_roofline
from experiments.validation.model import ValidationCase, roofline

B1, B2, B3, B4 = "ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4"
MATRIX = 12288 * 12288 * 2
NO_FRAMEWORK = "time of the framework's scalar code, which a hand-written kernel does not have"
SCALAR = {"aic_scalar_time": NO_FRAMEWORK, "aic_scalar_ratio": NO_FRAMEWORK}
BASE = (128, 256, 64)


def copies():
    yield ValidationCase("C030", "GM to L1 copies", {"main": copy_in(B1, 12288, 12288, (64, 64), unit="l1")}, roofline(B1, MATRIX))
    yield ValidationCase("C035", "L2 reuse", {"main": copy_in(B1, 12288, 12288, (64, 1024), unit="l1", passes=4)},
                         roofline(B1, 4 * MATRIX), note="tile not stated: [64,1024]", skip={"read hit rate": "about 0 on both sides"})
    yield ValidationCase("C039", "same-line serialisation", {"main": copy_in(B1, 6144, 512, (256, 64), unit="l1", shared=True,
                                                                             bypass=True)},
                         roofline(B1, 24 * 6144 * 1024), note="L2 hint not stated: past L2, as in C037 of the same page; from L2 its rotated "
                         "run (221 us) would take half as long")


def single_commands():
    def busy(key, unit):
        return lambda r: r[key].busy(unit) * r[key].mhz

    launches = {"load": cube_steps(B2, 0, 1, 5, 1, 0), "bias": cube_steps(B2, 1, 1, 0, 0, 64),
                "img2col": cube_steps(B2, 3, 1, 5, 1, 0)}
    yield ValidationCase("C051", "single commands", launches, roofline(B2), primary="cycles", metrics={
        "cycles": busy("load", "MTE1"), "LoadData2D latency": lambda r: busy("load", "MTE1")(r) - 10,
        "Load3Dv2 latency": lambda r: busy("img2col", "MTE1")(r) - 10,
        "BT/FB latency": lambda r: busy("bias", "MTE1")(r) - 2}, skip={"sparse load latency": "no sparse load in this ISA"},
        note="amount not stated: 5 fractals, 10 cycles of transfer")
    launches = {str(i): cube_steps(B2, 2, i, 128, 128, 128, "i8") for i in (1000, 2000)}
    yield ValidationCase("C052", "single commands", launches, roofline(B2, cube_steps=256, cores=1), primary="cycles", metrics={
        "cycles": lambda r: (r["2000"].cycles - r["1000"].cycles) / 1000}, note="slope of a chain")


def product_8192():
    """M = N = K = 8192, B transposed."""
    n = 8192
    block = dict(grid=(4, 6), single=(2048, 1536))
    basic = dict(step=(8, 4), unit_flag=True, img2col=True, l0_flags=2)  # the basic API has a queue for each buffer
    api = dict(down_first=True)  # the library goes along M first
    single = dict(l1=(1, 1), grid=(1, 1), cores=1, warmup=1, unit_flag=True, **api)
    runs = {
        "C001": dict(base=(64, 64, 64), columns=256, single=(n, 256), part=1 / 32, **single),
        "C002": dict(base=BASE, columns=512, single=(n, 512), part=1 / 16, **single),
        "C003": dict(base=BASE, l1=(1, 1), grid=(2, 12), single=(4096, 683), unit_flag=True, **api),
        "C004": dict(base=BASE, l1=(1, 1), unit_flag=True, **api, **block),
        "C007": dict(base=BASE, step=(8, 4), m_parts=2, grid=(4, 6), single=(1024, 1536), **api),
        "C010": dict(base=BASE, **basic, **block),
        "C013": dict(base=BASE, out="f32", **basic, **block),
    }
    for case, run in runs.items():
        out = run.get("out", "f16")
        yield ValidationCase(case, "8192 cubed", {"main": matmul(B1, n, n, n, **run)},
                             matmul_roofline(B1, n, n, n, out=out, cores=run.get("cores") or None), skip=SCALAR,
                             note="a share of the columns, scaled; A in L2 from the columns before" if "part" in run else
                             "panel depth of the L2 split not stated: 8 and 4" if case == "C007" else "")


def guide():
    """Tuning cases of the programming guide."""
    m, k, n = 4096, 5120, 4096
    blocks = dict(grid=(4, 5), single=(1024, 896), b="kn", out="f32")
    small = dict(base=(64, 64, 256), l1=(2, 2))
    bound = matmul_roofline(B3, m, n, k, out="f32")
    yield ValidationCase("C053", "matrix products", {"main": matmul(B3, m, n, k, grid=(2, 2), single=(2048, 2048), cores=4, b="kn",
                                                                    out="f32", **small)},
                         matmul_roofline(B3, m, n, k, out="f32", cores=4), stated=False, note="base tile not stated: that of the next case")
    yield ValidationCase("C054", "matrix products", {"main": matmul(B3, m, n, k, **small, **blocks)}, bound)
    yield ValidationCase("C055", "matrix products", {"main": matmul(B3, m, n, k, base=BASE, step=(4, 4), **blocks)}, bound, metrics={
        "MTE2 bandwidth": lambda r: r["main"].moved("L1", "written") / r["main"].busy("MTE2") / 1e3}, primary="aic_mte2_time",
        stated=False, note="panel depth not stated: 4")
    wide = dict(grid=(1, 24), single=(128, 1280))
    yield ValidationCase("C057", "matrix products", {"main": matmul(B1, 128, 30720, 1024, BASE, l1=(2, 2), **wide)},
                         matmul_roofline(B1, 128, 30720, 1024), metrics={
                             "aic_time max": lambda r: max(r["main"].core_cycles()) / r["main"].mhz}, primary="aic_time max",
                         skip={"first 16 mmad span (sim)": "not measured"}, stated=False, note="base tile not stated: 128x256x64")
    yield ValidationCase("C059", "matrix products", {"main": matmul(B1, 30720, 4096, 1024, BASE, step=(4, 4), grid=(24, 1),
                                                                    single=(1280, 4096))},
                         matmul_roofline(B1, 30720, 4096, 1024), metrics={"aic_mte2-bound total": lambda r: r["main"].time},
                         primary="aic_mte2-bound total", stated=False, note="tiling not stated: 128x256x64, panels of 4")
    wide20 = dict(grid=(1, 20), single=(128, 1536))
    for case, flag in (("C061", False), ("C062", True)):
        yield ValidationCase(case, "unit flag", {"main": matmul(B3, 128, 30720, 64, BASE, unit_flag=flag, **wide20)},
                             matmul_roofline(B3, 128, 30720, 64), primary="total", stated=False)
    yield ValidationCase("C063", "small matrix products", {"main": matmul(B1, 256, 512, 192, BASE, step=(3, 3))},
                         matmul_roofline(B1, 256, 512, 192), primary="total", stated=False)
    yield ValidationCase("C065", "small matrix products", {"main": matmul(B1, 128, 24576, 512, BASE, step=(4, 4), grid=(1, 24),
                                                                          single=(128, 1024))},
                         matmul_roofline(B1, 128, 24576, 512), primary="total", stated=False)
    yield ValidationCase("C067", "same-line serialisation", {"main": matmul(B1, 768, 2048, 6144, BASE, step=(4, 4))},
                         matmul_roofline(B1, 768, 2048, 6144), primary="total", metrics={
                             "mte2 max": lambda r: r["main"].busy("MTE2"),
                             "GM->L1 bw usage": lambda r: r["main"].moved("L1", "written") / 24 / r["main"].core_time() / 264 * 1e6 / 2**30 * 100},
                         stated=False, note="tiling not stated: 128x256x64, panels of 4")
    for case in ("C069", "C072"):
        yield ValidationCase(case, "small matrix products", {"main": matmul(B1, 128, 30720, 64, BASE, **wide)},
                             matmul_roofline(B1, 128, 30720, 64), primary="total", stated=False, skip=SCALAR | {
                                 "first MTE2 issued at": NO_FRAMEWORK})
    for case, parts in (("C077", 1), ("C078", 8)):
        yield ValidationCase(case, "small matrix products", {"main": matmul(B1, 16, 16, 1024, (16, 16, 128), k_parts=parts,
                                                                            out="f32", step=(4, 4) if parts == 1 else (1, 1))},
                             matmul_roofline(B1, 16, 16, 1024, cores=1), primary="total", stated=False,
                             note="base tile and number of parts are ours")
    yield ValidationCase("C079", "GM to L1 copies", {"main": matmul(B1, 1024, 1024, 4095, (128, 176, 64), step=(4, 4), grid=(4, 6),
                                                             single=(256, 176))},
                         matmul_roofline(B1, 1024, 1024, 4095), primary="total", stated=False,
                         skip={"aiv_mte2_time": "no vector part"}, note="tiling not stated: 4 x 6 blocks, 128x176x64, panels of 4")


def practice():
    """Tuning practice of the operator library."""
    for case, order in (("C098", "rows"), ("C099", "diagonal")):
        yield ValidationCase(case, "same-line serialisation", {"main": matmul(B1, 768, 3072, 8192, BASE, step=(4, 4), order=order)},
                             matmul_roofline(B1, 768, 3072, 8192), primary="MTE2 transfer time", metrics={
                                 "effective load bandwidth": lambda r: r["main"].moved("L1", "written") / r["main"].busy("MTE2") / 1e6},
                             note="panels of 4")
    yield ValidationCase("C102", "GM to L1 copies", {"main": matmul(B1, 80000, 1024, 5, (128, 256, 16), b="kn", unit_flag=True)},
                         matmul_roofline(B1, 80000, 1024, 5), primary="total", stated=False, metrics={
                             "fixpipe_time": lambda r: r["main"].busy("FIX"),
                             "output bandwidth": lambda r: 80000 * 2048 / r["main"].busy("FIX") / 1e6}, skip={
                                 "input bandwidth": "its bytes are not stated"})


def traces():
    """Profiles of matrix products of a 20-core device at 1650 MHz."""
    def per_block(unit, blocks):
        # The profiler's summary: total over blocks x rounds / blocks.
        return lambda r: r["main"].busy(unit) * 20 / blocks * -(-blocks // 20)

    def pipes(blocks):
        return {f"aic_{name}_time": per_block(unit, blocks)
                for name, unit in (("mac", "M"), ("mte1", "MTE1"), ("mte2", "MTE2"), ("fixpipe", "FIX"))}

    mixed = {name: "holds the vector part and its waits" for name in ("Task Duration", "aicore_time", "cube_utilization(%)", "aiv_vec_time")}
    yield ValidationCase("C114", "matrix products", {"main": matmul(B4, 1024, 1024, 1024, (128, 128, 32), b="kn", out="f32", warmup=1, loads=2)},
                         matmul_roofline(B4, 1024, 1024, 1024), pipes(64), skip=SCALAR | mixed, primary="aic_mte2_time")
    yield ValidationCase("C115", "matrix products", {"main": matmul(B4, 2048, 2048, 2048, (128, 128, 128), b="kn", dtype="bf16", out="f32", warmup=1, loads=2)},
                         matmul_roofline(B4, 2048, 2048, 2048), pipes(256), skip=SCALAR | mixed, primary="aic_mte2_time",
                         stated=False, note="block of K not stated: 128")


def catlass():
    l1 = dict(step=(4, 4))
    runs = [
        ("C122", B3, (1024, 576, 6144), dict(base=(256, 128, 64), b="kn", **l1), True),
        ("C123", B3, (20, 6144, 16384), dict(base=BASE, b="nz", **l1), False),
        ("C126", B3, (20, 6144, 16384), dict(base=(32, 320, 32), step=(4, 4), b="kn"), True),
        ("C127", B1, (1, 768, 5120), dict(base=(16, 256, 32), dtype="f32", out="f32", **l1), False),
        ("C130", B3, (160, 6144, 2048), dict(base=BASE, b="nz", order="swizzle", swizzle=4, **l1), False),
    ]
    for case, chip, (m, n, k), run, stated in runs:
        kwargs = dict(run)
        base = kwargs.pop("base")
        yield ValidationCase(case, "matrix products", {"main": matmul(chip, m, n, k, base, **kwargs)},
                             matmul_roofline(chip, m, n, k, kwargs.get("dtype", "f16"), kwargs.get("out", "f16")),
                             primary="time", stated=stated)
    quant = {"C131": (512, 4096, 1024, False), "C134": (128, 16384, 1024, True), "C135": (1024, 4096, 1024, False),
             "C138": (512, 8192, 1024, True), "C139": (128, 16384, 2048, False), "C140": (128, 16384, 2048, True)}
    for case, (m, n, k, whole) in quant.items():
        step = (k // 128, 2) if whole else (4, 2)
        yield ValidationCase(case, "matrix products", {"main": matmul(
            B1, m, n, k, (128, 256, 128), dtype="i8", out="i32", step=step, a_whole=whole, l1=(1 if whole else 2, 2))},
            matmul_roofline(B1, m, n, k, "i8", "i32"), primary="time", stated=False,
            note="cube part only, i32 result to global memory; layout of B not stated")
    split = {"C141": (2048, 4096, 4000, 1), "C145": (4096, 4096, 40000, 1), "C146": (4096, 4096, 40000, 10),
             "C148": (2048, 4096, 80000, 20)}
    for case, (m, n, k, parts) in split.items():
        yield ValidationCase(case, "matrix products", {"main": matmul(
            B2, m, n, k, BASE, step=(4, 4), b="kn", k_parts=parts, out="f32" if parts > 1 else "f16", order="swizzle", swizzle=3)},
            matmul_roofline(B2, m, n, k), primary="time", stated=False, note="parts of K and layout of B are ours")
    for case, n in (("C149", 1536), ("C151", 6144)):
        yield ValidationCase(case, "24-core products", {"main": matmul(B1, n, n, n, BASE, step=(4, 4), out="f32", grid=(4, 6),
                                                                       single=(n // 4, n // 6))},
                             matmul_roofline(B1, n, n, n, out="f32"), primary="time", metrics={
                                 name: lambda r, unit=unit: 100 * r["main"].ratio(unit)
                                 for name, unit in (("cube ratio", "M"), ("TEXTRACT (MTE1) ratio", "MTE1"),
                                                    ("TLOAD (MTE2) ratio", "MTE2"), ("TSTORE (fixpipe) ratio", "FIX"))})
    yield ValidationCase("C162", "matrix products", {"main": matmul(B1, 5416, 6144, 1408, BASE, step=(4, 4))},
                         matmul_roofline(B1, 5416, 6144, 1408), primary="time", stated=False, metrics={
                             "throughput": lambda r: 2 * 5416 * 6144 * 1408 / r["main"].time / 1e6}, skip={
                                 "throughput": "the same number"})
    yield ValidationCase("C186", "matrix products", {"main": matmul(B1, 6144, 6144, 6144, BASE, step=(4, 4), out="f32")},
                         matmul_roofline(B1, 6144, 6144, 6144), primary="time", stated=False, skip={"throughput": "the same number"})
    for case, rows in (("C188", 16), ("C189", 512)):
        yield ValidationCase(case, "matrix products", {"main": matmul(B1, 884736, 16, 16, (rows, 16, 16), b="kn", b_whole=True, c_slots=2, a="nz")},
                             matmul_roofline(B1, 884736, 16, 16), primary="time", stated=False, note=f"tiles of {rows} rows, B kept in L1: ours; A's rows are fractal rows, copied as they are")


def cases():
    for group in (copies, single_commands, product_8192, guide, practice, traces, catlass):
        yield from group()
