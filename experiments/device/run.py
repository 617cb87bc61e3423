#!/usr/bin/env python3
"""Runs the cases on a device: an Ascend 910B (Triton-Ascend, torch_npu) or a GPU (Triton, PyTorch). Nothing of dlsim is needed.

    run.py --out device                 values against PyTorch, and the median time of each case
    run.py --out device --profile       each case once more under the profiler (msopprof or ncu): device/NAME/
    run.py --out device --print-only    launches and TTIR alone
    run.py --list                       the names; --case NAME (may be repeated) chooses

Writes device/times.csv (case, kernel, device, time_us, wrong), and for dlc and dlsim device/NAME.ttir and NAME.json (NAME.npz with what
steers the kernel). `dlsim compare` aligns device/ with runs of the same names.
"""

import argparse
import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))

import kernels  # noqa: E402
from cases import Tensor, cases  # noqa: E402

DTYPES = {"f16": torch.float16, "i32": torch.int32}
GPU_COUNTERS = ("gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sector_hit_rate.pct", "lts__t_sectors_op_read.sum")


class Device:
    """What differs between an NPU and a GPU."""

    def __init__(self):
        try:
            import torch_npu  # noqa: F401

            self.kind, self.api = "npu", torch.npu
            import triton.runtime.driver as driver

            found = driver.active.utils.get_device_properties(0)
            self.cubes, self.vectors, self.tile = found["num_aicore"], found["num_vectorcore"], (128, 256, 64)
        except ImportError:
            self.kind, self.api = "cuda", torch.cuda
            self.cubes = self.vectors = torch.cuda.get_device_properties(0).multi_processor_count
            self.tile = (128, 128, 64)
        self.name = self.api.get_device_name(0)

    def launch_options(self, case):
        """Warps and stages are a GPU's; Triton-Ascend ignores them."""
        return {"num_warps": 8, "num_stages": 3 if case.kernel == "matmul_ordered" else 1} if self.kind == "cuda" else {}

    def profiler(self, folder, case):
        """The words before the program: one launch of the case's kernel, counters into the folder."""
        if self.kind == "npu":
            return ["msopprof", f"--output={folder}", f"--kernel-name={case.kernel}", "--launch-count=1", "--aic-metrics=Default"]
        return ["ncu", "--csv", "--log-file", str(folder / "counters.csv"), "--clock-control", "none", "-k", case.kernel, "-c", "1", "--metrics", ",".join(GPU_COUNTERS)]


def tensors_of(case, device):
    """The case's tensors on the device: normal numbers, small for weights, and zeros for results."""
    generator = torch.Generator().manual_seed(1)
    made = {}
    for tensor in case.tensors:
        if tensor.values:
            value = torch.tensor(tensor.values, dtype=DTYPES[tensor.dtype])
        elif tensor.output:
            value = torch.zeros(tensor.shape, dtype=DTYPES[tensor.dtype])
        else:
            value = torch.randn(tensor.shape, generator=generator).to(DTYPES[tensor.dtype])
        made[tensor.name] = value.to(device.kind)
    return made


def reference(case, t):
    """What the case must compute, by PyTorch in f32."""
    f = {name: value.float() for name, value in t.items()}
    if case.kernel == "vector_add":
        return f["x_ptr"] + f["y_ptr"]
    if case.kernel == "softmax":
        return torch.softmax(f["x_ptr"], 1)
    if case.kernel == "matmul_ordered":
        return f["a_ptr"] @ f["b_ptr"]
    if case.kernel == "matmul_gelu":
        return torch.nn.functional.gelu(f["a_ptr"] @ f["b_ptr"] + f["bias_ptr"])
    if case.kernel == "moe_up":
        offsets = t["offsets_ptr"].tolist()
        parts = [f["x_ptr"][low:high] for low, high in zip(offsets, offsets[1:])]
        return torch.cat([torch.nn.functional.silu(x @ f["gate_ptr"][e]) * (x @ f["up_ptr"][e]) for e, x in enumerate(parts)])
    return torch.nn.functional.scaled_dot_product_attention(f["q_ptr"], f["k_ptr"], f["v_ptr"], is_causal=case.constants["CAUSAL"])


