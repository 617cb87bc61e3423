"""Published cases of the vector core: copies to UB, additions, bank layouts, instruction costs, norms."""

from experiments.validation.builders import copy_in, elementwise, rms_norm, steps, vadd, vector_loop
from experiments.validation.model import Launch, ValidationCase, roofline

B1, B3, B4, B4CJ = "ascend910b1", "ascend910b3", "ascend910b4", "ascend910b4_cj"
MATRIX = 12288 * 12288 * 2
NO_FRAMEWORK = "time of the framework's scalar code, which a hand-written kernel does not have"
CLOCK = "the same number at a clock that the device may not have had"
SCALAR = {"aiv_scalar_time": NO_FRAMEWORK, "aiv_scalar_ratio": NO_FRAMEWORK}


def slope(results, name="main", base="base"):
    """Microseconds that each further iteration costs; launches differ by 1000 iterations."""
    return (results[name].time - results[base].time) / 1000


def copies():
    copy = "GM to UB copies"
    tiles = {"C026": (1, 64), "C027": (64, 64), "C028": (64, 1024)}
    for case, tile in tiles.items():
        yield ValidationCase(case, copy, {"main": copy_in(B1, 12288, 12288, tile)}, roofline(B1, MATRIX))
    yield ValidationCase("C033", "L2 reuse", {"main": copy_in(B1, 12288, 12288, (64, 1024), passes=4)}, roofline(B1, 4 * MATRIX),
                         note="tile not stated: [64,1024]", skip={
                             "r0 hit": "a few hundred of five million", "r1 hit": "a few hundred of five million",
                             "read hit rate": "compared as the counts of misses"})
    yield ValidationCase("C037", "same-line serialisation",
                         {"main": copy_in(B1, 6144, 512, (128, 64), shared=True, bypass=True)}, roofline(B1, 48 * 6144 * 1024))


def additions():
    # Two operands and a result of 8192 x 8192 f16.
    n, traffic = 8192 * 8192, 3 * 8192 * 8192 * 2
    bound = roofline(B1, traffic)
    runs = {"C019": dict(tile_bytes=8192, cores=1, part=1 / 16), "C020": dict(tile_bytes=8192), "C021": dict(tile_bytes=32768),
            "C023": dict(tile_bytes=32768, buffers=2, bypass=True)}
    for case, run in runs.items():
        yield ValidationCase(case, "vector add", {"main": vadd(B1, n, **run)}, bound, skip=SCALAR,
                             note="1/16 of the elements, scaled" if case == "C019" else "")
    read, mixed = 2 * n * 2 * 1e-6, traffic * 1e-6  # TB per microsecond of MTE2 time gives TB/s
    launches = {"C2": vadd(B1, n, 8192), "C3": vadd(B1, n, 32768), "C4": vadd(B1, n, 32768, buffers=2),
                "C5": vadd(B1, n, 32768, buffers=2, bypass=True),
                "C6": vadd(B1, n, 16384, buffers=2, bypass=True, gap=256)}
    metrics = {f"read bandwidth {key}": lambda r, key=key: read / r[key].busy("MTE2") for key in ("C2", "C3")}
    metrics |= {f"mixed rd+wr bandwidth {key}": lambda r, key=key: mixed / r[key].busy("MTE2") for key in ("C4", "C5", "C6")}
    yield ValidationCase("C025", "vector add", launches, bound, metrics, primary="", note="bytes over the time of MTE2")
    elements = 80 << 20
    bound = roofline(B4, 6 * elements)
    one = vadd(B4, elements, 4096, cores=8)
    usage = lambda r, width: 100 * elements * 2 / 8 / r.core_time() / width * 1e6 / 2**30  # noqa: E731
    yield ValidationCase("C106", "vector add", {"main": one}, bound, metrics={
        "aiv_time min": lambda r: min(r["main"].core_cycles()) / r["main"].mhz,
        "aiv_time max": lambda r: max(r["main"].core_cycles()) / r["main"].mhz,
        "GM_to_UB_bw_usage_rate": lambda r: 2 * usage(r["main"], 220.06),
        "UB_to_GM_bw_usage_rate": lambda r: usage(r["main"], 186.8)})
    gib = {"aiv_gm_to_ub_bw": lambda r: r["main"].moved("UB", "written") / 8 / r["main"].core_time() * 1e6 / 2**30}
    yield ValidationCase("C107", "vector add", {"main": one}, bound, gib | {
        "aiv_ub_to_gm_bw": lambda r: elements * 2 / 8 / r["main"].core_time() * 1e6 / 2**30,
        "GM_to_UB_datas": lambda r: elements * 4 / 8 / 1024, "UB_to_GM_datas": lambda r: elements * 2 / 8 / 1024}, skip={
            name: "true by construction" for name in ("GM_to_UB_datas", "UB_to_GM_datas")})
    yield ValidationCase("C110", "vector add", {"main": vadd(B4, elements, 20480, cores=8, buffers=2, work=8)}, bound, {
        "aiv_gm_to_ub_bw": lambda r: 2 * elements * 2 / 8 / r["main"].core_time() * 1e6 / 2**30}, skip={
            "aiv_vec_wait_ratio": "counted otherwise"})
    yield ValidationCase("C111", "vector add", {"main": vadd(B4, 5120, 1024, cores=1)}, roofline(B4, 30720), skip={
        "aiv_scalar_time": NO_FRAMEWORK, "aiv_vec_wait_ratio": "counted otherwise"})


