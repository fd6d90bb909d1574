// The time lines of all runs below each other, recorded ones above predicted ones, with one window of time.
function legend(shared, kinds) {
  const own = bands.map((band, i) => [band, i]).filter(([, i]) => shared.epochs && shared.occurring.some((one) => one.bands.has(i)));
  return element("div", { class: "legend" }, activities.map(([name], i) => (shared.occurring.some((one) => one.activities.has(i)) ? swatch(colorOf(i), name) : null)),
    swatch("repeating-linear-gradient(135deg,#c81e14 0 1px,transparent 1px 4px)", "waiting"),
    own.map(([[name, ...colors]]) => swatch(colors[palette - 1], name)),
    own.some(([, i]) => i === 1 || i === 2) && shared.arrows !== 0 ? element("span", {}, element("b", { class: "grant", style: `border-top-color:${bands[1][palette]}` }), "lock granted") : null,
    kinds.map((kind) => swatch(`linear-gradient(transparent 40%, ${arrowColors[kind] || "currentColor"} 40% 60%, transparent 60%)`, `arrow: ${kind}`)));
}

function aggregated({ timeline }) {
  const notes = [];
  if (!timeline.calls)
    notes.push(`Aggregated, since the run has too many calls to show each. A colour is what a rank${timeline.levels[0].rows.length < timeline.ranks
      ? " of those that share the row" : ""} mostly does in a piece of time of ${formatPs(timeline.levels[0].piece_ps)} or longer, paler the smaller that `
      + "share is; hatching, or dark red, from below is the share of waiting. rmacast report --from TIME --to TIME shows a window of time in full.");
  for (const [what, items, count] of [["epochs", timeline.epochs, timeline.epochs_count],
    ["arrows", (timeline.arrows || []).flat(), timeline.arrows_count]])
    if (items && count > items.length) notes.push(`Of ${count} ${what} of this window ${items.length} are in the page.`);
  return notes;
}

function sharedView(inputs) {
  const shared = { view: { from: 0, until: 1 }, waits: true, epochs: true, arrows: -1, lines: [], pending: false, how: 0 };
  const { view } = shared;
  let begin = 0, end = 1;
  shared.draw = () => {
    if (shared.pending) return;
    shared.pending = true;
    requestAnimationFrame(() => { shared.pending = false; shared.lines.forEach((line) => line.draw()); if (shared.overview) shared.overview(begin, end); keepView(shared, end - begin); });
  };
  shared.show = (from, until) => {
    const span = Math.min(Math.max(until - from, 100), end - begin);
    view.from = Math.max(begin, Math.min(from, end - span));
    view.until = view.from + span;
    shared.draw();
  };
  shared.zoom = (factor, at) => {
    const span = Math.min(Math.max((view.until - view.from) * factor, 100), end - begin);
    const from = at - ((at - view.from) / (view.until - view.from)) * span;
    shared.show(from, from + span);
  };
  shared.move = (by) => shared.show(view.from + by, view.until + by);
  shared.reset = () => shared.show(begin, end);
  // How runs lie below each other: 0: by their first event; 1: by the making of their first window; 2: as 0, and each is
  // stretched to the length of the longest, so that the axes differ.
  shared.align = (how) => {
    const shifts = shared.lines.map((line) => (how === 1 ? line.data.aligned : 0)), longest = Math.max(...inputs.map(({ timeline }) => timeline.end_ps));
    shared.how = how;
    shared.factors = inputs.map(({ timeline }) => (how === 2 && longest > 0 && timeline.end_ps > 0 ? timeline.end_ps / longest : 1));
    begin = Math.min(...inputs.map((input, i) => (input.timeline.from_ps - shifts[i]) / shared.factors[i]));
    end = Math.max(...inputs.map((input, i) => (input.timeline.until_ps - shifts[i]) / shared.factors[i]), begin + 1);
    shared.reset();
  };
  shared.cross = (at) => shared.lines.forEach(({ cross }) => { cross.hidden = at < 0; cross.style.left = `${at}px`; });
  return shared;
}

