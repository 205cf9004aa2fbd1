#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# html_drive.py - drive a page of devtrace-convert --to html in a real browser, without a network
#
#	html_drive.py CHROMIUM PAGE.html EVENTS.json [bars | PICTURE.png]
#
# EVENTS is of traceinfo --json. The browser is told what to do by its own pipe (the protocol of its
# developer tools); keys and mouse are those of the browser, not calls of the page's functions. Prints
# "ok NAME" or "not ok NAME" lines; the status is 1 if there is one "not ok". "bars" prints
# the bars. PICTURE gets the upper third of the window at the end.

import base64
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

chromium, page, events_path = sys.argv[1:4]
bad = 0


class Browser:
    def __init__(self, profile):
        to_r, self.to = os.pipe()
        self.back, back_w = os.pipe()

        def descriptors():
            r, w = os.dup(to_r), os.dup(back_w)
            os.dup2(r, 3)
            os.dup2(w, 4)
        self.proc = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}",
             "--window-size=1280,720", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_r)
        os.close(back_w)
        self.nr, self.buf, self.notices, self.session = 0, b"", [], None

    def message(self):
        while b"\0" not in self.buf:
            part = os.read(self.back, 1 << 20)
            if not part:
                sys.exit("# the browser is gone")
            self.buf += part
        one, self.buf = self.buf.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.nr += 1
        m = {"id": self.nr, "method": method, "params": params}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.to, json.dumps(m).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.nr:
                if "error" in got:
                    sys.exit(f"# {method}: {got['error']}")
                return got["result"]
            self.notices.append(got)

    def wait(self, method):
        while not any(n.get("method") == method for n in self.notices):
            self.notices.append(self.message())

    def ask(self, expression):
        r = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                      awaitPromise=True)
        if "exceptionDetails" in r:
            sys.exit(f"# {expression}: {r['exceptionDetails']}")
        return r["result"].get("value")

    def key(self, key):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                  **({"button": "left", "buttons": 1, "clickCount": 1} | more))

    def settle(self):
        self.ask("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")


def check(good, name, why=""):
    global bad
    print(("ok " if good else "not ok ") + name)
    if not good:
        bad = 1
        print(f"# {why}")


def main():
    items = [json.loads(line) for line in open(events_path)]
    want = [j for j in items if j["kind"] == "event"]
    lost = [j for j in items if j["kind"] in ("lost", "gap", "damage")]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        b = Browser(profile)
        target = b.call("Target.createTarget", url="about:blank")["targetId"]
        b.session = b.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            b.call(f"{domain}.enable")
        url = "file://" + os.path.abspath(page)
        b.call("Page.navigate", url=url)
        b.wait("Page.loadEventFired")
        b.settle()
        drive(b, want, lost, url)
        if sys.argv[4:] == ["bars"]:
            first = want[0]["ts"]
            bars = b.ask("trace.lanes.flatMap(t => t.from.map((f, i) => "
                         "[t.kind, t.name, trace.strings[t.label[i]], f, t.to[i]]))")
            bars.sort(key=lambda x: (-x[0], x[3]))
            print("bars: " + ", ".join(f"{n} {s} {f + first}-{t + first}" for _, n, s, f, t in bars))
        elif len(sys.argv) > 4:
            shot = base64.b64decode(b.call("Page.captureScreenshot", clip={
                "x": 0, "y": 0, "width": 1280, "height": 240, "scale": 1})["data"])
            open(sys.argv[4], "wb").write(shot)
        b.session = None
        b.call("Browser.close")
        b.proc.wait()
    sys.exit(bad)


def named(j):
    """Arguments by name; elements without one by place and type."""
    args = list(j.get("args", {}).items())
    rest = [list(e.items())[0] for e in j.get("more", []) + j.get("elements", [])]
    return args + [(f"{len(args) + 1 + i}:{n}", x) for i, (n, x) in enumerate(rest)]


