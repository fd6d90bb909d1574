// Three sentences about a run: how long, where most is lost and who caused it, what to do.
const occurring = (result) => result.patterns.filter((pattern) => pattern.severity_s > 0)
  .sort((a, b) => b.severity_s - a.severity_s);
const allTime = (result) => result.run_time_s * result.ranks;

function placeText(place) {
  const line = place.file ? ` (${place.file}${place.line ? `:${place.line}` : ""})` : "";
  return `${place.callpath || "the program"}${line}`;
}

function summarize(result) {
  const origin = result.origin === "simulated"
    ? `is predicted to take ${formatSeconds(result.run_time_s)} on ${result.platform || "the platform"} under semantics `
      + `${result.semantics}` : `took ${formatSeconds(result.run_time_s)}`;
  const sentences = [`The run of ${result.ranks} ranks ${origin}.`];
  const worst = occurring(result)[0];
  if (!worst) return [...sentences, "No rank waits for another one."];
  const place = worst.places[0];
  sentences.push(`The largest loss is ${patternTitle(worst.name)}: ${formatSeconds(worst.severity_s)} over all ranks, `
    + `${formatShare(worst.severity_s / allTime(result))} of their time`
    + (place ? `, most of it in ${placeText(place)} on rank ${place.rank}.` : "."));
  const cause = result.causes && result.causes.places && result.causes.places[0];
  if (cause && cause.share > 0)
    sentences.push(`${formatShare(cause.share)} of all waiting is caused by ${cause.activity} in `
      + `${placeText(cause)}, most by rank ${cause.rank}.`);
  if (worst.advice) sentences.push(`To reduce it: ${worst.advice}.`);
  return sentences;
}

function summarySection(input) {
  const result = input.data;
  const warnings = [...(result.incomplete ? ["The run is incomplete: it breaks off, or a part is left out."] : []),
    ...(result.left_out || []).map((part) => part.reason), ...(result.notes || [])];
  return section(`Summary of ${input.name}`,
    warnings.map((text) => element("p", { class: "warning" }, text)),
    element("p", { class: "summary" }, summarize(result).join(" ")));
}

// What advise found: changes that gain more than the error of their prediction.
function adviceSection(input) {
  const { changes, run_time_s: runTime } = input.data, advised = changes.filter((change) => change.advised);
  const best = advised[0];
  return section(`Advice ${input.name}`, element("p", { class: "summary" }, best
    ? `${best.row} saves ${formatSeconds(best.gain_s)} +- ${formatSeconds(best.error_s)} of ${formatSeconds(runTime)}, `
      + `${formatShare(best.gain_s / runTime)}. ${best.rewrites.map((rewrite) => `${rewrite.summary}.`).join(" ")}`
    : "No change gains more than the error of its prediction."),
  table(["change", "gain", "error", "of the run", ""], advised.map((change) => [change.row, formatSeconds(change.gain_s),
    formatSeconds(change.error_s), formatShare(change.gain_s / runTime), change.confirmed ? "" : "by the fast engine only"])));
}
