"""Prints random npu programs, separated for --split-input-file: loops, branches, transfers, vector and scalar commands.

usage: random_programs.py COUNT [SEED]
"""
import random
import sys

LINES = []
SHAPE = "memref<64xf32, #npu.space<ub>>"


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.buffers = 0
        self.visible = []  # buffers in scope
        self.names = 0

    def emit(self, depth, text):
        LINES.append("  " * depth + text)

    def alloc(self, depth):
        name = f"%b{self.buffers}"
        self.buffers += 1
        self.emit(depth, f'{name} = npu.alloc {{name = "b{self.buffers - 1}"}} : {SHAPE}')
        self.visible.append(name)

    def fresh(self):
        self.names += 1
        return f"%v{self.names}"

    def command(self, depth):
        rng = self.rng
        a, b = rng.choice(self.visible), rng.choice(self.visible)
        arg = rng.randrange(2)
        gm = f"%p{arg}"
        kind = rng.randrange(6)
        if kind == 0:
            self.emit(depth, f"npu.copy_in {a}[%c0, %c0], {gm} rows %c1 cols %m stride %c0 {{arg = {arg} : i64}} : {SHAPE}")
        elif kind == 1:
            self.emit(depth, f"npu.copy_out {a}[%c0, %c0], {gm} rows %c1 cols %m stride %c0 {{arg = {arg} : i64}} : {SHAPE}")
        elif kind == 2:
            self.emit(depth, f"npu.vunary exp {a}, {b} : {SHAPE}, {SHAPE}")
        elif kind == 3:
            self.emit(depth, f"npu.vdup {a}, %f : {SHAPE}, f32")
        elif kind == 4:
            self.emit(depth, f"{self.fresh()} = npu.load_scalar {a}[%c0] : {SHAPE} -> f32")
        else:
            self.emit(depth, f"npu.store_scalar %f, {a}[%c0] : f32, {SHAPE}")

    def block(self, depth, budget):
        outer = list(self.visible)
        for _ in range(self.rng.randrange(2, 6)):
            choice = self.rng.random()
            if choice < 0.2 and budget > 0:
                parallel = " {dl.parallel}" if depth == 1 and self.rng.random() < 0.5 else ""
                self.emit(depth, f"scf.for {self.fresh()} = %c0 to %n step %c1 : i64 {{")
                self.block(depth + 1, budget - 1)
                self.emit(depth, "}" + parallel)
            elif choice < 0.3 and budget > 0:
                self.emit(depth, "scf.if %q {")
                self.block(depth + 1, budget - 1)
                if self.rng.random() < 0.5:
                    self.emit(depth, "} else {")
                    self.block(depth + 1, budget - 1)
                self.emit(depth, "}")
            elif choice < 0.34 and budget > 0:
                self.emit(depth, "scf.while : () -> () {")
                self.command(depth + 1)
                self.emit(depth + 1, "scf.condition(%q)")
                self.emit(depth, "} do {")
                self.block(depth + 1, budget - 1)
                self.emit(depth + 1, "scf.yield")
                self.emit(depth, "}")
            elif choice < 0.45:
                self.alloc(depth)
            else:
                self.command(depth)
        self.visible = outer


def main():
    count = int(sys.argv[1])
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for number in range(count):
        program = Program(rng)
        if number:
            LINES.append("// -----")
        LINES.append(f"func.func @random{number}(%p0: i64, %p1: i64, %n: i64, %f: f32, %q: i1) {{")
        for name, value in (("c0", 0), ("c1", 1), ("m", 64)):
            program.emit(1, f"%{name} = arith.constant {value} : i64")
        program.alloc(1)
        program.alloc(1)
        program.block(1, 3)
        LINES.extend(["  return", "}"])
    print("\n".join(LINES))


main()