// The first run whose calls take time, over its whole time, and where the window is; a click moves it.
function overviewStrip(inputs, shared) {
  const of = Math.max(0, inputs.findIndex((input) => input.data.over_time.slices.some((slice) => slice.calls_s > 0))), { data } = inputs[of];
  const { slices } = data.over_time, line = () => shared.lines[of].data, shift = () => (shared.how === 1 ? line().aligned : 0);
  let begin = 0, end = 1;
  const toShared = (seconds) => (seconds * 1e12 - shift()) / shared.factors[of];
  const canvas = slicesCanvas(data.over_time, "waiting and other time in calls of all ranks over the whole run, and the window that is shown; a click moves the window",
    (pixel) => (at(pixel) * shared.factors[of] + shift()) * 1e-12);
  // As wide as the time lines below.
  const left = () => (canvas.clientWidth < 600 ? 30 : 64), at = (pixel) => begin + ((pixel - left()) / (canvas.clientWidth - left())) * (end - begin);
  shared.overview = (from, until) => {
    [begin, end] = [from, until];
    const pen = canvas.getContext("2d"), full = canvas.clientWidth, x = (time) => left() + ((time - begin) / (end - begin)) * (full - left());
    canvas.width = full;
    canvas.height = 52;
    drawSlices(pen, slices, (seconds) => x(toShared(seconds)), 43);
    pen.strokeStyle = getComputedStyle(document.body).color;
    pen.lineWidth = 2;
    pen.strokeRect(x(shared.view.from) + 1, 1, Math.max(2, x(shared.view.until) - x(shared.view.from) - 2), 50);
  };
  canvas.addEventListener("click", (event) => {
    const half = (shared.view.until - shared.view.from) / 2;
    shared.show(at(event.offsetX) - half, at(event.offsetX) + half);
  });
  const show = (from, to) => shared.show(toShared(from - (to - from) / 2), toShared(to + (to - from) / 2));
  return [canvas, slicesInWords(data.over_time, show)];
}

