// How far predictions can be trusted: validations, campaigns of them, and the points and lines of a calibration.
const signedShare = (share) => (Number.isFinite(share) ? `${share >= 0 ? "+" : ""}${(100 * share).toFixed(1)} %` : "unknown");

function validationSection(input) {
  const { data } = input, { run_time: run } = data, patterns = data.patterns.filter((one) => one.predicted_s > 0 || one.measured_s > 0);
  const rows = [["run time", run], ...patterns.map((one) => [patternTitle(one.name), one])];
  const calls = data.calls ? data.calls.callpaths.slice(0, 12) : [];
  return section(`Validation ${shortName(input.name)}`,
    element("p", { class: "summary" }, `Predicted ${formatSeconds(run.predicted_s)}, measured ${formatSeconds(run.measured_s)} `
      + `(${data.measured.length} ${data.measured.length === 1 ? "run" : `runs, ${formatSeconds(run.measured_min_s)} to ${formatSeconds(run.measured_max_s)}`}): `
      + `error ${signedShare(run.relative)}${run.within_spread ? ", within the spread of the runs" : ""}.`),
    plot({ label: "predicted against measured", xName: "measured", yName: "Predicted, against measured from left to right; on the line both are the same.",
      xFormat: formatSeconds, yFormat: formatSeconds, diagonal: true, series: [
        { name: "time of a rank", points: data.rank_time.map((one) => [one.measured_s, one.predicted_s]) },
        { name: "wait state", points: patterns.map((one) => [one.measured_s, one.predicted_s]) },
        { name: "call path", points: calls.map((one) => [one.measured_s, one.predicted_s]) },
        { name: "run time", large: true, points: [[run.measured_s, run.predicted_s]] }] }),
    table(["", "predicted", "measured", "least", "most", "error"], rows.map(([name, one]) => [name, formatSeconds(one.predicted_s),
      formatSeconds(one.measured_s), formatSeconds(one.measured_min_s), formatSeconds(one.measured_max_s), signedShare(one.relative)])),
    calls.length ? behind(["call path", "calls", "predicted", "measured", "share of the error"], calls.map((one) => [
      `${shortName(one.callpath)}/${one.function}`, one.count, formatSeconds(one.predicted_s), formatSeconds(one.measured_s), formatShare(one.share)])) : null);
}

function campaignSection(input) {
  const { data } = input, { summary, rows } = data, programs = [...new Set(rows.map((row) => row.program))];
  return section(`Campaign ${shortName(input.name)}`,
    element("p", { class: "summary" }, `${counted(summary.rows, "prediction")} against runs: error ${signedShare(summary.median)} in the median, `
      + `${signedShare(summary.worst)} at worst; ${summary.within_spread} within the spread of their runs. ${data.date}, ${data.machine.processor}.`),
    data.failed ? element("p", { class: "warning" }, `${counted(data.failed, "program")} of the campaign failed.`) : null,
    plot({ label: "predicted against measured", xName: "measured", yName: "Predicted, against measured from left to right; on the line both are the same.",
      xFormat: formatSeconds, yFormat: formatSeconds, diagonal: true,
      series: programs.map((name) => ({ name, points: rows.filter((row) => row.program === name).map(({ part }) => [part.measured_s, part.predicted_s]) })) }),
    table(["program", "bytes", "ranks", "semantics", "predicted", "measured", "error", "spread"], rows.map((row) => [row.program, row.bytes, row.ranks, row.semantics,
      formatSeconds(row.part.predicted_s), formatSeconds(row.part.measured_s), signedShare(row.part.relative), formatShare(row.part.spread)])));
}

const valueOf = (number) => (number && typeof number === "object" ? number.value : number);

function calibrationSection(input) {
  const { data } = input, own = data.$calibration || {}, titles = { put: "put and flush", get: "get and flush", accumulate: "accumulate and flush", ping_pong: "half a ping-pong" };
  const places = [["between", "between nodes"], ["within", "within a node"]].filter(([key]) => own[key] && Object.values(own[key]).some((curve) => (curve.points || []).length));
  const parts = places.map(([key, title]) => {
    const curves = Object.keys(titles).filter((name) => own[key][name] && (own[key][name].points || []).length);
    const fitOf = (curve) => curve.points.filter((point) => (curve.segments || []).length).map((point) => {
      const segment = curve.segments.find((one) => point.bytes >= valueOf(one.from_bytes) && point.bytes <= valueOf(one.upto_bytes));
      return [Math.max(point.bytes, 1), segment ? valueOf(segment.intercept_s) + valueOf(segment.s_per_byte) * point.bytes : 0];
    });
    const rows = curves.flatMap((name) => (own[key][name].segments || []).map((one) => [titles[name], formatBytes(valueOf(one.from_bytes)),
      formatBytes(valueOf(one.upto_bytes)), formatSeconds(valueOf(one.intercept_s)), formatRate(1 / valueOf(one.s_per_byte))]));
    return [element("h3", {}, title), plot({ label: `measured and fitted times ${title}`, xName: "bytes", yName: "Time, measured (points) and fitted (lines).",
      xFormat: formatBytes, yFormat: formatSeconds, xTicks: [1, 16, 256, 4096, 65536, 2 ** 20, 2 ** 24, 2 ** 28], series: curves.map((name) => ({ name: titles[name],
        points: own[key][name].points.map((point) => [Math.max(point.bytes, 1), valueOf(point.used_s)]), fit: fitOf(own[key][name]) })) }), table(["", "from", "to", "at 0 bytes", "rate"], rows)];
  });
  const notes = own.notes || [];
  return section(`Platform ${shortName(data.name || input.name)}`, parts.length ? parts.flat() : element("p", {}, "Described by hand: the file holds no measured points."),
    notes.length ? element("details", {}, element("summary", {}, `${counted(notes.length, "note")} of the calibration`), notes.map((text) => element("p", {}, text))) : null);
}
