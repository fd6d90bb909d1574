// Runs side by side: bars of run time with the waiting in them, and curves over the number of ranks.

// How wrong predictions were, and where: what validations here say. Without one a prediction has the error that it states itself.
function predictionError(inputs) {
  const shares = [];
  for (const { name, data } of inputs) {
    if (data.schema === "rmacast.validation/1" && Number.isFinite(data.run_time.relative)) shares.push([Math.abs(data.run_time.relative), name]);
    if (data.schema === "rmacast.campaign-result/1" && data.summary.worst > 0) shares.push([data.summary.worst, name]);
  }
  if (shares.length) {
    const [share, name] = shares.reduce((worst, one) => (one[0] > worst[0] ? one : worst));
    return { share, why: `the largest error of the validations here (${shortName(name)})` };
  }
  return null;
}
// Half of the band of a predicted run time; 0: measured, or not known.
const errorOf = (result, error) => (!isPredicted(result) ? 0 : error ? error.share * result.run_time_s : result.error_s || 0);
// "recording 3 ms, model 9 ms; unknown: races"
function errorPartsText(parts) {
  const of = Object.entries(parts || {}), unknown = of.filter(([, value]) => value === null).map(([name]) => name);
  return [of.filter(([, value]) => value).map(([name, value]) => `${name} ${formatSeconds(value)}`).join(", "),
    unknown.length ? `unknown: ${unknown.join(", ")}` : ""].filter(Boolean).join("; ");
}

function barChart(rows) {
  const most = Math.max(...rows.map((row) => row.high || row.value)), percent = (value) => `${most > 0 ? (100 * value) / most : 0}%`;
  return element("div", { class: "bars", role: "img", "aria-label": rows.map((row) => `${shortName(row.name)}: ${formatSeconds(row.value)}`).join(", ") },
    rows.map((row) => [element("span", { class: "name" }, shortName(row.name)),
      element("span", { class: "track" }, element("i", { class: "run", style: `width:${percent(row.value)}` }),
        element("i", { class: "lost", style: `width:${percent(row.value * row.waiting)}` }),
        row.high ? element("i", { class: "error", style: `left:${percent(row.low)};width:${percent(row.high - row.low)}` }) : null),
      element("span", { class: "value" }, formatSeconds(row.value))]).flat());
}

// What a semantics does, in words.
const waiters = words({ a: "start waits", b: "the put or get waits", c: "complete waits", d: "nobody waits" });
const rowTitle = (row) => (waiters[row] ? `${row}: ${waiters[row]}` : row);

const waitingShare = (result) => Math.min(1, sum(result.patterns.filter(({ name }) => !partOf[name]).map((pattern) => pattern.severity_s)) / totalTime(result));

function comparisonSection(title, rows, warnings, error, about) {
  const patterns = [...new Set(rows.flatMap((row) => occurring(row.result).map((pattern) => pattern.name)))];
  const first = rows[0].result.run_time_s, banded = rows.some((row) => errorOf(row.result, error) > 0);
  const band = ({ result }) => (errorOf(result, error) > 0
    ? { low: Math.max(0, result.run_time_s - errorOf(result, error)), high: result.run_time_s + errorOf(result, error) } : {});
  return section(title, (warnings || []).map((text) => element("p", { class: "warning" }, text)),
    about ? element("p", {}, about) : null,
    barChart(rows.map((row) => ({ ...row, ...band(row), value: row.result.run_time_s, waiting: waitingShare(row.result) }))),
    element("p", { class: "soft" }, swatch("var(--accent)", "run time, "), swatch("var(--bad)", "of it waiting (the share of all ranks' time). ")
      , (banded ? `Bracket: error of the prediction, ${error ? `${formatShare(error.share)}, ${error.why}` : "as it states it"}. Where brackets overlap it is `
        + "not sure which run is faster, unless the predictions are wrong alike." : "")),
    table(["", "run time", ...(banded ? ["error"] : []), "against the first", ...patterns.map(patternTitle)], rows.map((row) => [
      shortName(row.name), formatSeconds(row.result.run_time_s),
      ...(banded ? [!isPredicted(row.result) ? "measured" : errorOf(row.result, error) > 0 ? `± ${formatSeconds(errorOf(row.result, error))}` : "unknown"] : []),
      row === rows[0] || !(first > 0) ? "" : `${row.result.run_time_s >= first ? "+" : ""}${(100 * (row.result.run_time_s / first - 1)).toFixed(1)} %`,
      ...patterns.map((name) => formatSeconds((row.result.patterns.find((pattern) => pattern.name === name) || {}).severity_s || 0)),
    ])));
}

