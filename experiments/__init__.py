"""The experiments, in the order of the report."""

EXPERIMENTS = ("task_order", "double_buffering", "bundle_packing", "ub_banks", "grouped_gemm",
               "scaling")
