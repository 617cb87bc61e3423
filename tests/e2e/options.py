"""Options of dlc that may change cycles and never values."""

import itertools

FACTORS = {"--multibuffer": ("1", "2", "auto"), "--coalesce": ("off", "copy", "full"), "--pack": ("on", "off"), "--sync": ("auto", "barrier-all")}


def everything():
    """Every combination, as words of a command line."""
    return [words(choice) for choice in itertools.product(*FACTORS.values())]


def pairwise():
    """Nine combinations in which every two values of two options meet: two orthogonal Latin squares of three, folded to two values."""
    slots, modes, packs, syncs = FACTORS.values()
    return [words((slots[i], modes[j], packs[(i + j) % 3 == 0], syncs[(i + 2 * j) % 3 == 0])) for i in range(3) for j in range(3)]


def words(choice):
    return tuple(f"{name}={value}" for name, value in zip(FACTORS, choice))
