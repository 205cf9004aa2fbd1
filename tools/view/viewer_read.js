// SPDX-License-Identifier: GPL-2.0-only
// viewer_read.js - the records of a page, as html.c writes them
"use strict";
// Strings of the trace reach the page by textContent and fillText() alone: they cannot become HTML.
const STRING = 0, TRACK = 1, PLACE = 2, SHAPE = 3, OPEN = 4, CLOSE = 5, LOST = 6, RENAME = 7, INFO = 8, WALL = 9, EVENT = 10;
const UINT = 0, INT = 1, DOUBLE = 2, STR = 3;
const SHAPES = 4096, NUMBERS = 8;
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

const strings = [], shapes = [], tracks = [], places = [], losses = [];
// @at: the first of its values. A value is a number, or where its string begins; numbers that a
// double cannot hold are in @big.
const events = { ts: new Column(Float64Array), at: new Column(Uint32Array), track: new Column(Uint32Array), place: new Column(Uint32Array), shape: new Column(Uint32Array), severity: new Column(Uint8Array) };
const values = new Column(Float64Array), big = new Map();
const info = { machine: "", release: "", wall: null };
let reader, end = 0, lostCount = 0;

// A value for its column. A number is the difference to the one before, modulo 2^64.
function readValue(r, shape, n, differs) {
  const kind = shape.kinds[n];
  if (kind === DOUBLE)
    return r.double();
  if (kind === STR) {
    const at = r.at, length = r.uint();
    r.at += length;
    return at;
  }
  const difference = r.int(), before = differs ? shape.before[n] : 0;
  let v = typeof difference === "number" && typeof before === "number" ? before + difference : null;
  if (v === null || !Number.isSafeInteger(v) || (v < 0 && kind === UINT)) {
    v = BigInt(before) + BigInt(difference);
    v = kind === UINT ? BigInt.asUintN(64, v) : BigInt.asIntN(64, v);
    if (v >= BigInt(Number.MIN_SAFE_INTEGER) && v <= BigInt(Number.MAX_SAFE_INTEGER))
      v = Number(v);
    else
      big.set(values.n, v);
  }
  if (differs)
    shape.before[n] = v;
  return Number(v);
}

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
    case PLACE:
      places.push({ track: r.uint(), cpu: r.uint() - 1 });
      break;
    case SHAPE: {
      const shape = { name: strings[r.uint()], severity: r.uint(), args: [], kinds: [], before: [] };
      for (n = r.uint(); n; n--) {
        shape.args.push(strings[r.uint()]);
        shape.kinds.push(r.uint());
        shape.before.push(0);
      }
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
      const nr = record - EVENT, shape = shapes[nr], place = r.uint(), track = places[place].track;
      tracks[track].marks.push(events.ts.n);
      events.track.push(track);
      events.place.push(place);
      events.shape.push(nr);
      events.severity.push(shape.severity);
      events.at.push(values.n);
      events.ts.push(moment());
      for (n = 0; n < shape.kinds.length; n++)
        values.push(readValue(r, shape, n, nr < SHAPES && n < NUMBERS));
    }
    }
  }
  for (const t of tracks)
    if (t.from.length > t.to.length)
      t.to.push(end);
}

function eventAt(i) {
  const shape = shapes[events.shape.v[i]], args = [];
  let at = events.at.v[i];
  for (let n = 0; n < shape.args.length; n++, at++) {
    let value = values.v[at];
    if (shape.kinds[n] === STR) {
      reader.at = value;
      value = reader.str();
    } else if (shape.kinds[n] !== DOUBLE && big.has(at)) {
      value = big.get(at);
    }
    args.push([shape.args[n], value]);
  }
  return { name: shape.name, ts: events.ts.v[i], track: tracks[events.track.v[i]], cpu: places[events.place.v[i]].cpu, severity: shape.severity, args };
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
