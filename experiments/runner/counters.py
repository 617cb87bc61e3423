"""The counters that every CSV names alike, with their units in the names."""


def unit(summary, kind, name):
    """Mean busy ratio of a unit over the cores of a kind; 0 where the kernel does not use it."""
    return summary["utilisation"].get(kind, {}).get("units", {}).get(name, {}).get("busy_ratio", 0.0)


def basic(summary):
    """Time, efficiency, memory traffic and busy ratios of a run."""
    cores = summary["cores"]
    row = {
        "time_us": summary["time_us"], "cycles": summary["cycles"], "mac_efficiency": summary["mac_efficiency"],
        "l2_read_hit_ratio": summary["l2"]["read_hit_ratio"], "hbm_read_MB": summary["hbm"]["read_bytes"] / 1e6,
        "hbm_write_MB": summary["hbm"]["write_bytes"] / 1e6,
        "core_time_us": sum(core["end"] - core["start"] for core in cores) / max(len(cores), 1) / summary["clock_mhz"],
    }
    for kind in summary["utilisation"]:
        names = ("M", "MTE1", "MTE2", "FIX") if kind == "aic" else ("V", "MTE2", "MTE3")
        row.update({f"{kind}_{name.lower()}_busy": unit(summary, kind, name) for name in names})
    return row


def stalls(summary, reason, kind="AI"):
    """Cycles that the sequencers of a kind of core stood still for a reason, as a share of their time."""
    cores = [core for core in summary["cores"] if core["core"].startswith(kind)]
    time = sum(core["end"] - core["start"] for core in cores)
    return sum(core["stalls"].get(reason, 0) for core in cores) / max(time, 1)
