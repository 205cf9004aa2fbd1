// SPDX-License-Identifier: GPL-2.0-only
// viewer.js - the time line: drawing, keys, mouse, search
const KEYS = `Keys
  left, right       move            +, -          zoom at the middle
  Home              whole trace     up, down      scroll the lanes
  j, k              next, previous lane
  ], [              next, previous event of the lane; Enter shows it
  /                 search words; n, N: next, previous hit
  Escape            close this      ?             this list
Mouse: drag moves, wheel zooms, with Shift it scrolls; a click shows an event; Shift and drag
select a range for statistics. Touch: one finger moves, two zoom.
A mark is an event, a triangle one of severity 2 or more; a bar says what ran, or the state.
Hatching: events were lost here.`;

// The lanes of the page: those that have something
let lanes = [], lane = 0, from = 0, to = 1, scroll = 0, selected = -1, range = null, hits = [], hit = -1;
const ROW = 22, NAME = 170, RULER = 20;
const canvas = $("canvas"), g = canvas.getContext("2d");

function arrange() {
  lanes = tracks.filter(t => t.marks.length || t.from.length)
    .sort((a, b) => a.kind - b.kind ||
      (a.kind < 3 ? a.name.localeCompare(b.name, "en", { numeric: true }) : a.order - b.order));
  for (const t of lanes) {
    // A clock of another board can go back: each lane is in order of time.
    t.marks.sort((a, b) => events.ts.v[a] - events.ts.v[b] || a - b);
    let at = 0;
    t.top = t.from.map((x, i) => at = Math.max(at, t.to[i]));
  }
}

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function hue(s) {
  let h = 7;
  for (let i = 0; i < s.length; i++)
    h = (h * 31 + s.charCodeAt(i)) >>> 0;
  return h % 360;
}

// The first index whose value is not below x
function lower(n, value, x) {
  let lo = 0, hi = n;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (value(mid) < x)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

function hatch(x, y, w, h) {
  g.save();
  g.beginPath();
  g.rect(x, y, w, h);
  g.clip();
  g.strokeStyle = colour("--fg");
  g.globalAlpha = 0.35;
  g.beginPath();
  for (let i = x - h - ((x - h) % 7); i < x + w + h; i += 7) {
    g.moveTo(i, y + h);
    g.lineTo(i + h, y);
  }
  g.stroke();
  g.restore();
}

function drawBars(t, y, px, dark) {
  const n = t.from.length;
  let last = -1;
  for (let i = lower(n, k => t.top[k], from); i < n && t.from[i] <= to; i++) {
    const x0 = Math.max(NAME, px(t.from[i])), x1 = Math.min(canvas.clientWidth, px(t.to[i]));
    if (x1 < NAME || x1 - last < 0.5)
      continue;
    last = x1;
    const label = strings[t.label[i]], w = Math.max(1, x1 - x0);
    g.fillStyle = `hsl(${hue(label)} 55% ${dark ? 32 : 78}%)`;
    g.fillRect(x0, y + 3, w, ROW - 6);
    if (w < 3)
      continue;
    g.strokeStyle = colour("--dim");
    g.strokeRect(x0 + 0.5, y + 3.5, w - 1, ROW - 7);
    if (w > 24) {
      g.save();
      g.beginPath();
      g.rect(x0, y, w, ROW);
      g.clip();
      g.fillStyle = colour("--fg");
      g.fillText(label, x0 + 3, y + ROW / 2);
      g.restore();
    }
  }
}

function drawMarks(t, y, px) {
  const n = t.marks.length, ts = events.ts.v;
  let last = -9;
  g.fillStyle = colour("--fg");
  for (let i = lower(n, k => ts[t.marks[k]], from); i < n; i++) {
    const e = t.marks[i];
    if (ts[e] > to)
      break;
    const x = px(ts[e]), s = events.severity.v[e], severe = s && (s - 1 & 3) >= 2;
    if (x - last < 1 && !severe && e !== selected) {
      // Many in one column: go on behind it.
      i = Math.max(i, lower(n, k => ts[t.marks[k]], ts[e] + (to - from) / canvas.clientWidth) - 1);
      continue;
    }
    last = x;
    if (severe) {
      g.beginPath();
      g.moveTo(x, y + 3);
      g.lineTo(x + 6, y + ROW - 3);
      g.lineTo(x - 6, y + ROW - 3);
      g.fill();
    } else {
      g.fillRect(x - 0.5, y + 4, 1.5, ROW - 8);
    }
    if (e === selected)
      g.strokeRect(x - 5, y + 1.5, 10, ROW - 3);
  }
}

function drawRuler(px, w) {
  const step = 10 ** Math.ceil(Math.log10((to - from) * 90 / Math.max(1, w - NAME)));
  g.fillStyle = g.strokeStyle = colour("--dim");
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    g.fillRect(px(t), 0, 1, 6);
    g.fillText(timeText(t), px(t) + 3, 10);
  }
}