def drive(b, want, lost, url):
    got = b.ask("trace.events.ts.n")
    check(got == len(want), "each event is there", f"{got}, not {len(want)}")
    names = Counter(b.ask("Array.from({length: trace.events.ts.n}, (_, i) => trace.eventAt(i).name)"))
    check(names == Counter(j["name"] for j in want), "with its name", names)
    threads = b.ask("trace.lanes.filter(t => t.kind == 3).map(t => [t.name, t.marks.length])")
    mine = Counter()
    for name, n in threads:
        mine[int(name[name.rindex("[") + 1:-1])] += n
    theirs = Counter(j["tid"] for j in want if j["context"] in ("task", "user") and j["tid"])
    check(mine - Counter() == theirs, "counts by thread", f"{mine}, not {theirs}")
    values = b.ask("Array.from({length: trace.events.ts.n}, (_, i) => "
                   "Object.fromEntries(trace.eventAt(i).args.map(a => [a[0], String(a[1])])))")
    wrong = [(n, x, v.get(n)) for j, v in zip(want, values) for n, x in named(j)
             if not isinstance(x, float) and v.get(n) != str(x) or n not in v]
    check(not wrong, "and with its values", wrong[:3])
    texts = [(j["text"], v["text"]) for j, v in zip(want, values) if "text" in v]
    check(all(t == v for t, v in texts), "and its text",
          next(((t, v) for t, v in texts if t != v), None))
    times = b.ask("Array.from(trace.events.ts.v.subarray(0, trace.events.ts.n))")
    first = times[0] - want[0]["ts"]
    check(all(t - first == j["ts"] for t, j in zip(times, want)), "in its place")
    got = b.ask("trace.losses.map(l => Number(l.count))")
    check(got == [j.get("count", j.get("bytes")) for j in lost], "each loss", got)

    # Keys
    whole = b.ask("trace.window")
    b.ask("document.getElementById('canvas').focus()")
    b.key("+")
    closer = b.ask("trace.window")
    check(closer[1] - closer[0] < (whole[1] - whole[0]) * 0.6, "a key zooms", closer)
    b.key("ArrowRight")
    right = b.ask("trace.window")
    check(right[0] > closer[0], "a key moves", right)
    b.key("Home")
    check(b.ask("trace.window") == whole, "a key shows the whole trace")
    b.key("j")
    check(b.ask("trace.lane") == min(1, len(b.ask("trace.lanes.map(t => t.name)")) - 1),
          "a key goes to the next lane")
    b.key("k")
    b.key("]")
    b.key("Enter")
    picked, detail = b.ask("trace.selected"), b.ask("document.getElementById('side').textContent")
    check(picked >= 0 and detail.startswith(want[picked]["name"] + "\n"),
          "a key shows an event", f"{picked}: {detail}")
    check(b.ask("document.querySelectorAll('#side *').length") == 0, "in which nothing is HTML")
    word = want[-1]["name"]
    b.key("/")
    b.call("Input.insertText", text=word)
    b.key("Enter")
    hits = b.ask("trace.hits")
    check(set(i for i, j in enumerate(want) if j["name"] == word) <= set(hits),
          "words are found", f"{word}: {hits}")
    b.key("n")
    check(b.ask("document.getElementById('hits').textContent") ==
          f"{min(2, len(hits)) if len(hits) > 1 else 1} of {len(hits)}", "and the next one")
    b.key("?")
    check(b.ask("document.getElementById('side').textContent").startswith("Keys"), "keys are told")
    b.key("Escape")

    # Mouse
    b.key("Home")
    b.settle()
    box = b.ask("(r => [r.x, r.y, r.width, r.height])(document.getElementById('canvas').getBoundingClientRect())")
    b.mouse("mouseWheel", box[0] + 600, box[1] + 60, deltaX=0, deltaY=-120, button="none", buttons=0)
    b.settle()
    closer = b.ask("trace.window")
    check(closer[1] - closer[0] < whole[1] - whole[0], "the wheel zooms", closer)
    b.mouse("mousePressed", box[0] + 600, box[1] + 60)
    b.mouse("mouseMoved", box[0] + 500, box[1] + 60)
    b.mouse("mouseReleased", box[0] + 500, box[1] + 60)
    check(b.ask("trace.window")[0] > closer[0], "dragging moves")
    b.key("Home")
    b.mouse("mousePressed", box[0] + 171, box[1] + 60, modifiers=8)
    b.mouse("mouseMoved", box[0] + 900, box[1] + 60, modifiers=8)
    b.mouse("mouseReleased", box[0] + 900, box[1] + 60, modifiers=8)
    a, z = b.ask("trace.range")
    text = b.ask("document.getElementById('side').textContent")
    n = sum(a <= t <= z for t in times)
    check(text.split("\n")[0].endswith(f": {n} events"), "a range has statistics", text[:80])
    b.key("Escape")

    # Attempts of a hostile stream
    check(b.ask("typeof globalThis.hacked") == "undefined" and
          b.ask("document.querySelectorAll('img, iframe, svg, a').length") == 0 and
          b.ask("document.scripts.length") == 2, "strings of the trace are no HTML")
    b.ask("document.body.appendChild(Object.assign(document.createElement('script'), "
          "{textContent: 'globalThis.hacked = 1'})), 1")
    check(b.ask("typeof globalThis.hacked") == "undefined", "a script without the number does not run")
    requests = [n["params"]["request"]["url"] for n in b.notices
                if n.get("method") == "Network.requestWillBeSent"]
    check(requests == [url], "nothing is fetched", requests)
    # The script above is refused, and said so
    errors = [n["params"] for n in b.notices if n.get("method") == "Runtime.exceptionThrown"]
    check(not errors, "no exception", errors)


main()
