// Draws one run on a canvas. shared: view {from, until}, what is shown (waits, epochs, arrows), and what all runs do together.
function hatch(context) {
  const made = document.createElement("canvas");
  made.width = made.height = 6;
  const pen = made.getContext("2d");
  // Light beside dark red: against every colour one of the two has a contrast of 3:1 or more.
  for (const [color, by] of [["#ffffff", 0], ["#a01008", 1.6]]) {
    pen.strokeStyle = color;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const at of [-6, 0, 6]) { pen.moveTo(at + by, 6); pen.lineTo(at + by + 6, 0); }
    pen.stroke();
  }
  return context.createPattern(made, "repeat");
}

const ARROWS_DRAWN = 4000, AXIS = 20, PIECE = 2.5; // pixels of a piece of a long run, at most

function createCanvas(input, shared, number) {
  const data = timelineData(input.timeline), { timeline, rows } = data;
  // The window of this run: that of all, moved by where the runs are aligned, or stretched.
  const shift = () => (shared.how === 1 ? data.aligned : 0), factor = () => shared.factors[number];
  const toShared = (time) => (time - shift()) / factor();
  const view = { get from() { return shared.view.from * factor() + shift(); }, get until() { return shared.view.until * factor() + shift(); } };
  // As many ranks as there are fit a screen.
  const rowHeight = rows > 112 ? Math.max(0.5, 560 / rows) : Math.max(5, Math.min(34, Math.floor(560 / rows))), height = Math.ceil(rows * rowHeight) + AXIS;
  const canvas = element("canvas", { tabindex: 0, role: "application", style: `height:${height}px`,
    "aria-label": `time lines of ${shortName(input.name)}: ${timeline.ranks} ranks, ${formatPs(timeline.end_ps)}. Left and right move, plus and `
      + "minus zoom, shift and dragging choose a range, question mark shows the keys, Home shows all, up and down choose a rank, comma and full stop the call before and behind, Enter zooms to it." });
  const cross = element("i", { class: "cross", hidden: true, "aria-hidden": "true" });
  const context = canvas.getContext("2d"), pattern = hatch(context);
  const banded = () => shared.epochs && timeline.calls && rowHeight >= 14;
  const strip = Math.max(2, Math.min(4, Math.floor(rowHeight / 7)));
  let width = 0, left = 64, drawn = [];
  const chosen = { row: 0, call: -1 };
  const scale = () => (width - left) / (view.until - view.from);
  const x = (time) => left + (time - view.from) * scale();
  const gap = rowHeight < 5 ? 0 : 1, waitFill = rowHeight < 5 ? "#a01008" : pattern; // low rows have no room for hatching
  const callsHeight = () => rowHeight - gap - (banded() ? 2 * strip + 1 : 0);

  function box(from, until, top, tall, fill) {
    const start = Math.max(left, x(from)), end = Math.min(width, x(until));
    if (end < left || start > width) return;
    context.fillStyle = fill;
    context.fillRect(start, top, Math.max(end - start, 0.6), tall);
  }
  function drawCalls(row, top) {
    const calls = timeline.calls[row], tall = callsHeight() - gap;
    if (calls.length) box(timeline.from_ps, calls[calls.length - 1][1] + calls[calls.length - 1][2], top, tall, colorOf(0));
    for (const [from, until] of data.regions[row]) {
      if (from > view.until) break;
      if (until >= view.from) box(from, until, top, tall, colorOf(1));
    }
    let last = -1;
    for (let i = firstFrom(calls, view.from); i < calls.length && calls[i][1] <= view.until; i++) {
      const [thread, enter, duration, call] = calls[i], activity = timeline.activities[call];
      if (activity < 0) continue;
      const end = x(enter + duration);
      if (end - last < 0.3 && end - x(enter) < 0.3) continue; // nothing more to be seen there
      last = end;
      const inset = thread ? Math.min(4, tall / 4) : 0;
      box(enter, enter + duration, top + inset, tall - 2 * inset, colorOf(activity));
    }
  }
  function drawPieces(row, top) {
    const level = data.levelFor(PIECE / scale()), text = level.rows[row];
    for (let i = Math.max(0, Math.floor((view.from - level.from_ps) / level.piece_ps)), next; 3 * i < text.length; i = next) {
      const from = level.from_ps + i * level.piece_ps, piece = text.slice(3 * i, 3 * i + 3);
      if (from > view.until) break;
      for (next = i + 1; text.startsWith(piece, 3 * next);) next++; // alike ones are drawn as one
      if (piece[0] === " ") continue;
      const until = level.from_ps + next * level.piece_ps, waiting = shared.waits ? data.shareOf(piece, 2) : 0;
      context.globalAlpha = 0.35 + 0.65 * data.shareOf(piece, 1);
      box(from, until, top, rowHeight - 1, colorOf(piece.charCodeAt(0) - 65));
      context.globalAlpha = 1;
      if (waiting > 0) box(from, until, top + (rowHeight - 1) * (1 - waiting), (rowHeight - 1) * waiting, waitFill);
    }
  }
  function drawBands(row, top) {
    for (const [, from, until, band] of data.epochs[row])
      if (until >= view.from && from <= view.until) box(from, until, top + callsHeight() + (band === 4 ? strip : 0), strip, bands[band][palette]);
    context.fillStyle = bands[1][palette];
    for (const [, time] of data.grants[row]) {
      if (shared.arrows === 0 || time < view.from || time > view.until) continue; // the base model knows no grants
      const at = x(time), bottom = top + callsHeight();
      context.beginPath();
      context.moveTo(at - 4, bottom - 7);
      context.lineTo(at + 4, bottom - 7);
      context.lineTo(at, bottom);
      context.fill();
    }
  }
  function drawArrow(arrow, ink, paper) {
    const [kind, fromRank, from, toRank, to] = arrow, y = (rank) => AXIS + data.rowOf(rank) * rowHeight + callsHeight() / 2;
    const color = arrowColors[timeline.arrow_kinds[kind]] || ink, x1 = x(from), x2 = x(to), y1 = y(fromRank), y2 = y(toRank);
    for (const [style, thick] of [[paper, 3], [color, 1.2]]) {
      context.strokeStyle = style;
      context.lineWidth = thick;
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
    }
    context.fillStyle = color;
    const angle = Math.atan2(y2 - y1, x2 - x1);
    context.beginPath();
    context.moveTo(x2, y2);
    for (const side of [-0.4, 0.4]) context.lineTo(x2 - 7 * Math.cos(angle + side), y2 - 7 * Math.sin(angle + side));
    context.fill();
    drawn.push([arrow, x1, y1, x2, y2]);
  }
  function drawArrows(ink) {
    drawn = [];
    context.save();
    context.beginPath();
    context.rect(left, AXIS, width - left, height - AXIS);
    context.clip();
    const paper = getComputedStyle(canvas).backgroundColor;
    let rest = 0;
    for (const arrow of lineArrows) {
      if (arrow[4] < view.from || arrow[2] > view.until) continue;
      if (drawn.length < ARROWS_DRAWN) drawArrow(arrow, ink, paper); else rest++;
    }
    context.restore();
    note.textContent = rest ? `${rest} more arrows are in this window: zoom in to see them.` : "";
  }
  function drawAxis(ink) {
    const span = view.until - view.from, labels = Math.max(2, Math.floor((width - left) / 110));
    const step = 10 ** Math.floor(Math.log10(span / labels)), every = [1, 2, 5, 10].map((by) => by * step).find((by) => span / by <= labels);
    context.fillStyle = ink;
    context.font = "11px system-ui, sans-serif";
    for (let time = Math.ceil(view.from / every) * every; time <= view.until; time += every) {
      context.fillRect(x(time), AXIS - 4, 1, 4);
      // Digits that tell ticks apart: of a short window late in the run the time since its begin.
      const text = every * 1000 < view.from ? `+${formatPs(time - Math.ceil(view.from / every) * every)}` : formatPs(time);
      if (x(time) + 3 + context.measureText(text).width <= width) context.fillText(text, x(time) + 3, AXIS - 7);
    }
    if (every * 1000 < view.from) context.fillText(`from ${(Math.ceil(view.from / every) * every * 1e-12).toPrecision(12)} s`, 2, AXIS - 7);
    const each = Math.ceil(12 / rowHeight);
    for (let row = 0; row < rows; row += each)
      context.fillText(`${left > 50 ? "rank " : ""}${data.rankOf(row)}`, 2, AXIS + row * rowHeight + Math.min(rowHeight / 2 + 4, 14));
  }
  function drawChosen(ink) {
    const call = timeline.calls && timeline.calls[chosen.row][chosen.call];
    context.strokeStyle = ink;
    context.lineWidth = 2;
    const top = AXIS + chosen.row * rowHeight;
    if (call) context.strokeRect(Math.max(left, x(call[1])) - 1, top, Math.max(3, Math.min(width, x(call[1] + call[2])) - Math.max(left, x(call[1])) + 2), callsHeight());
    else if (document.activeElement === canvas) context.strokeRect(1, top, left - 4, rowHeight - 2);
  }
  function draw() {
    const ratio = window.devicePixelRatio || 1, ink = getComputedStyle(document.body).color;
    width = canvas.clientWidth;
    left = width < 600 ? 30 : 64;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    for (let row = 0; row < rows; row++) {
      const top = AXIS + row * rowHeight;
      if (timeline.calls) drawCalls(row, top); else drawPieces(row, top);
      if (shared.waits && timeline.calls) for (const wait of data.waits[row])
        if (wait[3] > view.from && wait[2] < view.until) box(wait[2], wait[3], top, callsHeight() - gap, waitFill);
      if (banded()) drawBands(row, top);
    }
    if (timeline.calls) drawArrows(ink);
    drawAxis(ink);
    drawChosen(ink);
    if (range) { context.globalAlpha = 0.25; box(Math.min(...range), Math.max(...range), AXIS, height, ink); context.globalAlpha = 1; }
  }

  let lineArrows = [];
  const note = element("p", { class: "soft" }), status = element("p", { class: "chosen", role: "status" });
  const distance = ([, x1, y1, x2, y2], px, py) => {
    const length = (x2 - x1) ** 2 + (y2 - y1) ** 2, part = length ? Math.max(0, Math.min(1, ((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / length)) : 0;
    return Math.hypot(px - x1 - part * (x2 - x1), py - y1 - part * (y2 - y1));
  };
  function tipAt(px, py) {
    const row = Math.floor((py - AXIS) / rowHeight), time = view.from + (px - left) / scale();
    if (row < 0 || row >= rows || px < left) return "";
    const arrow = drawn.find((one) => distance(one, px, py) < 3);
    if (arrow) return data.arrowText(arrow[0]);
    const grant = banded() && data.grants[row].find((one) => Math.abs(x(one[1]) - px) < 5);
    return (grant ? `${data.grantText(grant)}\n` : "") + data.describe(row, time, PIECE / scale());
  }
  // A call becomes the chosen one: by keys, by search.
  function choose(row, call, zoomTo) {
    chosen.row = row;
    chosen.call = call;
    const one = timeline.calls && timeline.calls[row][call];
    if (!one) { status.textContent = `rank ${data.rankOf(row)}`; shared.draw(); return; }
    status.textContent = [`rank ${row}`, ...data.callText(one), ...data.waitsOf(row, call).map(data.waitText)].filter((text) => text).join(", ");
    const span = zoomTo ? Math.max(one[2] * 4, 1e5) : view.until - view.from, middle = one[1] + one[2] / 2;
    if (zoomTo || one[1] + one[2] < view.from || one[1] > view.until) shared.show(toShared(middle - span / 2), toShared(middle + span / 2));
    else shared.draw();
  }
  function step(by) {
    const calls = timeline.calls ? timeline.calls[chosen.row] : [];
    let next = chosen.call < 0 ? firstFrom(calls, view.from) - (by > 0 ? 1 : 0) : chosen.call;
    do next += by; while (calls[next] && timeline.activities[calls[next][3]] < 0);
    if (calls[next]) choose(chosen.row, next, false);
  }
  const pointers = new Map();
  // Shift and dragging choose a range of time, whose totals are told.
  let range = null;
  const timeAt = (px) => view.from + (Math.max(left, px) - left) / scale();
  function tellRange() {
    const [from, until] = [Math.min(...range), Math.max(...range)], times = new Map(), span = (a, b) => Math.max(0, Math.min(b, until) - Math.max(a, from));
    const add = (name, ps) => { if (ps > 0) times.set(name, (times.get(name) || 0) + ps); };
    for (const calls of timeline.calls || []) for (const call of calls)
      if (timeline.activities[call[3]] >= 0) add(timeline.functions[call[3]], span(call[1], call[1] + call[2]));
    const inMpi = sum([...times.values()]), waits = sum(data.waits.flat().map((wait) => span(wait[2], wait[3])));
    const most = [...times].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, ps]) => `${name} ${formatPs(ps)}`);
    status.textContent = `${formatPs(until - from)} from ${formatPs(from)}, all ranks: ${timeline.calls ? `MPI ${formatPs(inMpi)} (${most.join(", ")}), ` : ""}waits ${formatPs(waits)}`
      + `, of ${formatPs((until - from) * timeline.ranks)}`;
  }
  canvas.addEventListener("pointerdown", (event) => { if (event.shiftKey) range = [timeAt(event.offsetX), timeAt(event.offsetX)]; pointers.set(event.pointerId, event.offsetX); canvas.setPointerCapture(event.pointerId); });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => { pointers.delete(event.pointerId); range = null; });
  canvas.addEventListener("pointermove", (event) => {
    shared.cross(event.offsetX);
    if (range && pointers.has(event.pointerId)) { range[1] = timeAt(event.offsetX); tellRange(); shared.draw(); return; }
    if (!pointers.has(event.pointerId)) { showTip(tipAt(event.offsetX, event.offsetY), event); return; }
    const before = pointers.get(event.pointerId), others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    pointers.set(event.pointerId, event.offsetX);
    if (!others.length) { shared.move((before - event.offsetX) / scale() / factor()); return; }
    const apart = Math.abs(event.offsetX - others[0]);
    if (apart > 4) shared.zoom(Math.abs(before - others[0]) / apart, shared.view.from + (others[0] - left) / scale() / factor());
  });
  canvas.addEventListener("pointerleave", () => { showTip(""); shared.cross(-1); });
  canvas.addEventListener("wheel", (event) => {
    if (event.deltaY === 0 || !(event.ctrlKey || event.metaKey)) return; // else the page scrolls
    event.preventDefault();
    shared.zoom(event.deltaY > 0 ? 1.25 : 0.8, shared.view.from + (event.offsetX - left) / scale() / factor());
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const span = shared.view.until - shared.view.from, middle = (shared.view.from + shared.view.until) / 2;
    const act = { ArrowLeft: () => shared.move(-span / 10), ArrowRight: () => shared.move(span / 10), "+": () => shared.zoom(0.7, middle),
      "-": () => shared.zoom(1.4, middle), Home: () => shared.reset(), ",": () => step(-1), ".": () => step(1),
      ArrowUp: () => choose(Math.max(0, chosen.row - 1), -1, false), ArrowDown: () => choose(Math.min(rows - 1, chosen.row + 1), -1, false),
      Enter: () => choose(chosen.row, chosen.call, true), "?": () => { shared.keys.open = !shared.keys.open; } }[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); act(); }
  });
  canvas.addEventListener("focus", () => shared.draw());
  canvas.addEventListener("blur", () => shared.draw());

  function callsInView() {
    const rowsShown = [];
    if (timeline.calls) timeline.calls.forEach((calls, rank) => {
      for (let i = firstFrom(calls, view.from); i < calls.length && calls[i][1] <= view.until && rowsShown.length < 300; i++) {
        if (timeline.activities[calls[i][3]] < 0) continue;
        rowsShown.push([rank, formatPs(calls[i][1]), formatPs(calls[i][2]), timeline.functions[calls[i][3]], data.callText(calls[i]).slice(1).join(", "),
          data.waitsOf(rank, i).map(data.waitText).join("; ")]);
      }
    });
    else for (const wait of timeline.waits.slice(0, 300)) rowsShown.push([wait[0], formatPs(wait[2]), formatPs(wait[3] - wait[2]), "", "", data.waitText(wait)]);
    return rowsShown;
  }
  return { canvas, cross, note, status, data, draw, choose,
    place: element("div", { class: "line" }, canvas, cross), callsInView,
    setView: (arrows) => { lineArrows = timeline.calls ? data.arrowsOf(arrows) : []; } };
}
