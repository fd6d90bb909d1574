// Who moves how much to whom, and between which bounds the rates are.
function matrixSection(input) {
  const { pairs } = input.data.transfers, { ranks } = input.data;
  if (!pairs.length) return null;
  const bytes = new Map();
  for (const pair of pairs) bytes.set(pair.origin * ranks + pair.target, (bytes.get(pair.origin * ranks + pair.target) || 0) + pair.bytes);
  const most = Math.max(...bytes.values()), cells = Math.min(ranks, 128), size = Math.max(4, Math.floor(440 / cells));
  const canvas = element("canvas", { width: cells * size, height: cells * size, role: "img", style: `width:${cells * size}px;cursor:default`,
    "aria-label": `bytes from each of ${ranks} origins to each target, at most ${formatBytes(most)}` });
  const context = canvas.getContext("2d");
  for (const [key, value] of bytes) {
    const origin = Math.floor(key / ranks), target = key % ranks;
    context.fillStyle = `hsl(212 70% ${88 - 60 * Math.sqrt(most > 0 ? value / most : 0)}%)`;
    context.fillRect(Math.floor((target * cells) / ranks) * size, Math.floor((origin * cells) / ranks) * size, size - 1, size - 1);
  }
  canvas.addEventListener("pointermove", (event) => {
    const target = Math.floor((event.offsetX / size) * (ranks / cells)), origin = Math.floor((event.offsetY / size) * (ranks / cells));
    showTip(`rank ${origin} to rank ${target}: ${formatBytes(bytes.get(origin * ranks + target) || 0)}`, event);
  });
  canvas.addEventListener("pointerleave", () => showTip(""));
  const rate = (bound) => (bound && bound.median ? formatRate(bound.median) : "unknown");
  return section(`Transfers of ${shortName(input.name)}`,
    element("p", {}, `${counted(input.data.transfers.count, "transfer")}, ${formatBytes(input.data.transfers.bytes)}; origins from top to bottom, `
      + "targets from left to right."), canvas,
    behind(["origin", "target", "kind", "count", "bytes", "at least", "at most"], pairs.slice().sort((a, b) => b.bytes - a.bytes).slice(0, 500)
      .map((pair) => [pair.origin, pair.target, pair.kind, pair.count, formatBytes(pair.bytes), rate(pair.lower_bound_Bps), rate(pair.upper_bound_Bps)])));
}

// True rate against the bounds, on logarithmic axes; of predicted runs.
function boundsSection(input) {
  const known = input.timeline && input.timeline.calls ? input.timeline.transfers.filter((transfer) => transfer[5] > transfer[2] && transfer[6] > 0) : [];
  if (!known.length) return null;
  const rows = known.slice(0, 1500).map(([, , start, lower, upper, end, bytes]) => ({
    truth: bytes / ((end - start) * 1e-12), most: lower > start ? bytes / ((lower - start) * 1e-12) : null,
    least: upper > start ? bytes / ((upper - start) * 1e-12) : null }));
  return section(`Bounds of the transfers of ${shortName(input.name)}`,
    element("p", {}, `${input.data.transfers.within_bounds} of ${input.data.transfers.count} transfers are within the bounds that the calls allow.`),
    plot({ label: "bounds against true rates", xName: "true rate", yName: "Least and greatest rate that the calls allow, against the true rate from left to right.",
      xFormat: formatRate, yFormat: formatRate, diagonal: true, series: [{ name: "transfer", points: rows.map((row) => [row.truth, row.truth, row.least || row.truth, row.most || row.truth]) }] }),
    behind(["true rate", "at least", "at most"], rows.slice(0, 300).map((row) => [row.truth, row.least, row.most].map((rate) => (rate ? formatRate(rate) : "unknown")))));
}
