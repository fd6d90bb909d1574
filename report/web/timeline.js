// Time lines on a canvas. The data of one run (report/timeline.c), all times in picoseconds since its first event:
//   ranks, nodes[], end_ps, from_ps, until_ps (the window that is shown in full), functions[], activities[] (of each function, -1:
//   a region's mark), regions[], sites[[file, line]], patterns[]
//   calls[rank][[thread, enter, duration, function, window or communicator, peer, bytes, region or site]], or, of long runs,
//   pieces[row]: two letters per piece of piece_ps: the activity with most time, its share in 21sts
//   waits[[rank, thread, from, until, pattern, cause's rank or -1, severity, enter of the call]]
//   transfers[[origin, target, start, lower end, upper end, true end, bytes, kind]]
function regionsOf(timeline, calls) {
  const regions = [], stacks = new Map();
  for (const [thread, enter, , call, , , , name] of calls) {
    if (timeline.activities[call] >= 0) continue;
    const stack = stacks.get(thread) || [];
    stacks.set(thread, stack);
    if (timeline.functions[call] === "enter") stack.push([enter, timeline.regions[name]]);
    else if (stack.length) { const [from, region] = stack.pop(); regions.push([from, enter, region]); }
  }
  for (const stack of stacks.values()) for (const [from, region] of stack) regions.push([from, timeline.until_ps, region]);
  return regions;
}

// First index whose interval may reach into a time: calls are in the order of their enters.
function firstFrom(calls, time) {
  let low = 0, high = calls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (calls[middle][1] + calls[middle][2] < time) low = middle + 1; else high = middle;
  }
  return low;
}

function hatch(context) {
  const made = document.createElement("canvas");
  made.width = made.height = 6;
  const pen = made.getContext("2d");
  pen.strokeStyle = "rgba(200,30,20,0.85)";
  pen.lineWidth = 1.3;
  pen.beginPath();
  for (const at of [-6, 0, 6]) { pen.moveTo(at, 6); pen.lineTo(at + 6, 0); }
  pen.stroke();
  return context.createPattern(made, "repeat");
}

