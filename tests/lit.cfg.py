"""lit configuration of every suite below tests/. ctest passes -Dbuild=<build folder>."""
import os

import lit.formats

config.name = "dlsim"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".s", ".ll", ".mlir", ".ttir", ".test", ".c", ".py"]
# Helpers, inputs and pytest files are no lit tests.
config.excludes = ["Inputs", "cases", "lit.cfg.py", "conftest.py", "CMakeLists.txt"] + [
    name for _, _, files in os.walk(os.path.dirname(__file__)) for name in files if name.startswith("test_")
]
config.test_source_root = os.path.dirname(__file__)

build = lit_config.params.get("build") or os.path.join(config.test_source_root, "..", "build")
build = os.path.abspath(build)
config.test_exec_root = os.path.join(build, "tests", "lit")
os.makedirs(config.test_exec_root, exist_ok=True)

LLVM_BIN = os.environ.get("LLVM_BIN", "/usr/lib/llvm-19/bin")
path = os.pathsep.join([os.path.join(build, "bin"), LLVM_BIN, config.environment.get("PATH", "")])
config.environment["PATH"] = path
config.environment["BUILD_DIR"] = build
for name in ("HOME", "LLVM_SYMBOLIZER_PATH", "ASAN_OPTIONS", "PYTHONPATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%tests", config.test_source_root))
config.substitutions.append(("%python", "/usr/bin/python3"))
