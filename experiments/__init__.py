"""The experiments, in the order of the report."""

EXPERIMENTS = ("task_order", "double_buffering", "bundle_packing", "cube_vector_balance", "ub_banks", "coalescing", "grouped_gemm", "attention",
               "scaling")
