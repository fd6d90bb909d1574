// Slices of the run's time or iterations, all ranks: waiting, other time in calls, and those that stand out.
const sliceShare = (slice, part) => (slice.time_s > slice.init_s ? formatShare(part / (slice.time_s - slice.init_s)) : "");
const sliceMost = (slice) => slice.waits.filter(({ name }) => !partOf[name]).sort((a, b) => b.severity_s - a.severity_s)[0];
const sliceRange = (slice) => `${formatSeconds(slice.from_s)} to ${formatSeconds(slice.to_s)}`;
// A slice of time, or iterations: what is before the first one has the number 0, the last one is behind a loop that was found.
function sliceName({ slices, loop_sought: sought }, slice) {
  if (slice.iterations === null) return sliceRange(slice);
  if (slice.iteration === 0) return "before the first iteration";
  if (sought && slice === slices[slices.length - 1]) return "behind the last iteration";
  return slice.iterations > 1 ? `iterations ${slice.iteration} to ${slice.iteration + slice.iterations - 1}` : `iteration ${slice.iteration}`;
}
function slicesOf({ slices, width_s: width, iterations, loop_sought: sought }) {
  if (sought && iterations) return `${counted(slices[slices.length - 1].iteration - 1, "iteration")} of the loop at ${shortName(iterations)}`;
  if (iterations) return `by iterations that begin at ${shortName(iterations)}`;
  return `${counted(slices.length, "time slice")} of ${formatSeconds(width)}${sought ? ", since no loop was found" : ""}`;
}
const sliceExcess = (slice) => ({ calls: "transfer, or the library's own work", computing: "computing" }[slice.stands_out] || patternTitle(slice.stands_out));

function sliceText(overTime, slice) {
  const most = sliceMost(slice), name = sliceName(overTime, slice);
  if (!(slice.time_s > slice.init_s)) return `${name}: MPI_Init or MPI_Finalize`;
  return `${name}${slice.iterations === null ? "" : `, ${sliceRange(slice)}`}\nin calls ${sliceShare(slice, slice.calls_s - slice.init_s)}, waiting ${sliceShare(slice, slice.waits_s)}`
    + (most ? `, most of it ${patternTitle(most.name)}` : "") + (slice.stands_out ? "\nstands out" : "");
}

// x: where a time, in seconds since the first event, is drawn.
function drawSlices(pen, slices, x, tall) {
  const style = getComputedStyle(document.body);
  for (const slice of slices) {
    if (!(slice.time_s > 0)) continue;
    const from = x(slice.from_s), wide = Math.max(1, x(slice.to_s) - from), part = (seconds) => tall * Math.min(1, seconds / slice.time_s);
    const waits = part(slice.waits_s), calls = part(slice.calls_s);
    pen.fillStyle = style.getPropertyValue("--accent");
    pen.fillRect(from, 8 + tall - calls, wide, calls);
    pen.fillStyle = style.getPropertyValue("--bad");
    pen.fillRect(from, 8 + tall - waits, wide, waits);
    if (!slice.stands_out) continue;
    pen.fillStyle = style.color;
    pen.beginPath();
    for (const [dx, y] of [[-4, 0], [4, 0], [0, 7]]) pen.lineTo(from + wide / 2 + dx, y);
    pen.fill();
  }
}

// What the strip shows, in words; show(from, to), if given, moves the window to a slice that stands out.
function slicesInWords(overTime, show) {
  const { slices } = overTime, name = (slice) => sliceName(overTime, slice), out = slices.filter((slice) => slice.stands_out), most = 8;
  return [element("div", { class: "legend" }, swatch("var(--bad)", "waiting"), swatch("var(--accent)", "other time in calls"), element("span", {}, `of all ranks, ${slicesOf(overTime)}`)),
    out.length ? element("p", { class: "soft" }, "Stands out: ", out.slice(0, most).map((slice, i) => [i ? ", " : "", show ? element("button", { type: "button",
      onclick: () => show(slice.from_s, slice.to_s) }, name(slice)) : name(slice), ` (${sliceShare(slice, slice.calls_s - slice.init_s)} in calls, ${sliceExcess(slice)})`]),
    out.length > most ? `, and ${out.length - most} more.` : ".") : null,
    behindLater(`${overTime.iterations ? "iterations" : "time slices"}, as a table`, [...(overTime.iterations ? ["iterations", "longest rank"] : []), "from", "to", "user code", "balance", "waiting", "calls", "transfers", "rate", "largest wait state", "stands out"], () => slices.map((slice) => {
      const wait = sliceMost(slice);
      return [...(overTime.iterations ? [name(slice), formatSeconds(slice.longest_s)] : []), formatSeconds(slice.from_s), formatSeconds(slice.to_s), slice.efficiency === null ? "" : formatShare(slice.efficiency), slice.load_balance === null ? "" : slice.load_balance.toFixed(2),
        sliceShare(slice, slice.waits_s), slice.calls, slice.transfers, slice.bytes ? formatRate(slice.bytes / (overTime.iterations ? slice.longest_s : slice.to_s - slice.from_s)) : "", wait ? patternTitle(wait.name) : "",
        slice.stands_out ? sliceExcess(slice) : ""];
    }))];
}

function slicesCanvas(overTime, label, timeAt) {
  const canvas = element("canvas", { style: "height:52px", role: "img", "aria-label": label });
  canvas.addEventListener("pointermove", (event) => {
    const at = timeAt(event.offsetX), slice = overTime.slices.findLast((one) => at >= one.from_s && at < one.to_s);
    showTip(slice ? sliceText(overTime, slice) : "", event);
  });
  canvas.addEventListener("pointerleave", () => showTip(""));
  return canvas;
}

// Of a result without a time line.
function overTimeSection(input) {
  const { over_time: overTime } = input.data;
  if (!overTime || input.timeline) return null;
  const end = overTime.slices[overTime.slices.length - 1].to_s;
  const canvas = slicesCanvas(overTime, "waiting and other time in calls of all ranks over the run", (pixel) => (pixel / canvas.clientWidth) * end);
  new ResizeObserver(() => {
    canvas.width = canvas.clientWidth;
    canvas.height = 52;
    drawSlices(canvas.getContext("2d"), overTime.slices, (time) => (time / end) * canvas.width, 43);
  }).observe(canvas);
  return section(`Over time, ${shortName(input.name)}`, canvas, slicesInWords(overTime, null));
}
