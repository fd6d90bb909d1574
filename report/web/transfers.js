// Who moves how much to whom, and between which bounds the rates are.
function sameTransfers(inputs) {
  const groups = new Map();
  for (const input of inputs) {
    const key = JSON.stringify(input.data.transfers.pairs.map((pair) => [pair.origin, pair.target, pair.bytes]));
    groups.set(key, [...(groups.get(key) || []), input]);
  }
  return [...groups.values()];
}

// Of runs that move the same.
function matrixSection(inputs) {
  const [input] = inputs, { pairs } = input.data.transfers, { ranks } = input.data;
  if (!pairs.length) return null;
  const bytes = new Map();
  for (const pair of pairs) bytes.set(pair.origin * ranks + pair.target, (bytes.get(pair.origin * ranks + pair.target) || 0) + pair.bytes);
  const most = Math.max(...bytes.values()), cells = Math.min(ranks, 128), each = ranks / cells, left = 44, top = 32;
  const size = Math.max(2, Math.min(36, Math.floor((Math.min(440, document.documentElement.clientWidth - 40) - left) / cells)));
  const width = left + cells * size + 1, height = top + cells * size + 1, ratio = window.devicePixelRatio || 1;
  const canvas = element("canvas", { width: width * ratio, height: height * ratio, role: "img", style: `width:${width}px;height:${height}px;cursor:default;border:0;background:none`,
    "aria-label": `bytes from each of ${ranks} origins to each target, at most ${formatBytes(most)}` });
  const context = canvas.getContext("2d"), shade = (share) => `rgba(31,95,168,${0.12 + 0.88 * Math.sqrt(share)})`;
  function draw() {
    const colors = getComputedStyle(document.documentElement), ink = colors.getPropertyValue("--ink"), line = colors.getPropertyValue("--line");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    for (const [key, value] of bytes) {
      const origin = Math.floor(key / ranks), target = key % ranks;
      context.fillStyle = shade(most > 0 ? value / most : 0);
      context.fillRect(left + Math.floor(target / each) * size, top + Math.floor(origin / each) * size, size, size);
    }
    context.strokeStyle = line;
    context.strokeRect(left + 0.5, top + 0.5, cells * size, cells * size);
    context.fillStyle = ink;
    context.font = "11px system-ui, sans-serif";
    context.fillText("target", left, 11);
    context.fillText("origin", 0, 25);
    const step = Math.ceil(26 / size);
    for (let cell = 0; cell < cells; cell += step) {
      const name = String(Math.floor(cell * each)), at = left + cell * size + 2;
      if (at + context.measureText(name).width <= width) context.fillText(name, at, 25);
      context.fillText(name, 12, top + cell * size + Math.min(size, 20) / 2 + 5);
    }
  }
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  canvas.addEventListener("pointermove", (event) => {
    const target = Math.floor(((event.offsetX - left) / size) * each), origin = Math.floor(((event.offsetY - top) / size) * each);
    const inside = target >= 0 && origin >= 0 && target < ranks && origin < ranks;
    showTip(inside ? `rank ${origin} to rank ${target}: ${formatBytes(bytes.get(origin * ranks + target) || 0)}` : "", event);
  });
  canvas.addEventListener("pointerleave", () => showTip(""));
  const rate = (bound) => (bound && bound.median ? formatRate(bound.median) : "unknown");
  return section(`Transfers of ${inputs.map(({ name }) => shortName(name)).join(" and ")}`,
    element("p", {}, `${counted(input.data.transfers.count, "transfer")}, ${formatBytes(input.data.transfers.bytes)} in all. `, swatch(shade(1), `${formatBytes(most)} between two ranks, paler where it is less.`)),
    canvas,
    behind(["origin", "target", "kind", "count", "bytes", "at least", "at most"], pairs.slice().sort((a, b) => b.bytes - a.bytes).slice(0, 500)
      .map((pair) => [pair.origin, pair.target, pair.kind, pair.count, formatBytes(pair.bytes), rate(pair.lower_bound_Bps), rate(pair.upper_bound_Bps)]), "the largest, as a table, with the bounds of their rates"));
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