# Operand addresses of the bank experiment: src0, src1, dst.
BANKS = {"C041": (0x0, 0x10100, 0x20000), "C042": (0x0, 0x4000, 0x10000), "C044": (0x0, 0x10100, 0x4000),
         "C046": (0x0, 0x10100, 0x10100)}


def bank_layouts():
    for case, (src0, src1, dst) in BANKS.items():
        launches = {key: vector_loop(B1, "add", count, 64, dst=dst, src0=src0, src1=src1)
                    for key, count in (("base", 1000), ("main", 2000))}
        yield ValidationCase(case, "UB banks", launches, roofline(B1, vector_repeats=64000, cores=1), metrics={
            "elapsed ticks (50MHz counter, 20ns)": lambda r: slope(r) * 1000 * 50}, skip={
                "derived time per Add": "the same number", "derived cycles per Add @1.8GHz": "the same number"},
                primary="elapsed ticks (50MHz counter, 20ns)",
                note="" if case != "C046" else "addresses not stated: sources as in C041")


# Instruction fits: name, whether its two sources share bank groups (as the source says of its binary ones).
FITS = {"C172": "add", "C174": "max", "C176": "div", "C178": "ln", "C180": "relu", "C182": "rsqrt"}


def instruction_fits():
    for case, op in FITS.items():
        launches = {f"{n} x{i}": vector_loop(B3, op, i, n, dst=0x20000, src0=0, src1=0x10000)
                    for n in (32, 224) for i in (1000, 2000)}

        def per(r, n):
            return (r[f"{n} x2000"].cycles - r[f"{n} x1000"].cycles) / 1000

        yield ValidationCase(case, "vector instructions", launches, roofline(B3, vector_repeats=128), metrics={
            "a": lambda r: (per(r, 224) - per(r, 32)) / 192,
            "b": lambda r: per(r, 32) - 32 * (per(r, 224) - per(r, 32)) / 192,
            "cycles of 128 repeats": lambda r: (per(r, 224) + per(r, 32)) / 2}, primary="cycles of 128 repeats",
            note="also compared at 128 repeats, a x 128 + b")
    launches = {f"{n} x{i}": vector_loop(B4CJ, "mul", i, n, dst=0x20000, src0=0, src1=0, dtype="f16")
                for n in (32, 224) for i in (1000, 2000)}
    yield ValidationCase("C212", "vector instructions", launches, roofline(B4CJ, vector_repeats=128), metrics={
        "ns per element per pass": lambda r: (per(r, 224) - per(r, 32)) / 192 / 128 / r["32 x1000"].mhz * 1000},
        primary="ns per element per pass", note="both sources the same")
    launches = {key: vector_loop(B3, "add", i, 1, dst=0x20000, src0=0x20000, src1=0x10100, barrier=True)
                for key, i in (("base", 1000), ("main", 2000))}
    yield ValidationCase("C233", "vector instructions", launches, roofline(B3, vector_repeats=1), metrics={
        "latency": lambda r: slope(r) * 1000}, primary="latency", skip={"latency [cycles]": CLOCK}, note="compared in ns; the clock of the device is not stated")


def other():
    n = 8192 * 8192
    yield ValidationCase("C012", "vector kernels", {"main": elementwise(B1, "GELU", n, 8192, "f32", "f32")},
                         roofline(B1, 8 * n), skip={"aiv_scalar_time": NO_FRAMEWORK}, stated=False,
                         note="tile (32 KB) and sequence of instructions are ours")
    launch = Launch("nd2nz_ub", "aiv", B1, (("x", "f16", (8192, 8192)), ("y", "f16", (8192, 8192))),
                    (("rows", 8192), ("columns", 8192), ("tile_rows", 144), ("write_stride", 144)))
    yield ValidationCase("C049", "UB banks", {"main": launch}, roofline(B1, 4 * n), skip={
        "aiv_scalar_time": NO_FRAMEWORK, "aiv_icache_miss_rate": "another program"})
    both = {"base": steps(B1, 5, 1000), "main": steps(B1, 5, 2000)}
    yield ValidationCase("C094", "vector instructions", both, roofline(B1, vector_repeats=500, cores=1), metrics={
        "time": lambda r: slope(r) * 100}, primary="time", note="each instruction followed by a vector barrier; 100 iterations")
    yield ValidationCase("C118", "vector kernels", {"main": elementwise(B4, "CAST", 2048 * 2048, 8192, "f32", "bf16", warmup=1)},
                         roofline(B4, 6 * 2048 * 2048), stated=False, note="tile (32 KB) is ours; 40 cores take 12.8 tiles each; inputs in L2, as an application leaves them")
    yield ValidationCase("C119", "launch", {"main": elementwise(B4, "CAST", 1024, 1024, "f32", "f16", cores=1)},
                         roofline(B4, 6144), skip={"aiv_scalar_time": NO_FRAMEWORK})
    launches = {"main": steps(B4CJ, 0, 1)} | {f"{name}{count}": steps(B4CJ, step, count, cores=cores)
                for name, step, cores in (("barrier", 1, 1), ("ub", 2, 1), ("all", 6, 0)) for count in (1000, 2000)}

    def step_ns(name):
        return lambda r: slope(r, f"{name}2000", f"{name}1000") * 1000

    yield ValidationCase("C211", "launch", launches, roofline(B4CJ), metrics={
        "kernel launch + core init": lambda r: r["main"].time,
        "SyncAll all cores (median of 5: 0.795/0.902/0.924/0.953/0.975)": lambda r: step_ns("all")(r) / 1000,
        "PipeBarrier<PIPE_ALL> drained": step_ns("barrier"), "scalar UB read GetValue (upper bound)": step_ns("ub")},
        primary="kernel launch + core init", skip={"core init busy": "not a separate number here"})


