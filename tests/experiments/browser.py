"""Opens a folder's page in headless Chromium at a phone's width and says what it found; nothing but Debian's chromium is needed.

The page stands in a frame of the wanted width; a script of the surrounding page measures it, and Chromium prints the result as the DOM.
"""

import functools
import http.server
import json
import re
import shutil
import subprocess
import threading
from html import unescape

HARNESS = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body style="margin:0">
<iframe id="f" src="PAGE" style="width:WIDTHpx;height:900px;border:0"></iframe><pre id="result"></pre><script>
document.getElementById("f").addEventListener("load", () => {
  const d = document.getElementById("f").contentDocument, root = d.documentElement;
  for (const e of d.querySelectorAll("details")) e.open = true;
  const shown = [...d.querySelectorAll("figure.picture")].map(f => [...f.querySelectorAll("svg")].map(s => s.getBoundingClientRect())
    .filter(r => r.width > 100 && r.height > 100).length);
  const smallest = Math.min(...[...d.querySelectorAll("figure.picture svg text")].map(t => t.getBoundingClientRect().height).filter(h => h > 0));
  const wide = [...d.querySelectorAll("body *")].filter(e => !e.closest(".scroll, svg") && e.getBoundingClientRect().right > root.clientWidth + 1)
    .map(e => e.tagName + "." + e.className);
  document.getElementById("result").textContent = JSON.stringify({
    width: root.clientWidth, scroll: root.scrollWidth, sections: d.querySelectorAll("main > section").length, pictures: shown, smallest: smallest,
    images: [...d.images].map(i => i.naturalWidth), ink: d.defaultView.getComputedStyle(d.body).color,
    paper: d.defaultView.getComputedStyle(d.body).backgroundColor, wide: wide.slice(0, 5)});
});</script>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; keeps what was asked for and not found."""

    def log_message(self, *words):
        pass


def look(folder, page, width, dark=False):
    """What a browser of that width sees: measures of the page, its console messages, and text of the console's errors."""
    program = shutil.which("chromium")
    assert program, "chromium is not installed: ./dl setup installs it (package chromium of .ci/packages.txt)"
    (folder / "harness.html").write_text(HARNESS.replace("PAGE", page).replace("WIDTH", str(width)))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    words = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--v=0", "--virtual-time-budget=20000",
             "--window-size=1200,1000", *(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []),
             "--dump-dom", f"http://127.0.0.1:{server.server_port}/harness.html"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=180, check=False)
    finally:
        server.shutdown()
        server.server_close()
    found = re.search(r'<pre id="result">(.+?)</pre>', done.stdout, re.S)
    assert found, f"chromium did not measure {page}: {done.stderr[-1500:]}"
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(unescape(found.group(1))), console
