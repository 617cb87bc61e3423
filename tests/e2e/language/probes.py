"""All probes of the language, by what they are about."""

from tests.e2e.language import arithmetic, control, conversions, functions, gathers, integers, memory, reductions, shapes


# What the compiler refuses, and the words of its message.
UNSUPPORTED = {
    **{f"descriptor {what}": ("tt.make_tensor_descriptor", "supported: tt.addptr") for what in ("load and store", "reduce", "gather")},
    **{f"atomic {op} i32": (f"tt.atomic_rmw {op}", "supported: add, and max and min") for op in ("umax", "umin", "or", "xor", "and", "exch")},
    **{f"atomic {op} with its result": (f"tt.atomic_rmw {op}", "with the result unused") for op in ("add", "exch", "max", "fadd")},
    "atomic tickets": ("tt.atomic_rmw add", "with the result unused"),
    "lock of cas and exch": ("tt.atomic_", "supported"),
}


def everything():
    with_names = []
    for part in (arithmetic, integers, conversions, functions, reductions, shapes, control, memory, gathers):
        with_names += [*part.probes()]
    names = {probe.name for probe in with_names}
    assert len(names) == len(with_names) and names >= UNSUPPORTED.keys()
    return with_names