function createTimeline(input, shared) {
  const { timeline } = input, rows = timeline.calls ? timeline.calls.length : timeline.pieces.length;
  const rowHeight = Math.max(5, Math.min(26, Math.floor(520 / rows))), left = 64, axis = 20, height = rows * rowHeight + axis;
  const canvas = element("canvas", { tabindex: 0, role: "img", style: `height:${height}px`,
    "aria-label": `time lines of ${input.name}: ${timeline.ranks} ranks, ${formatPs(timeline.end_ps)}; arrow keys move, plus and minus zoom` });
  const context = canvas.getContext("2d"), pattern = hatch(context);
  const regions = timeline.calls ? timeline.calls.map((calls) => regionsOf(timeline, calls)) : [];
  const waits = Array.from({ length: rows }, () => []);
  const rowOf = (rank) => (timeline.calls ? rank : Math.floor((rank * rows) / timeline.ranks));
  for (const wait of timeline.waits) waits[rowOf(wait[0])].push(wait);
  const view = shared.view;
  const scale = () => (canvas.clientWidth - left) / (view.until - view.from);
  const x = (time) => left + (time - view.from) * scale();

  function box(from, until, row, inset, fill) {
    const start = Math.max(left, x(from)), end = Math.min(canvas.clientWidth, x(until));
    if (end < left || start > canvas.clientWidth) return;
    context.fillStyle = fill;
    context.fillRect(start, axis + row * rowHeight + inset, Math.max(end - start, 0.6), rowHeight - 2 * inset - 1);
  }
  function drawCalls(row) {
    const calls = timeline.calls[row];
    if (calls.length) box(timeline.from_ps, calls[calls.length - 1][1] + calls[calls.length - 1][2], row, 1, colorOf(0));
    for (const [from, until] of regions[row]) box(from, until, row, 1, colorOf(1));
    let last = -1;
    for (let i = firstFrom(calls, view.from); i < calls.length && calls[i][1] <= view.until; i++) {
      const [thread, enter, duration, call] = calls[i], activity = timeline.activities[call];
      if (activity < 0) continue;
      const end = x(enter + duration);
      if (end - last < 0.3 && end - x(enter) < 0.3) continue; // nothing more to be seen there
      last = end;
      box(enter, enter + duration, row, thread ? Math.min(4, rowHeight / 4) : 1, colorOf(activity));
    }
  }
  function drawPieces(row) {
    const text = timeline.pieces[row], first = Math.max(0, Math.floor((view.from - timeline.from_ps) / timeline.piece_ps));
    for (let i = first; 2 * i < text.length; i++) {
      const from = timeline.from_ps + i * timeline.piece_ps;
      if (from > view.until) break;
      if (text[2 * i] === " ") continue;
      context.globalAlpha = 0.35 + (0.65 * (text.charCodeAt(2 * i + 1) - 65)) / 21;
      box(from, from + timeline.piece_ps, row, 1, colorOf(text.charCodeAt(2 * i) - 65));
      context.globalAlpha = 1;
    }
  }
  function drawArrows() {
    if (shared.ends < 0) return;
    context.strokeStyle = getComputedStyle(document.body).color;
    context.lineWidth = 0.8;
    let drawn = 0;
    for (const transfer of timeline.transfers) {
      const end = transfer[3 + shared.ends];
      if (end < 0 || end < view.from || transfer[2] > view.until) continue;
      if (++drawn > 4000) break;
      const get = transfer[7] === "get", source = get ? transfer[1] : transfer[0], target = get ? transfer[0] : transfer[1];
      const y = (rank) => axis + (rowOf(rank) + 0.5) * rowHeight;
      context.beginPath();
      context.moveTo(Math.max(left, x(transfer[2])), y(source));
      context.lineTo(x(end), y(target));
      context.stroke();
      context.beginPath();
      context.arc(x(end), y(target), 2, 0, 7);
      context.stroke();
    }
  }
  function drawAxis() {
    const ink = getComputedStyle(document.body).color, span = view.until - view.from;
    const step = 10 ** Math.floor(Math.log10(span / 4)), width = span / step > 20 ? 5 * step : span / step > 8 ? 2 * step : step;
    context.fillStyle = ink;
    context.font = "11px system-ui, sans-serif";
    for (let time = Math.ceil(view.from / width) * width; time <= view.until; time += width) {
      context.fillRect(x(time), axis - 4, 1, 4);
      context.fillText(formatPs(time), x(time) + 3, axis - 7);
    }
    const every = Math.ceil(12 / rowHeight);
    for (let row = 0; row < rows; row += every) {
      const rank = timeline.calls ? row : Math.ceil((row * timeline.ranks) / rows);
      context.fillText(`rank ${rank}`, 2, axis + row * rowHeight + Math.min(rowHeight, 14) - 3);
    }
  }
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, canvas.clientWidth, height);
    for (let row = 0; row < rows; row++) {
      if (timeline.calls) drawCalls(row); else drawPieces(row);
      if (shared.waits) for (const wait of waits[row]) if (wait[3] > view.from && wait[2] < view.until) box(wait[2], wait[3], row, 1, pattern);
    }
    drawArrows();
    drawAxis();
  }

  function describe(row, time) {
    const lines = [];
    if (timeline.calls) {
      const calls = timeline.calls[row];
      for (let i = Math.max(0, firstFrom(calls, time) - 1); i < calls.length && calls[i][1] <= time; i++) {
        const [thread, enter, duration, call, handle, peer, bytes, site] = calls[i];
        if (timeline.activities[call] < 0 || enter + duration < time) continue;
        const kind = timeline.activities[call];
        lines.push(`${timeline.functions[call]}${thread ? ` (thread ${thread})` : ""}: ${formatPs(duration)} from ${formatPs(enter)}`);
        if (handle >= 0) lines.push(`${kind >= 7 && kind <= 10 ? "window" : "communicator"} ${handle}${peer >= 0 ? `, rank ${peer}` : ""}${bytes > 0 ? `, ${formatBytes(bytes)}` : ""}`);
        if (site > 0 && timeline.sites[site]) lines.push(`${timeline.sites[site][0]}:${timeline.sites[site][1]}`);
      }
      const inside = regions[row].filter(([from, until]) => from <= time && time <= until).map(([, , name]) => name);
      if (inside.length) lines.push(`in ${inside.reverse().join("/")}`);
      if (!lines.length || inside.length === lines.length) lines.unshift("computing");
    } else {
      const letter = timeline.pieces[row].charCodeAt(2 * Math.floor((time - timeline.from_ps) / timeline.piece_ps)) - 65;
      lines.push(letter >= 0 ? `mostly ${activities[letter][0]} in ${formatPs(timeline.piece_ps)}` : "ended");
    }
    for (const wait of waits[row]) if (wait[2] <= time && time <= wait[3])
      lines.push(`waits: ${timeline.patterns[wait[4]]}, ${formatPs(wait[6])}${wait[5] >= 0 ? ` for rank ${wait[5]}` : ""}`);
    return `rank ${timeline.calls ? row : Math.ceil((row * timeline.ranks) / rows)}, ${formatPs(time)}\n${lines.join("\n")}`;
  }
  const timeAt = (event) => view.from + (event.offsetX - left) / scale();
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) { shared.move(-event.movementX / scale()); return; }
    const row = Math.floor((event.offsetY - axis) / rowHeight);
    showTip(row >= 0 && row < rows && event.offsetX >= left ? describe(row, timeAt(event)) : "", event);
  });
  canvas.addEventListener("pointerleave", () => showTip(""));
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); shared.zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event)); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const span = view.until - view.from, middle = (view.from + view.until) / 2;
    const act = { ArrowLeft: () => shared.move(-span / 10), ArrowRight: () => shared.move(span / 10), "+": () => shared.zoom(0.7, middle),
      "-": () => shared.zoom(1.4, middle), Home: () => shared.reset() }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  return { canvas, draw };
}

