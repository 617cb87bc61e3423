"""What a validation case is made of: launches of the micro kernels, and metrics computed from their summaries."""

from dataclasses import dataclass, field
from pathlib import Path

from experiments.runner import Case
from experiments.runner.tools import REPOSITORY

KERNELS = REPOSITORY / "kernels" / "micro"
SIZES = {"f16": 2, "bf16": 2, "f32": 4, "i8": 1, "i32": 4}


@dataclass(frozen=True)
class Launch:
    """One run of a kernel: macros of its text, tensors (name, dtype, shape), scalars, chip, cores used, warm-up runs.

    part: share of the published problem that is simulated; times and counts are divided by it.
    """

    kernel: str
    kind: str
    chip: str
    tensors: tuple = ()
    scalars: tuple = ()
    defines: tuple = ()
    cores: int = 0
    warmup: int = 0
    part: float = 1.0

    def runner_case(self, name):
        arguments = [{"name": tensor, "kind": "tensor", "dtype": dtype, "shape": list(shape), "output": True}
                     for tensor, dtype, shape in self.tensors]
        arguments += [{"name": scalar, "kind": "scalar", "dtype": "i64", "value": int(value)}
                      for scalar, value in self.scalars]
        options = ["--timing-only", "-q"]
        options += [f"--cores={self.cores}"] if self.cores else []
        options += [f"--warmup={self.warmup}"] if self.warmup else []
        return Case(labels={"case": name}, kernel=KERNELS / f"{self.kernel}.c", chip=self.chip,
                    launch={"name": name, "kernel": self.kernel, "grid": [1, 1, 1], "args": arguments},
                    compile_options=(f"--kind={self.kind}", *(f"-D{define}" for define in self.defines)),
                    run_options=tuple(options))


class Result:
    """The numbers of one launch that metrics are made from; cycles and times of the published problem."""

    def __init__(self, summary, part=1.0):
        self.summary = summary
        self.part = part
        self.mhz = summary["clock_mhz"]
        self.cores = summary["cores"]

    @property
    def cycles(self):
        return self.summary["cycles"] / self.part

    @property
    def time(self):
        """Task duration in microseconds."""
        return self.cycles / self.mhz

    def core_cycles(self):
        return [(core["end"] - core["start"]) / self.part for core in self.cores]

    def core_time(self):
        return sum(self.core_cycles()) / len(self.cores) / self.mhz

    def busy(self, unit):
        """Mean busy time of a unit over the cores, in microseconds."""
        if unit == "S":
            cycles = sum(core["scalar_busy"] for core in self.cores)
        else:
            cycles = sum(core["units"].get(unit, {}).get("busy", 0) for core in self.cores)
        return cycles / self.part / len(self.cores) / self.mhz

    def instructions(self, unit):
        """Commands of a unit on one core (mean)."""
        return sum(c["units"].get(unit, {}).get("instructions", 0) for c in self.cores) / len(self.cores) / self.part

    def ratio(self, unit):
        return self.busy(unit) / self.core_time()

    def requests(self, name):
        return sum(core["gm"][name] for core in self.cores) / self.part

    def moved(self, space, way):
        """Bytes read from or written to a space by all cores."""
        return sum(core["spaces"].get(space, {}).get(way, 0) for core in self.cores) / self.part


UNITS = {"mac": "M", "vec": "V", "scalar": "S", "mte1": "MTE1", "mte2": "MTE2", "mte3": "MTE3", "fixpipe": "FIX",
         "cube": "M"}


def standard_metric(name, result):
    """The value of a metric that is called as the profiler calls it, or None."""
    if name in ("Task Duration", "total", "time"):
        return result.time
    if name in ("aicore_time", "aic_time", "aiv_time"):
        return result.core_time()
    if name in ("aic_total_cycles (sum)", "aiv_total_cycles (sum)"):
        return sum(result.core_cycles())
    if name in ("MTE2 transfer time", "mte2 avg"):
        return result.busy("MTE2")
    if name in ("r0 hit", "r0 miss", "r1 hit", "r1 miss"):
        return result.requests(name.replace(" ", "_"))
    if name == "read hit rate":
        hits, misses = (sum(result.requests(f"r{i}_{word}") for i in (0, 1)) for word in ("hit", "miss"))
        return 100 * hits / (hits + misses)
    words = name.removeprefix("aic_").removeprefix("aiv_").split("_")
    if len(words) == 2 and words[0] in UNITS:
        if words[1] == "time":
            return result.busy(UNITS[words[0]])
        if words[1] == "ratio":
            return result.ratio(UNITS[words[0]])
        if words[1] == "instructions":
            return result.instructions(UNITS[words[0]])
    return None


@dataclass(frozen=True)
class ValidationCase:
    """How a published case is expressed.

    launches: name -> Launch; metrics: published metric -> function of {name: Result} (others are computed by their
    standard names from launch "main"); skip: published metrics ("name", or "name [unit]") that are not compared, with the reason;
    primary: the metric that stands for the case's time; stated: the tiling is the source's, not ours.
    """

    case: str
    mechanism: str
    launches: dict
    roofline: float  # microseconds
    metrics: dict = field(default_factory=dict)
    skip: dict = field(default_factory=dict)
    primary: str = "Task Duration"
    stated: bool = True
    note: str = ""


# Peaks for the plain roofline: the documented rates of the chip, no latency, no conflicts, no reuse misses.
CHIPS = {  # cube cores, clock in MHz, HBM bytes per microsecond
    "ascend910b1": (24, 1850, 1.8e6),
    "ascend910b2": (24, 1800, 1.75e6),
    "ascend910b3": (20, 1800, 1.75e6),
    "ascend910b4": (20, 1650, 0.8e6),
    "ascend910b4_cj": (20, 1650, 1.25e6),
}


def roofline(chip, bytes_moved=0.0, cube_steps=0.0, vector_repeats=0.0, cores=None):
    """Microseconds: the longest of HBM traffic, cube steps (16 x 16 x k0) and vector repeats of 256 bytes."""
    aic, mhz, hbm = CHIPS[chip]
    cube = cube_steps / (cores or aic) / mhz
    vector = vector_repeats / (cores or 2 * aic) / mhz
    return max(bytes_moved / hbm, cube, vector)
