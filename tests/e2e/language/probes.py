"""All probes of the language, by what they are about."""

from tests.e2e.language import arithmetic, control, conversions, functions, gathers, integers, libdevice, memory, reductions, scaled, shapes


def everything():
    with_names = []
    for part in (arithmetic, integers, conversions, functions, reductions, shapes, control, memory, gathers, libdevice, scaled):
        with_names += [*part.probes()]
    names = {probe.name for probe in with_names}
    assert len(names) == len(with_names)
    return with_names
