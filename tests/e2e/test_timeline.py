"""What --trace leaves: a trace that Perfetto can read, heat maps that add up, and the picture that `dlsim timeline` draws of them."""

import json
import re
from xml.etree import ElementTree

import pytest
from conftest import matmul_case, KERNELS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def traced(tools, tmp_path_factory):
    """A run of a matmul on cube cores with its trace."""
    folder = tmp_path_factory.mktemp("traced")
    kernel = tools.compile(KERNELS / "matmul.c", "--kind=aic")
    done = tools.run(kernel, matmul_case(folder, 256, 512, 256), "--out", folder / "run", "--trace")
    assert done.code == 0, done.err
    return folder / "run"


def test_the_trace_is_in_the_trace_event_format(traced):
    """The fields that the format asks of each kind of event, and names for every process and thread."""
    trace = json.loads((traced / "trace.json").read_text())
    assert set(trace) == {"traceEvents", "displayTimeUnit"} and trace["displayTimeUnit"] in ("ms", "ns")
    processes, threads, used, flows = {}, {}, set(), {}
    for event in trace["traceEvents"]:
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int) and isinstance(event["name"], str)
        place = event["pid"], event["tid"]
        if event["ph"] == "M":
            if event["name"] == "process_name":
                processes[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                threads[place] = event["args"]["name"]
            else:
                assert event["name"] == "thread_sort_index" and isinstance(event["args"]["sort_index"], int)
            continue
        assert event["ph"] in ("X", "s", "f"), event
        assert event["ts"] >= 0
        used.add(place)
        if event["ph"] == "X":
            assert event["dur"] >= 0 and isinstance(event["args"], dict)
        else:
            assert event["cat"] and isinstance(event["id"], int)
            flows.setdefault(event["id"], []).append((event["ts"], event["ph"]))
            assert event["ph"] == "s" or event["bp"] == "e", "an arrow ends in the slice around it"
    assert used <= set(threads) and {pid for pid, _ in used} <= set(processes)
    assert "AIC0" in processes.values()
    assert {"MTE2", "MTE1", "M", "FIX", "SCALAR"} <= set(threads.values())
    for ends in flows.values():
        assert [kind for _, kind in sorted(ends)] in (["s"], ["s", "f"])


def test_slices_of_a_row_nest(traced):
    """Perfetto drops slices of one row that overlap without one holding the other."""
    rows = {}
    for event in json.loads((traced / "trace.json").read_text())["traceEvents"]:
        if event["ph"] == "X":
            rows.setdefault((event["pid"], event["tid"]), []).append((event["ts"], -event["dur"], event["name"]))
    for row in rows.values():
        open_ = []
        for begin, length, name in sorted(row):
            while open_ and open_[-1] <= begin + 1e-6:
                open_.pop()
            assert not open_ or begin - length <= open_[-1] + 1e-3, name
            open_.append(begin - length)


def test_heat_maps_hold_all_requests(traced):
    heat = json.loads((traced / "heat.json").read_text())
    summary = json.loads((traced / "summary.json").read_text())
    requests = sum(map(sum, heat["l2_requests"]))
    assert all(len(line) == 32 for line in heat["l2_requests"]) and len(heat["l2_requests"]) <= 256
    # Requests read up to 512 bytes and are counted here one by one, in the summary by words of 128 bytes.
    words = sum(summary["l2"][key] for key in ("read_hit", "read_miss"))
    assert words / 4 * 0.9 < requests < words + sum(summary["l2"][key] for key in ("write_hit", "write_miss"))


def test_the_picture_has_a_row_a_unit_and_heat_maps(tools, traced, tmp_path):
    done = tools.call("dlsim", "timeline", traced, "-o", tmp_path / "t.svg", "--cores", "AIC0,AIC3")
    assert done.code == 0, done.err
    root = ElementTree.parse(tmp_path / "t.svg").getroot()
    words = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert {"AIC0 M", "AIC3 MTE2", "time (us)", "waits"} <= set(words)
    assert any(re.match(r"L2 slices: at most \d+ requests in ", word) for word in words)
    assert len(list(root.iter(f"{SVG}rect"))) > 50
    width, height = map(float, root.get("viewBox").split()[2:])
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x")) <= width and 0 <= float(text.get("y")) <= height
    for box in root.iter(f"{SVG}rect"):
        assert 100 <= float(box.get("x")) and float(box.get("x")) + float(box.get("width")) <= width


def test_vector_cores_show_their_banks(tools, vector_add, tmp_path):
    assert tools.run(*vector_add, "--out", tmp_path / "run", "--trace").code == 0
    assert tools.call("dlsim", "timeline", tmp_path / "run", "-o", tmp_path / "t.svg").code == 0
    text = (tmp_path / "t.svg").read_text()
    assert "AIV0, banks of UB (16 groups" in text and "AIV1 V<" in text


def test_windows_and_mistakes(tools, traced, tmp_path):
    picture = tmp_path / "t.svg"
    assert tools.call("dlsim", "timeline", traced, "-o", picture, "--window", "2:4").code == 0
    for words, said in ((("--window", "900:901"), "nothing happens in the window"), (("--window", "5"), "is not BEGIN:END"), (("--window", "a:5"), "is not a time"),
                        (("--cores", "AIV7"), "has no core 'AIV7'; it has AIC0")):
        done = tools.call("dlsim", "timeline", traced, "-o", picture, *words)
        assert done.code == 2 and said in done.err, done.err
    done = tools.call("dlsim", "timeline", tmp_path, "-o", picture)
    assert done.code == 2 and "run with `dlsim run" in done.err
    (tmp_path / "trace.json").write_text('{"traceEvents": [{"ph": "X"}]}')
    done = tools.call("dlsim", "timeline", tmp_path, "-o", picture)
    assert done.code == 2 and "not the trace of a run" in done.err
