// Runs side by side: bars of run time with the waiting in them, and curves over the number of ranks.
function barChart(rows) {
  const width = 640, height = 26 * rows.length + 8, left = 150, most = Math.max(...rows.map((row) => row.high || row.value));
  const scale = (value) => (most > 0 ? (value / most) * (width - left - 110) : 0);
  return element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", style: "max-width:46rem;width:100%",
    "aria-label": rows.map((row) => `${row.name}: ${formatSeconds(row.value)}`).join(", ") },
  rows.map((row, i) => [
    element("text", { x: left - 6, y: 26 * i + 18, "text-anchor": "end" }, row.name.slice(0, 22)),
    element("rect", { class: "bar", x: left, y: 26 * i + 5, width: scale(row.value), height: 18 }),
    element("rect", { class: "bar wait", x: left, y: 26 * i + 14, width: scale(row.value * row.waiting), height: 9 }),
    row.high ? element("line", { class: "band", x1: left + scale(row.low), x2: left + scale(row.high), y1: 26 * i + 9, y2: 26 * i + 9 })
      : null,
    element("text", { x: left + scale(row.high || row.value) + 6, y: 26 * i + 18 }, formatSeconds(row.value)),
  ]).flat());
}

const waitingShare = (result) => Math.min(1, sum(result.patterns.map((pattern) => pattern.severity_s)) / (allTime(result) || 1));

function comparisonSection(title, rows, warnings) {
  const patterns = [...new Set(rows.flatMap((row) => occurring(row.result).map((pattern) => pattern.name)))];
  const first = rows[0].result.run_time_s;
  return section(title, (warnings || []).map((text) => element("p", { class: "warning" }, text)),
    barChart(rows.map((row) => ({ ...row, value: row.result.run_time_s, waiting: waitingShare(row.result) }))),
    element("p", { class: "soft" }, "Blue: run time. Red: the share of all ranks' time that is waiting."),
    table(["", "run time", "against the first", ...patterns.map(patternTitle)], rows.map((row) => [
      row.name, formatSeconds(row.result.run_time_s),
      row === rows[0] ? "" : `${row.result.run_time_s >= first ? "+" : ""}${(100 * (row.result.run_time_s / first - 1)).toFixed(1)} %`,
      ...patterns.map((name) => formatSeconds((row.result.patterns.find((pattern) => pattern.name === name) || {}).severity_s || 0)),
    ])));
}

function scalingChart(points, names) {
  const width = 640, height = 320, left = 70, top = 12;
  const ranks = [...new Set(points.map((point) => point.ranks))];
  const times = points.flatMap((point) => [point.run_time_low_s || point.run_time_s, point.run_time_high_s]).filter((time) => time > 0);
  const low = Math.log(Math.min(...times) * 0.95), high = Math.log(Math.max(...times) * 1.05);
  const x = (rank) => left + ((Math.log(rank) - Math.log(ranks[0])) / (Math.log(ranks[ranks.length - 1] / ranks[0]) || 1)) * (width - left - 90);
  const y = (time) => top + (1 - (Math.log(time) - low) / (high - low || 1)) * (height - top - 34);
  const lines = names.map((name, i) => {
    const own = points.filter((point) => point.semantics === name), color = activities[[7, 8, 3, 9, 5, 10, 2, 4][i % 8]][palette];
    const last = own[own.length - 1];
    return [element("path", { d: own.map((point, k) => `${k ? "L" : "M"}${x(point.ranks)} ${y(point.run_time_s)}`).join(""),
      fill: "none", stroke: color, "stroke-width": 2 }),
    ...own.map((point) => element("circle", { cx: x(point.ranks), cy: y(point.run_time_s), r: 3.5, fill: color })),
    element("text", { x: x(last.ranks) + 8, y: y(last.run_time_s) + 4 + 13 * (i - names.length / 2), fill: color }, name)];
  });
  return element("svg", { viewBox: `0 0 ${width} ${height}`, style: "max-width:46rem;width:100%", role: "img",
    "aria-label": "run time against the number of ranks" },
  element("line", { class: "axis", x1: left, x2: width - 80, y1: height - 22, y2: height - 22 }),
  ranks.map((rank) => element("text", { x: x(rank), y: height - 6, "text-anchor": "middle" }, rank)),
  [Math.min(...times), Math.max(...times)].map((time) =>
    element("text", { x: left - 6, y: y(time) + 4, "text-anchor": "end" }, formatSeconds(time))),
  lines.flat());
}

function scalingSection(input) {
  const { points, scaling, stops_paying: stops } = input.data;
  const names = [...new Set(points.map((point) => point.semantics))];
  const head = ["ranks", "semantics", "run time", "at least", "at most", "speed-up", "efficiency"];
  return section(`${scaling === "strong" ? "Strong" : "Weak"} scaling, ${input.name}`, scalingChart(points, names),
    stops.filter((stop) => stop.ranks).map((stop) => element("p", {}, `${stop.semantics}: more than ${stop.ranks} ranks do not pay.`)),
    table(head, points.map((point) => [point.ranks, point.semantics, formatSeconds(point.run_time_s),
      formatSeconds(point.run_time_low_s), formatSeconds(point.run_time_high_s), point.speedup.toFixed(2), formatShare(point.efficiency)])),
    element("details", {}, element("summary", {}, "the program that the runs have in common"), element("pre", {}, input.data.program)));
}

function comparisonInput(input) {
  const rows = input.data.results.map((result) => ({ name: result.row || `semantics ${result.semantics}`, result }));
  const warnings = [...(input.data.contradictions || []).map((contradiction) =>
    `The recording contradicts the platform's semantics: ${contradiction.text}.`),
  ...(input.data.failed || []).map((row) => `${row.row} failed: ${row.error}`),
  ...(input.data.semantics_matter === false ? ["No call of the trace can differ under a to d."] : [])];
  return rows.length ? comparisonSection(`Comparison ${input.name}`, rows, warnings) : null;
}
