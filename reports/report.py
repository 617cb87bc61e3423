"""The report: one self-contained page of all figures, from the records that the experiments left."""

import csv
import json
import platform
import re
import subprocess
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

ROOT = Path(__file__).resolve().parents[1]
SHOWN_ROWS, SHOWN_COLUMNS = 40, 14
HIDDEN_COLUMNS = {"strip", "m", "n", "k"}


def picture(path, prefix):
    """An SVG as part of a page: scaled by the page, in the page's ink, with ids of its own."""
    text = path.read_text()
    text = text[text.index("<svg"):]
    width, height = (float(re.search(rf'{word}="([\d.]+)pt"', text).group(1)) for word in ("width", "height"))
    text = re.sub(r'(<svg[^>]*?) height="[\d.]+pt"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) width="[\d.]+pt"', rf'\1 style="width:{width * 4 / 3:.0f}px;aspect-ratio:{width / height:.4f}" role="img" fill="currentColor"',
                  text, count=1)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    for ink in ("#000000", "#262626", "black"):
        text = re.sub(rf"(fill|stroke): ?{ink}", r"\1: currentColor", text)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r'(href="#|url\(#)', rf"\1{prefix}-", text)
    return text


def number(text):
    """A cell of a CSV, short."""
    try:
        value = float(text)
    except ValueError:
        return text
    return str(int(value)) if value == int(value) and "e" not in text else f"{value:.4g}"


def rows_of(path):
    """The first rows of a CSV for the page, and how many there are."""
    with path.open(newline="") as file:
        lines = list(csv.reader(file))
    keep = [i for i, name in enumerate(lines[0]) if name not in HIDDEN_COLUMNS][:SHOWN_COLUMNS]
    body = [[number(line[i]) for i in keep] for line in lines[1:]]
    return {"head": [lines[0][i] for i in keep], "body": body[:SHOWN_ROWS], "all": len(body)}


def version():
    """The commit that the report is made from."""
    done = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def chip(name):
    """The parameters of a chip file: key, value, source."""
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.11 has it
        return []
    data = tomllib.loads((ROOT / "sim" / "chips" / f"{name}.toml").read_text())
    found = []

    def walk(prefix, node):
        if isinstance(node, dict) and "value" in node:
            found.append((prefix, node["value"], node.get("source", "")))
        elif isinstance(node, dict):
            for key, child in node.items():
                walk(f"{prefix}.{key}" if prefix else key, child)

    walk("", data)
    return found


def validation(folder):
    """The page of ./dl validate beside the report, else one of the last run that is kept with the sources; its first tables."""
    page = folder / "validation.html"
    recorded = not page.exists()
    if recorded:
        from experiments.validation import run
        from experiments.validation.page import write_page

        page = folder / "validation_recorded.html"
        write_page(run.recorded(), page)
    return {"link": page.name, "recorded": recorded, "tables": re.findall(r"<table>.*?</table>", page.read_text(), re.S)[:2]}


def write_report(folder, names, tools):
    """Writes index.html into the folder that holds the records, CSVs and pictures of the named experiments."""
    folder = Path(folder)
    figures = []
    for name in names:
        record = json.loads((folder / f"{name}.json").read_text())
        figures.append({**record, "wide": picture(folder / f"{name}.svg", f"{name}-w"),
                        "narrow": picture(folder / f"{name}_narrow.svg", f"{name}-n"), "table": rows_of(folder / f"{name}.csv")})
    environment = Environment(loader=FileSystemLoader(ROOT / "reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
                              lstrip_blocks=True)
    chips = sorted({chip for figure in figures for chip in figure["chips"]})
    traced = sorted(path.name.split(".")[0] for path in folder.glob("*.trace.json"))
    page = environment.get_template("report.html.j2").render(
        figures=figures, version=version(), host=platform.platform(), chips={name: chip(name) for name in chips},
        tools={name: tools.version_of(name)[:12] for name in ("dlc", "dlsim")}, validation=validation(folder), traces=traced)
    (folder / "index.html").write_text(page)