def wrong(case, tensors):
    """How many rows of the result are off by more than 1 % of their largest magnitude."""
    got = next(tensors[t.name] for t in case.tensors if t.output).float()
    expected = reference(case, tensors)
    error = (got - expected).abs().reshape(-1, got.shape[-1]).amax(1)
    return int((error > 1e-2 * expected.abs().reshape(-1, got.shape[-1]).amax(1)).sum())


def launch(case, tensors, device):
    words = [tensors[a.name] if isinstance(a, Tensor) else a[1] for a in case.arguments]
    return getattr(kernels, case.kernel)[case.grid](*words, **case.constants, **device.launch_options(case))


def median_us(case, tensors, device, repeats=30):
    """Median time of a launch, between two events of the stream, after warm-up."""
    for _ in range(5):
        launch(case, tensors, device)
    times = []
    for _ in range(repeats):
        begin, end = device.api.Event(enable_timing=True), device.api.Event(enable_timing=True)
        begin.record()
        launch(case, tensors, device)
        end.record()
        device.api.synchronize()
        times.append(1000 * begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def write_launch(case, compiled, out):
    """What dlc and dlsim need to run the same case."""
    entries, steering = [], {}
    for argument in case.arguments:
        if isinstance(argument, Tensor):
            entry = {"name": argument.name, "kind": "tensor", "dtype": argument.dtype, "shape": list(argument.shape), "output": argument.output}
            if argument.values:
                steering[f"in_{argument.name}"] = numpy.array(argument.values, numpy.int32)
            else:
                entry["init"] = "zeros" if argument.output else "normal(1)"
        else:
            name, value = argument
            entry = {"name": name, "kind": "scalar", "dtype": "f32" if isinstance(value, float) else "i32", "value": value}
        entries.append(entry)
    record = {"name": case.name, "kernel": case.kernel, "grid": [*case.grid, 1, 1][:3], "args": entries}
    (out / f"{case.name}.json").write_text(json.dumps(record, indent=1) + "\n")
    if steering:
        numpy.savez(out / f"{case.name}.npz", **steering)
    (out / f"{case.name}.ttir").write_text(compiled.asm["ttir"] if "ttir" in compiled.asm else "")


def profile(case, device, options):
    """Runs this program again under the profiler, with one case."""
    folder = options.out / case.name
    folder.mkdir(parents=True, exist_ok=True)
    words = [*device.profiler(folder, case), sys.executable, __file__, "--out", str(options.out), "--case", case.name, "--once"]
    if not shutil.which(words[0]):
        raise SystemExit(f"run.py: {words[0]} is not on the PATH; run without --profile for times alone")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stderr or done.stdout).strip()[-300:]


def parse(every):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("device"))
    parser.add_argument("--case", action="append", choices=[case.name for case in every], metavar="NAME")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--print-only", action="store_true")
    parser.add_argument("--once", action="store_true", help="one launch and nothing else (what the profiler runs)")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    device = Device()
    every = cases(device.cubes, device.vectors, device.tile)
    options = parse(every)
    chosen = [case for case in every if not options.case or case.name in options.case]
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for case in chosen:
        if options.list:
            print(case.name)
        elif options.profile:
            print(f"{case.name}: {profile(case, device, options) or 'profiled'}", flush=True)
        else:
            tensors = tensors_of(case, device)
            try:
                compiled = launch(case, tensors, device)
                device.api.synchronize()
            except Exception as error:  # a tile that does not fit this device is a line of the table, not the end
                print(f"{case.name}: {str(error).splitlines()[0]}", flush=True)
                continue
            if options.once:
                continue
            write_launch(case, compiled, options.out)
            if not options.print_only:
                rows.append({"case": case.name, "kernel": case.kernel, "device": device.name, "time_us": round(median_us(case, tensors, device), 3),
                             "wrong": wrong(case, tensors)})
                print(*rows[-1].values(), flush=True)
    if rows:
        with (options.out / "times.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    return int(any(row["wrong"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
