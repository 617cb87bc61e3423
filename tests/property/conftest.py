import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))


@pytest.fixture(scope="session")
def bin_folder():
    build = Path(os.environ.get("BUILD_DIR", REPOSITORY / "build"))
    folder = Path(os.environ.get("DLSIM_BIN", build / "bin"))
    for name in ("dl-opt", "dlc", "dlsim"):
        if not (folder / name).exists():
            pytest.fail(f"{folder / name} does not exist; build first or set DLSIM_BIN")
    return folder