// The window is in the address, so that a link to the page shows it: #t=FROM,UNTIL in picoseconds.
function keepView(shared, whole) {
  const { from, until } = shared.view, kept = until - from < whole ? `#t=${Math.round(from)},${Math.round(until)}` : "";
  if (shared.started && kept !== shared.kept && /^(#t=.*)?$/.test(location.hash)) { shared.kept = kept; history.replaceState(null, "", kept || "#"); }
}
function restoreView(shared) {
  const found = /^#t=(-?\d+),(-?\d+)$/.exec(location.hash);
  if (found) shared.show(Number(found[1]), Number(found[2]));
  shared.started = true;
}

function searchTools(shared) {
  const field = element("input", { type: "search", placeholder: "MPI_Win_wait", size: 18,
    "aria-label": "find a function, region, window, file or wait state" });
  const found = element("span", { role: "status" });
  let text = null, hits = [], at = -1;
  const find = (by) => {
    if (field.value !== text) {
      text = field.value;
      hits = shared.lines.flatMap((line, i) => line.data.search(text).map(([row, call]) => [i, row, call]));
      at = by > 0 ? -1 : 0;
    }
    const whole = shared.lines.every((line) => line.data.timeline.calls);
    found.textContent = hits.length ? "" : whole ? "not found" : "not found where calls are not shown one by one";
    if (!hits.length) return;
    at = (at + by + hits.length) % hits.length;
    const [line, row, call] = hits[at];
    found.textContent = `${at + 1} of ${hits.length}`;
    shared.lines.forEach((other, i) => { if (i !== line) other.choose(0, -1, false); });
    shared.lines[line].choose(row, call, true);
  };
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") find(event.shiftKey ? -1 : 1); });
  return [field, element("button", { type: "button", onclick: () => find(-1) }, "previous"),
    element("button", { type: "button", onclick: () => find(1) }, "next"), found];
}

const toggle = (label, checked, act) => element("label", {}, element("input", { type: "checkbox", checked,
  onchange: (event) => act(event.target.checked) }), ` ${label}`);

function timelineSection(given) {
  const inputs = [...given].sort((a, b) => (a.data.origin === "simulated") - (b.data.origin === "simulated"));
  const shared = sharedView(inputs), full = inputs.filter((input) => input.timeline.calls);
  shared.lines = inputs.map((input) => createCanvas(input, shared, inputs.indexOf(input)));
  shared.occurring = shared.lines.map((line) => line.data.occurring());
  // A run that is much shorter than another one would be a stroke.
  const ends = inputs.map(({ timeline }) => timeline.end_ps), how = Math.max(...ends) > 8 * Math.min(...ends) ? 2 : 0;
  shared.align(how);
  const views = full.length ? full[0].timeline.views : [], predicted = full.some((input) => input.timeline.transfers.length > 0);
  shared.keys = element("details", {}, element("summary", {}, "keys"), table(["on the focused drawing", ""], [["left, right", "move"], ["+, -, control and wheel", "zoom"],
    ["dragging", "moves"], ["shift and dragging", "totals of a range"], ["Home", "the whole run"], ["up, down", "choose a rank"], ["comma, full stop", "the call before, behind"],
    ["Enter", "zoom to the chosen call"], ["?", "these keys"]]));
  const overview = overviewStrip(inputs, shared);
  const legendPlace = element("div"), about = element("p", { class: "soft" });
  const change = () => {
    shared.lines.forEach((line) => line.setView(shared.arrows));
    const kinds = new Set(full.flatMap((input) => shared.lines[inputs.indexOf(input)].data.arrowsOf(shared.arrows).map((arrow) => input.timeline.arrow_kinds[arrow[0]])));
    legendPlace.replaceChildren(legend(shared, [...kinds]));
    about.textContent = shared.arrows >= 0 && views[shared.arrows] ? `${views[shared.arrows][0]}: ${views[shared.arrows][1]}.` : "";
    shared.draw();
  };
  const names = ["calls only", ...views.map(([name]) => `${name} model`), ...(predicted ? ["true ends (predicted runs)"] : [])];
  const made = section("Time lines", element("div", { class: "tools" },
    element("button", { type: "button", onclick: () => shared.zoom(0.5, (shared.view.from + shared.view.until) / 2) }, "zoom in"),
    element("button", { type: "button", onclick: () => shared.zoom(2, (shared.view.from + shared.view.until) / 2) }, "zoom out"),
    element("button", { type: "button", onclick: shared.reset }, "whole run"),
    full.length > 1 ? choice("runs", ["begin together", "make their first window together", "are stretched to one length"], how, shared.align) : null,
    full.length ? choice("view", names, 0, (i) => { shared.arrows = i - 1; change(); }) : null,
    choice("colours", ["by kind of call", "colour-blind"], palette - 1, (i) => { palette = i + 1; change(); }),
    toggle("waits", true, (on) => { shared.waits = on; change(); }),
    full.length ? toggle("epochs", true, (on) => { shared.epochs = on; change(); }) : null,
    full.length ? searchTools(shared) : null), shared.keys, about, legendPlace, overview,
  inputs.map((input, i) => [element("h3", {}, `${shortName(input.name)} (${input.data.origin === "simulated" ? "predicted" : input.data.origin}${input.data.semantics ? `, semantics ${input.data.semantics}` : ""})`),
    aggregated(input).map((text) => element("p", { class: "soft" }, text)),
    shared.lines[i].place, shared.lines[i].note, shared.lines[i].status,
    behindLater("what this window shows, as a table", ["rank", "from", "takes", "call", "", "waits"], shared.lines[i].callsInView)]).flat());
  new ResizeObserver(shared.draw).observe(shared.lines[0].canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", shared.draw);
  change();
  restoreView(shared);
  return made;
}
