// SPDX-License-Identifier: GPL-2.0-only
// viewer_read.js - the records of a page, as html.c writes them
"use strict";
// Strings of the trace reach the page by textContent and fillText() alone: they cannot become HTML.
const STRING = 0, TRACK = 1, SHAPE = 2, OPEN = 3, CLOSE = 4, LOST = 5, RENAME = 6, INFO = 7, WALL = 8, EVENT = 9;
const SEVERITY = ["", "sw0", "sw1", "sw2", "sw3", "hw0", "hw1", "hw2", "hw3"];
const $ = id => document.getElementById(id);

function bytesOf(text) {
  const s = atob(text), b = new Uint8Array(s.length);
  for (let i = 0; i < s.length; i++)
    b[i] = s.charCodeAt(i);
  return b;
}

class Reader {
  constructor(bytes) {
    this.b = bytes;
    this.at = 0;
    this.text = new TextDecoder();
  }
  // A number, or beyond 2^53 a BigInt
  uint() {
    const b = this.b;
    let v = 0, scale = 1, c;
    const start = this.at;
    do {
      c = b[this.at++];
      v += (c & 127) * scale;
      scale *= 128;
    } while (c & 128);
    if (v <= Number.MAX_SAFE_INTEGER)
      return v;
    let big = 0n, shift = 0n;
    for (let i = start; i < this.at; i++, shift += 7n)
      big |= BigInt(b[i] & 127) << shift;
    return big;
  }
  int() {
    const v = this.uint();
    if (typeof v === "bigint") {
      const s = v & 1n ? -(v >> 1n) - 1n : v >> 1n;
      return s >= -0x1fffffffffffffn && s <= 0x1fffffffffffffn ? Number(s) : s;
    }
    return v % 2 ? -(v - 1) / 2 - 1 : v / 2;
  }
  str() {
    const n = this.uint(), at = this.at;
    this.at += n;
    return this.text.decode(this.b.subarray(at, this.at));
  }
  double() {
    const v = new DataView(this.b.buffer, this.b.byteOffset + this.at, 8).getFloat64(0, true);
    this.at += 8;
    return v;
  }
  value() {
    switch (this.uint()) {
    case 0: return this.uint();
    case 1: return this.int();
    case 2: return this.double();
    default: return this.str();
    }
  }
  skip() {
    const kind = this.uint();
    if (kind < 2)
      while (this.b[this.at++] & 128);
    else if (kind === 2)
      this.at += 8;
    else {
      const n = this.uint();
      this.at += n;
    }
  }
}

// Columns that grow: a million objects would take ten times the memory.
class Column {
  constructor(type) {
    this.v = new type(4096);
    this.n = 0;
  }
  push(x) {
    if (this.n === this.v.length) {
      const v = new this.v.constructor(2 * this.n);
      v.set(this.v);
      this.v = v;
    }
    this.v[this.n++] = x;
  }
}

const strings = [], shapes = [], tracks = [], losses = [];
const events = { ts: new Column(Float64Array), at: new Column(Uint32Array), track: new Column(Uint32Array), severity: new Column(Uint8Array) };
const info = { machine: "", release: "", wall: null };
let reader, end = 0, lostCount = 0;

function decode() {
  let time = 0, n;
  const r = reader = new Reader(bytesOf($("data").textContent));
  $("data").textContent = "";
  const moment = () => {
    time += Number(r.int());
    if (time > end)
      end = time;
    return time;
  };
  while (r.at < r.b.length) {
    const at = r.at, record = r.uint();
    switch (record) {
    case STRING:
      strings.push(r.str());
      break;
    case TRACK:
      tracks.push({ kind: r.uint(), name: strings[r.uint()], marks: [], from: [], to: [], label: [], order: tracks.length });
      break;
    case SHAPE: {
      const shape = { name: strings[r.uint()], args: [] };
      for (n = r.uint(); n; n--)
        shape.args.push(strings[r.uint()]);
      shapes.push(shape);
      break;
    }
    case OPEN:
    case CLOSE: {
      const t = tracks[r.uint()];
      moment();
      if (t.from.length > t.to.length)
        t.to.push(time);
      if (record === OPEN) {
        t.from.push(time);
        t.label.push(r.uint());
      }
      break;
    }
    case LOST: {
      const from = moment(), to = moment();
      const count = r.uint();
      losses.push({ from: Math.min(from, to), to, count, cause: strings[r.uint()] });
      lostCount += Number(count);
      break;
    }
    case RENAME: {
      const t = tracks[r.uint()];
      t.name = strings[r.uint()];
      break;
    }
    case INFO:
      info.machine = strings[r.uint()];
      info.release = strings[r.uint()];
      break;
    case WALL:
      info.wall = r.str();
      break;
    default: {
      const track = r.uint();
      tracks[track].marks.push(events.ts.n);
      events.track.push(track);
      events.at.push(at);
      events.ts.push(moment());
      r.uint();
      events.severity.push(r.uint());
      for (n = shapes[record - EVENT].args.length; n; n--)
        r.skip();
    }
    }
  }
  for (const t of tracks)
    if (t.from.length > t.to.length)
      t.to.push(end);
}

function eventAt(i) {
  const r = reader;
  r.at = events.at.v[i];
  const shape = shapes[r.uint() - EVENT], track = tracks[r.uint()];
  r.int();
  const cpu = r.uint(), severity = r.uint(), args = [];
  for (const name of shape.args)
    args.push([name, r.value()]);
  return { name: shape.name, ts: events.ts.v[i], track, cpu: cpu - 1, severity, args };
}

function timeText(ns) {
  const unit = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]].find(u => Math.abs(ns) >= u[0]) || [1, "ns"];
  return +(ns / unit[0]).toPrecision(9) + " " + unit[1];
}

function eventText(i) {
  const e = eventAt(i), lines = [e.name, "time       " + timeText(e.ts) + " from the beginning of the file"];
  lines.push("on         " + e.track.name);
  if (e.cpu >= 0)
    lines.push("cpu        " + e.cpu);
  if (e.severity)
    lines.push("severity   " + SEVERITY[e.severity]);
  for (const [name, value] of e.args)
    lines.push(name.padEnd(10) + " " + value);
  return lines.join("\n");
}
