"""The experiments, in the order of the report."""

EXPERIMENTS = ("task_order", "double_buffering", "ub_banks")
