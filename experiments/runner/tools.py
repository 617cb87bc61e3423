"""Where the compiler and the simulator stand, and what identifies their version."""

import functools
import hashlib
import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CACHE_ROOT = Path(os.environ.get("DLSIM_CACHE") or REPOSITORY / ".cache")  # results of points, parts of sweeps, the workflow's state


class ToolError(RuntimeError):
    """A tool ended with an error; the text is what it said."""


class Tools:
    """dlc and dlsim of one build folder (DLSIM_BIN, or build/bin)."""

    def __init__(self, folder=None):
        self.folder = Path(folder or os.environ.get("DLSIM_BIN") or REPOSITORY / "build" / "bin")
        for name in ("dlc", "dlsim"):
            if not (self.folder / name).exists():
                raise ToolError(f"{self.folder / name} does not exist; run ./dl build first")

    @functools.lru_cache(maxsize=None)
    def version_of(self, name):
        """A hash of a program and of the libraries of this project that it may load."""
        digest = hashlib.sha256()
        for path in [self.folder / name, *sorted(self.folder.parent.glob("lib/*.so*"))]:
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def run(self, name, *words, timeout=None):
        """Runs a tool, returns its standard output; raises ToolError with what it said when it fails."""
        words = [str(self.folder / name), *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout)
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise ToolError(f"{name} ended with {done.returncode}: " + " | ".join(said[-4:]))
        return done.stdout