function legend() {
  return element("div", { class: "legend" }, activities.map(([name], i) =>
    element("span", {}, element("b", { style: `background:${colorOf(i)}` }), name)),
  element("span", {}, element("b", { style: "background:repeating-linear-gradient(135deg,#c81e14 0 1px,transparent 1px 4px)" }), "waiting"));
}

// All runs of the page below each other, with one window of time.
function timelineSection(inputs) {
  const end = Math.max(...inputs.map((input) => input.timeline.until_ps)), begin = Math.min(...inputs.map((input) => input.timeline.from_ps));
  const shared = { view: { from: begin, until: Math.max(end, begin + 1) }, waits: true, ends: -1 };
  const lines = inputs.map((input) => createTimeline(input, shared));
  let pending = false;
  const drawAll = () => { if (!pending) { pending = true; requestAnimationFrame(() => { pending = false; lines.forEach((line) => line.draw()); }); } };
  shared.zoom = (factor, at) => {
    const { view } = shared, span = Math.min(Math.max((view.until - view.from) * factor, 100), end - begin || 1);
    view.from = Math.max(begin, at - ((at - view.from) / (view.until - view.from)) * span);
    view.until = view.from + span;
    shared.move(0);
  };
  shared.move = (by) => {
    const { view } = shared, span = view.until - view.from;
    view.from = Math.max(begin, Math.min(view.from + by, end - span));
    view.until = view.from + span;
    drawAll();
  };
  shared.reset = () => { shared.view.from = begin; shared.view.until = Math.max(end, begin + 1); drawAll(); };
  const legendPlace = element("div", {}, legend());
  const search = element("input", { type: "search", placeholder: "MPI_Win_wait", "aria-label": "find a function", size: 16 });
  const find = () => {
    for (const { timeline } of inputs) {
      if (!timeline.calls) continue;
      const wanted = timeline.functions.findIndex((name) => name.toLowerCase() === search.value.trim().toLowerCase());
      const from = (shared.view.from + shared.view.until) / 2;
      const hits = timeline.calls.flat().filter((call) => call[3] === wanted && call[1] > from).sort((a, b) => a[1] - b[1]);
      if (!hits.length) continue;
      const span = Math.max(hits[0][2] * 8, 1e5);
      shared.view.from = Math.max(begin, hits[0][1] + hits[0][2] / 2 - span / 2);
      shared.view.until = shared.view.from + span;
      drawAll();
      return;
    }
  };
  const made = section("Time lines", element("div", { class: "tools" },
    element("button", { type: "button", onclick: () => shared.zoom(0.5, (shared.view.from + shared.view.until) / 2) }, "zoom in"),
    element("button", { type: "button", onclick: () => shared.zoom(2, (shared.view.from + shared.view.until) / 2) }, "zoom out"),
    element("button", { type: "button", onclick: shared.reset }, "whole run"),
    choice("transfers", ["not shown", "base model: with the call", "extended model: with the epoch", "true end (predicted runs)"], 0,
      (i) => { shared.ends = i - 1; drawAll(); }),
    choice("colours", ["of the thesis", "colour-blind"], palette - 1, (i) => { palette = i + 1; legendPlace.replaceChildren(legend()); drawAll(); }),
    element("label", {}, element("input", { type: "checkbox", checked: true, onchange: (event) => { shared.waits = event.target.checked; drawAll(); } }), " waits"),
    search, element("button", { type: "button", onclick: find }, "next call")), legendPlace,
  inputs.map((input, i) => [element("p", {}, `${input.name} (${input.data.origin}${input.data.semantics ? `, semantics ${input.data.semantics}` : ""})`),
    input.timeline.calls ? null : element("p", { class: "soft" },
      `Too many calls to show each: a colour is what a rank mostly does in ${formatPs(input.timeline.piece_ps)}. --from and --to give a window in full.`),
    input.timeline.transfers.length < input.timeline.transfer_count ? element("p", { class: "soft" },
      `${input.timeline.transfers.length} of ${input.timeline.transfer_count} transfers are in the page.`) : null,
    lines[i].canvas]).flat());
  new ResizeObserver(drawAll).observe(lines[0].canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  return made;
}
