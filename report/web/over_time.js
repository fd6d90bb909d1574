// Slices of the run's time, all ranks: waiting, other time in calls, and those that stand out.
const sliceShare = (slice, part) => (slice.time_s > slice.init_s ? formatShare(part / (slice.time_s - slice.init_s)) : "");
const sliceMost = (slice) => slice.waits.filter(({ name }) => !partOf[name]).sort((a, b) => b.severity_s - a.severity_s)[0];
const sliceRange = (slice) => `${formatSeconds(slice.from_s)} to ${formatSeconds(slice.to_s)}`;
const sliceExcess = (slice) => ({ calls: "transfer, or the library's own work", computing: "computing" }[slice.stands_out] || patternTitle(slice.stands_out));

function sliceText(slice) {
  const most = sliceMost(slice);
  if (!(slice.time_s > slice.init_s)) return `${sliceRange(slice)}: MPI_Init or MPI_Finalize`;
  return `${sliceRange(slice)}\nin calls ${sliceShare(slice, slice.calls_s - slice.init_s)}, waiting ${sliceShare(slice, slice.waits_s)}`
    + (most ? `, most of it ${patternTitle(most.name)}` : "") + (slice.stands_out ? "\nstands out" : "");
}

// x: where a time, in seconds since the first event, is drawn.
function drawSlices(pen, slices, x, tall) {
  const style = getComputedStyle(document.body);
  for (const slice of slices) {
    const from = x(slice.from_s), wide = Math.max(1, x(slice.to_s) - from), part = (seconds) => (slice.time_s > 0 ? tall * Math.min(1, seconds / slice.time_s) : 0);
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
function slicesInWords({ slices, width_s: width, iterations }, show) {
  const out = slices.filter((slice) => slice.stands_out), most = 8;
  return [element("div", { class: "legend" }, swatch("var(--bad)", "waiting"), swatch("var(--accent)", "other time in calls"), element("span", {}, iterations ? `of all ranks, by iterations that begin at ${shortName(iterations)}` : `of all ranks, ${counted(slices.length, "time slice")} of ${formatSeconds(width)}`)),
    out.length ? element("p", { class: "soft" }, "Stands out: ", out.slice(0, most).map((slice, i) => [i ? ", " : "", show ? element("button", { type: "button",
      onclick: () => show(slice.from_s, slice.to_s) }, sliceRange(slice)) : sliceRange(slice), ` (${sliceShare(slice, slice.calls_s - slice.init_s)} in calls, ${sliceExcess(slice)})`]),
    out.length > most ? `, and ${out.length - most} more.` : ".") : null,
    behindLater("time slices, as a table", ["from", "to", "user code", "balance", "waiting", "calls", "transfers", "rate", "largest wait state", "stands out"], () => slices.map((slice) => {
      const wait = sliceMost(slice);
      return [formatSeconds(slice.from_s), formatSeconds(slice.to_s), slice.efficiency === null ? "" : formatShare(slice.efficiency), slice.load_balance === null ? "" : slice.load_balance.toFixed(2),
        sliceShare(slice, slice.waits_s), slice.calls, slice.transfers, slice.bytes ? formatRate(slice.bytes / (slice.to_s - slice.from_s)) : "", wait ? patternTitle(wait.name) : "",
        slice.stands_out ? sliceExcess(slice) : ""];
    }))];
}

function slicesCanvas(slices, label, timeAt) {
  const canvas = element("canvas", { style: "height:52px", role: "img", "aria-label": label });
  canvas.addEventListener("pointermove", (event) => {
    const at = timeAt(event.offsetX), slice = slices.find((one) => at >= one.from_s && at < one.to_s);
    showTip(slice ? sliceText(slice) : "", event);
  });
  canvas.addEventListener("pointerleave", () => showTip(""));
  return canvas;
}

// Of a result without a time line.
function overTimeSection(input) {
  const { over_time: overTime } = input.data;
  if (!overTime || input.timeline) return null;
  const end = overTime.slices[overTime.slices.length - 1].to_s;
  const canvas = slicesCanvas(overTime.slices, "waiting and other time in calls of all ranks over the run", (pixel) => (pixel / canvas.clientWidth) * end);
  new ResizeObserver(() => {
    canvas.width = canvas.clientWidth;
    canvas.height = 52;
    drawSlices(canvas.getContext("2d"), overTime.slices, (time) => (time / end) * canvas.width, 43);
  }).observe(canvas);
  return section(`Over time, ${shortName(input.name)}`, canvas, slicesInWords(overTime, null));
}