let due = false;
function draw() {
  if (!due)
    requestAnimationFrame(paint);
  due = true;
}

function paint() {
  due = false;
  const w = canvas.clientWidth, h = canvas.clientHeight, ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches;
  const px = t => NAME + (t - from) / (to - from) * (w - NAME);
  g.fillStyle = colour("--bg");
  g.fillRect(0, 0, w, h);
  g.font = "12px sans-serif";
  g.textBaseline = "middle";
  drawRuler(px, w);
  g.save();
  g.beginPath();
  g.rect(NAME, RULER, w - NAME, h - RULER);
  g.clip();
  lanes.forEach((t, i) => {
    const y = RULER + i * ROW - scroll;
    if (y < -ROW || y > h)
      return;
    drawBars(t, y, px, dark);
    g.strokeStyle = colour("--fg");
    drawMarks(t, y, px);
  });
  for (const l of losses)
    if (l.to >= from && l.from <= to)
      hatch(px(l.from) - 2, RULER, Math.max(4, px(l.to) - px(l.from)), h - RULER);
  if (range) {
    g.globalAlpha = 0.2;
    g.fillStyle = colour("--fg");
    g.fillRect(px(range[0]), RULER, px(range[1]) - px(range[0]), h);
    g.globalAlpha = 1;
  }
  g.restore();
  lanes.forEach((t, i) => {
    const y = RULER + i * ROW - scroll;
    if (y < RULER - ROW || y > h)
      return;
    g.fillStyle = colour(i === lane ? "--panel" : "--bg");
    g.fillRect(0, y, NAME - 2, ROW);
    g.fillStyle = colour("--fg");
    g.fillText((i === lane ? "> " : "") + t.name, 4 + (t.kind === 4 ? 10 : 0), y + ROW / 2, NAME - 10);
    g.fillStyle = colour("--line");
    g.fillRect(0, y + ROW - 1, w, 1);
  });
  g.clearRect(0, 0, NAME, RULER);
}

function look(a, b) {
  const least = 20, whole = Math.max(end, 1);
  let size = Math.min(Math.max(b - a, least), whole * 1.1);
  a = Math.max(-whole * 0.05, Math.min(a, whole * 1.05 - size));
  from = a;
  to = a + size;
  draw();
}
const fit = () => look(-end * 0.01, end * 1.01);
const zoom = (f, at) => look(at - (at - from) * f, at + (to - at) * f);
const pan = f => look(from + (to - from) * f, to + (to - from) * f);

function scrollTo(y) {
  scroll = Math.max(0, Math.min(y, lanes.length * ROW + RULER - canvas.clientHeight + 4));
  draw();
}

function toLane(i) {
  lane = Math.max(0, Math.min(lanes.length - 1, i));
  const y = lane * ROW;
  if (y < scroll)
    scrollTo(y);
  else if (y + ROW + RULER > scroll + canvas.clientHeight)
    scrollTo(y + ROW + RULER - canvas.clientHeight);
  draw();
}