def memory():
    def bandwidth(traffic):
        return lambda result: traffic / result.busy("MTE2") / 1e3  # GB/s

    n = 40 * 16384 * 48
    launches = {f"{size}": vadd(B4CJ, n, size, buffers=2) for size in (1024, 2048, 4096, 6144)}
    names = {"1024B transfers": "1024", "2048B transfers": "2048", "4096B transfers": "4096", ">=6144B transfers": "6144"}
    yield ValidationCase("C214", "vector add", launches, roofline(B4CJ, 6 * n), primary="", stated=False, metrics={
        metric: lambda r, key=key: 6 * n / r[key].core_time() / 1e3 for metric, key in names.items()},
        note="two loads and a store a step, double buffers: ours")
    counts = (8, 16, 24, 40)
    n = 240 * 16384 * 4
    launches = {str(count): vadd(B4CJ, n, 16384, buffers=2, cores=count) for count in counts}
    yield ValidationCase("C215", "vector add", launches, roofline(B4CJ, 6 * n), primary="", stated=False, metrics={
        f"P={count}": lambda r, count=count: r["40"].time / r[str(count)].time for count in counts if count != 40},
        skip={"P=40": "1 by definition"}, note="addition of 94 MB vectors in tiles of 16 KB: ours")
    sizes = {"30MB": 30e6, "48MB": 48e6, "80MB": 80e6, "132MB": 132e6, "368MB": 368e6, "2.5GB": 2.5e9, "5.5GB": 5.5e9}
    launches = {name: vadd(B4CJ, int(size / 6) // (40 * 8192) * 40 * 8192, 16384, buffers=2, warmup=1) for name, size in sizes.items()}
    yield ValidationCase("C216", "L2 reuse", launches, roofline(B4CJ, 1e6), primary="", stated=False, metrics={
        name: lambda r, name=name, size=size: size / r[name].core_time() / 1e3 for name, size in sizes.items()},
        note="addition in tiles of 16 KB, second launch: ours")
    launches = {key: steps(B3, 3, i, warmup=1) for key, i in (("base", 1000), ("main", 2000))}
    yield ValidationCase("C235", "latency", launches, roofline(B3), primary="latency", metrics={
        "latency": lambda r: slope(r) * 1000}, skip={"latency [cycles]": CLOCK}, note="compared in ns; the clock of the device is not stated")
    launches = {key: steps(B3, 4, i, bytes_=4096, warmup=1) for key, i in (("base", 1000), ("main", 2000))}
    yield ValidationCase("C237", "latency", launches, roofline(B3), primary="slope", metrics={
        "slope": lambda r: slope(r) * 1000, "bandwidth": lambda r: 4.096 / slope(r)}, note="each store waited for")


# add + RMS norm + gamma + bias: rows, columns, bytes of an element.
NORMS = {"C217": (1, 64, 2), "C219": (128, 256, 4), "C223": (3104, 397, 2), "C225": (4080, 1536, 4), "C227": (3752, 3083, 4),
         "C229": (10432, 3079, 4), "C231": (117504, 8192, 2)}


def norms():
    for case, (rows, columns, size) in NORMS.items():
        yield ValidationCase(case, "vector kernels", {"main": rms_norm(B4CJ, rows, columns, size, warmup=int(3 * rows * columns * size < 6e8))},
                             roofline(B4CJ, 3 * rows * columns * size), stated=False, primary="best known", metrics={
                                 "best known": lambda r: r["main"].time}, skip={
                                     "reference implementation": "one time is compared: the best known",
                                     "median of top 20": "one time is compared: the best known"},
                             note="a plain kernel with whole rows in UB: ours")


def cases():
    for group in (copies, additions, bank_layouts, instruction_fits, other, memory, norms):
        yield from group()
