"""The report is one page that a phone shows: all pictures, no scrolling sideways, no console messages, light and dark."""

import re

import pytest
from browser import look

from experiments import EXPERIMENTS


def test_the_page_needs_nothing_from_outside(report):
    text = (report / "index.html").read_text()
    assert not re.search(r'(src|href)="https?://(?!ui\.perfetto\.dev)', text)
    assert "<script" not in text
    for name in EXPERIMENTS:
        assert f'<section id="{name}">' in text
        assert f"--only {name}" in text


def test_the_validation_is_shown_where_none_was_run(report):
    """The results that are kept with the sources, said to be those, with the same summary as the page behind the link."""
    text, page = (report / "index.html").read_text(), (report / "validation_recorded.html").read_text()
    assert "kept with the sources" in text and 'href="validation_recorded.html"' in text
    first = re.search(r"<table>.*?</table>", page, re.S).group(0)
    assert first in text and "C001" in page


def test_a_validation_that_was_run_is_preferred(tmp_path):
    from reports.report import validation

    (tmp_path / "validation.html").write_text("<table>mine</table><table>summary</table><table>cases</table>")
    assert validation(tmp_path) == {"link": "validation.html", "recorded": False, "tables": ["<table>mine</table>", "<table>summary</table>"]}


@pytest.mark.parametrize("width", [390, 1180])
def test_a_browser_shows_every_picture(report, width):
    seen, console = look(report, "index.html", width)
    assert console == []
    assert seen["pictures"] == [1] * len(EXPERIMENTS), "each figure shows its wide or its narrow form"
    assert all(seen["images"])
    assert seen["sections"] == len(EXPERIMENTS) + 2
    assert seen["scroll"] <= seen["width"], f"wider than the page: {seen['wide']}"
    assert seen["smallest"] >= 7.5, "text of pictures stays readable"


def test_dark_mode_changes_ink_and_paper(report):
    light, dark = (look(report, "index.html", 390, dark)[0] for dark in (False, True))
    assert light["paper"] != dark["paper"]
    assert light["ink"] != dark["ink"]


def test_a_page_with_a_fault_is_seen(tmp_path):
    """The check itself can fail: a missing image, a wide element and a script error are found."""
    (tmp_path / "bad.html").write_text(
        '<!doctype html><body><main><section><figure class="picture"></figure></section></main><img src="none.png">'
        '<div style="width:2000px">x</div><script>throw new Error("boom")</script>')
    seen, console = look(tmp_path, "bad.html", 390)
    assert seen["scroll"] > seen["width"]
    assert seen["pictures"] == [0] and seen["images"] == [0]
    assert any("boom" in line for line in console)