function select(i) {
  selected = i;
  if (i < 0)
    return;
  const ts = events.ts.v[i];
  toLane(lanes.indexOf(tracks[events.track.v[i]]));
  if (ts < from || ts > to)
    look(ts - (to - from) / 2, ts + (to - from) / 2);
  $("side").textContent = eventText(i);
  draw();
}

function step(by) {
  const t = lanes[lane], ts = events.ts.v;
  if (!t || !t.marks.length)
    return;
  let k = t.marks.indexOf(selected);
  k = k >= 0 ? k + by : lower(t.marks.length, i => ts[t.marks[i]], (from + to) / 2) - (by < 0);
  select(t.marks[Math.max(0, Math.min(t.marks.length - 1, k))]);
}

// Events with all of the words, in names, lanes and values
function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(w => w);
  hits = [];
  hit = -1;
  for (let i = 0; words.length && i < events.ts.n; i++) {
    const e = eventAt(i);
    const all = (e.name + " " + e.track.name + " " + e.args.map(a => a.join(" ")).join(" ")).toLowerCase();
    if (words.every(w => all.includes(w)))
      hits.push(i);
  }
  $("hits").textContent = words.length ? hits.length + " found" : "";
  if (hits.length)
    toHit(1);
}

function toHit(by) {
  if (!hits.length)
    return;
  hit = (hit + by + hits.length) % hits.length;
  select(hits[hit]);
  $("hits").textContent = `${hit + 1} of ${hits.length}`;
}

function statistics(a, b) {
  const names = new Map(), ts = events.ts.v;
  let n = 0;
  for (let i = 0; i < events.ts.n; i++)
    if (ts[i] >= a && ts[i] <= b) {
      const name = shapes[events.shape.v[i]].name;
      names.set(name, (names.get(name) || 0) + 1);
      n++;
    }
  const lines = [`${timeText(b - a)}: ${n} events`];
  for (const l of losses)
    if (l.to >= a && l.from <= b)
      lines.push(`${l.count} lost: ${l.cause}`);
  for (const [name, count] of [...names].sort((x, y) => y[1] - x[1]))
    lines.push(String(count).padStart(9) + " " + name);
  for (const t of lanes) {
    if (t.kind > 3)
      continue;
    let busy = 0;
    for (let i = lower(t.from.length, k => t.top[k], a); i < t.from.length && t.from[i] < b; i++)
      busy += Math.max(0, Math.min(b, t.to[i]) - Math.max(a, t.from[i]));
    if (busy)
      lines.push(`${(100 * busy / (b - a)).toFixed(1).padStart(8)} % busy: ${t.name}`);
  }
  $("side").textContent = lines.join("\n");
}

const timeOf = x => from + (x - NAME) / (canvas.clientWidth - NAME) * (to - from);

function click(x, y) {
  const t = lanes[Math.floor((y - RULER + scroll) / ROW)], ts = events.ts.v;
  if (!t)
    return;
  lane = lanes.indexOf(t);
  const at = timeOf(x), k = lower(t.marks.length, i => ts[t.marks[i]], at);
  const near = [t.marks[k - 1], t.marks[k]].filter(i => i !== undefined && Math.abs(ts[i] - at) < (to - from) / canvas.clientWidth * 6);
  near.sort((p, q) => Math.abs(ts[p] - at) - Math.abs(ts[q] - at));
  selected = -1;
  if (near.length)
    select(near[0]);
  else {
    const b = lower(t.from.length, i => t.top[i], at);
    $("side").textContent = b < t.from.length && t.from[b] <= at ?
      `${t.name}: ${strings[t.label[b]]}\n${timeText(t.to[b] - t.from[b])}, from ${timeText(t.from[b])} to ${timeText(t.to[b])}` : "";
  }
  draw();
}

