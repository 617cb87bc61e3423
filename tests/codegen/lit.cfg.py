import os

import lit.formats

config.name = "dlsim-" + config.suite
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".ttir", ".ll", ".s", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.source_root, config.suite)
config.test_exec_root = os.path.join(config.exec_root, config.suite, "out")
config.substitutions.append(("%cases", config.cases_dir))
config.environment["PATH"] = os.pathsep.join(
    [config.tool_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