function scalingSection(input) {
  const { points, scaling, stops_paying: stops, replays = [] } = input.data;
  const ticks = [...new Set([...points, ...replays].map((point) => point.ranks))].sort((a, b) => a - b);
  const names = [...new Set(points.map((point) => point.semantics))];
  const [fast, key] = scaling === "strong" ? ["speed-up", "speedup"] : ["efficiency", "efficiency"];
  const unit = points.find((point) => point.speedup === 1);
  const head = ["ranks", "semantics", "run time", "at least", "at most", "speed-up", "efficiency"];
  return section(`${scaling === "strong" ? "Strong" : "Weak"} scaling, ${shortName(input.name)}`,
    plot({ label: "run time against the number of ranks", xName: "ranks", yName: "Run time, with the band of its error.", xFormat: String, yFormat: formatSeconds,
      xTicks: ticks,
      series: [...names.map((name) => ({ name: rowTitle(name), line: true, points: points.filter((point) => point.semantics === name)
        .map((point) => [point.ranks, point.run_time_s, point.run_time_low_s, point.run_time_high_s]) })),
      ...(replays.length ? [{ name: "measured", large: true, points: replays.map((run) => [run.ranks, run.measured_s]) }] : [])] }),
    plot({ label: `${fast} against the number of ranks`, xName: "ranks", yName: `${fast[0].toUpperCase()}${fast.slice(1)}, against ${counted(ticks[0], "rank")}.`, xFormat: String, yFormat: (value) => String(Number(value.toPrecision(3))),
      xTicks: ticks, series: [...names.map((name) => ({ name: rowTitle(name), line: true, points: points.filter((point) => point.semantics === name && point[key] > 0).map((point) => [point.ranks, point[key]]) })),
      ...(key === "speedup" && unit ? [{ name: "without loss", line: true, plain: true, points: ticks.map((ranks) => [ranks, ranks / unit.ranks]) }] : [])] }),
    [...new Set(stops.map((stop) => stop.ranks))].filter((ranks) => ranks).map((ranks) => element("p", {}, `${stops.filter((stop) => stop.ranks === ranks)
      .map((stop) => stop.semantics).join(", ")}: more than ${ranks} ranks do not pay.`)),
    table(head, points.map((point) => [point.ranks, point.semantics, formatSeconds(point.run_time_s),
      formatSeconds(point.run_time_low_s), formatSeconds(point.run_time_high_s), Number(point.speedup).toFixed(2), formatShare(point.efficiency)])),
    element("details", {}, element("summary", {}, "the program that the runs have in common"), element("pre", { class: "scroll" }, input.data.program)));
}

const sameUnderAll = "No call of the trace can differ under a to d: they differ in who waits for another rank's MPI_Win_post.";

function comparisonInput(input, error) {
  const rows = input.data.results.map((result) => ({ name: rowTitle(result.row || result.semantics), result }));
  const warnings = [...(input.data.contradictions || []).map((contradiction) =>
    `The recording contradicts the platform's semantics: ${contradiction.text}.`),
  ...(input.data.failed || []).map((row) => `${row.row} failed: ${row.error}`)];
  return rows.length ? comparisonSection(`Comparison ${shortName(input.name)}`, rows, warnings, error,
    input.data.semantics_matter === false ? sameUnderAll : rows.some(({ result }) => waiters[result.row || result.semantics])
      ? "a to d are blocking behaviours: they differ in who waits for the target's MPI_Win_post. MPI-4.1 forbids b, MPI-4.0 allows it." : "") : null;
}
