"""How often generated kernels must hold each operation and each access class, so that the generator cannot quietly lose one."""

import re

from tests.property import accesses

COMMON = ["tt.load", "tt.store", "tt.reduce", "tt.scan", "tt.dot", "tt.join", "tt.trans", "tt.reshape", "tt.make_tensor_ptr", "scf.for", "scf.if", "scf.while", "tt.call", "tt.gather", "cf.cond_br",
          "arith.select", "arith.cmpf", "arith.cmpi", "arith.truncf", "arith.extf", "arith.sitofp", "arith.fptosi", "arith.extsi", "arith.extui",
          "arith.trunci", "arith.addf", "arith.mulf", "arith.divf", "arith.muli", "arith.divsi", "arith.remsi", "arith.shli", "math.exp"]
CLASSES = [*(f"load {name}" for name in [*accesses.LOADS, *accesses.SPREADS, "block_pointer"]),
           *(f"store {name}" for name in [*accesses.STORES, "block_pointer"])]
# Kernels in a hundred that hold the part.
LEAST = {**{name: 1 for name in COMMON}, **{name: 2 for name in CLASSES}}


def parts(made):
    """The operations and access classes in a generated kernel."""
    return {*re.findall(r"\b(?:arith|math|scf|cf|tt)\.\w+(?:\.\w+)?", made.text), *made.accesses}


def missing(counts, kernels):
    """What occurs in fewer than its share of the kernels, as text."""
    return [f"{name}: {counts[name]} of {kernels} kernels" for name, least in LEAST.items() if counts[name] * 100 < least * kernels]