const fingers = new Map();
let moved = 0;
canvas.addEventListener("pointerdown", e => {
  canvas.setPointerCapture(e.pointerId);
  canvas.focus();
  fingers.set(e.pointerId, e);
  moved = 0;
  if (e.shiftKey)
    range = [timeOf(e.offsetX), timeOf(e.offsetX)];
});
canvas.addEventListener("pointermove", e => {
  const before = fingers.get(e.pointerId);
  if (!before)
    return;
  const other = [...fingers.values()].find(f => f.pointerId !== e.pointerId);
  moved += Math.abs(e.offsetX - before.offsetX) + Math.abs(e.offsetY - before.offsetY);
  if (other) {
    const was = Math.abs(before.offsetX - other.offsetX), is = Math.abs(e.offsetX - other.offsetX);
    if (was > 5 && is > 5)
      zoom(was / is, timeOf(other.offsetX));
  } else if (range && e.shiftKey) {
    range[1] = timeOf(e.offsetX);
    draw();
  } else {
    pan((before.offsetX - e.offsetX) / (canvas.clientWidth - NAME));
    scrollTo(scroll + before.offsetY - e.offsetY);
  }
  fingers.set(e.pointerId, e);
});
canvas.addEventListener("pointerup", e => {
  fingers.delete(e.pointerId);
  if (range && e.shiftKey && moved > 3) {
    range.sort((a, b) => a - b);
    statistics(range[0], range[1]);
  } else if (moved <= 3) {
    range = null;
    click(e.offsetX, e.offsetY);
  }
  draw();
});
canvas.addEventListener("pointercancel", e => fingers.delete(e.pointerId));
canvas.addEventListener("wheel", e => {
  e.preventDefault();
  if (e.shiftKey)
    scrollTo(scroll + e.deltaY);
  else
    zoom(e.deltaY > 0 ? 1.25 : 0.8, timeOf(e.offsetX));
}, { passive: false });

const middle = () => (from + to) / 2;
const actions = {
  ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2),
  ArrowUp: () => scrollTo(scroll - ROW), ArrowDown: () => scrollTo(scroll + ROW),
  "+": () => zoom(0.5, middle()), "=": () => zoom(0.5, middle()), "-": () => zoom(2, middle()),
  Home: fit, j: () => toLane(lane + 1), k: () => toLane(lane - 1),
  "]": () => step(1), "[": () => step(-1), Enter: () => select(selected),
  n: () => toHit(1), N: () => toHit(-1),
  "/": () => $("find").focus(), "?": () => $("side").textContent = KEYS,
  Escape: () => { $("side").textContent = ""; range = null; draw(); },
};
document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.altKey || e.metaKey)
    return;
  if (e.target === $("find")) {
    if (e.key === "Enter") {
      search($("find").value);
      canvas.focus();
    } else if (e.key === "Escape") {
      canvas.focus();
    } else {
      return;
    }
    e.preventDefault();
    return;
  }
  if (e.target.tagName === "BUTTON" && (e.key === "Enter" || e.key === " "))
    return;
  if (actions[e.key]) {
    e.preventDefault();
    actions[e.key]();
  }
});
$("fit").addEventListener("click", fit);
$("help").addEventListener("click", actions["?"]);
addEventListener("resize", draw);
addEventListener("beforeprint", paint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

decode();
arrange();
const date = info.wall === null ? "" : ", from " + new Date(Number(BigInt(info.wall) / 1000000n)).toISOString().slice(0, 10);
$("head").textContent = `${events.ts.n} events, ${timeText(end)}${date}` + (lostCount ? `, ${lostCount} lost` : "") + (info.machine ? ` (${info.machine}, Linux ${info.release})` : "");
fit();
// For tests, and for the curious
globalThis.trace = { lanes, losses, events, eventAt, strings, get window() { return [from, to]; }, get selected() { return selected; }, get hits() { return hits; }, get lane() { return lane; }, get range() { return range; } };
