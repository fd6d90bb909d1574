// What a stranger wants to know first: how long, where the time goes, what to do, who causes it, what else could be, how sure that
// is. Then three sentences about each run.
// Before the time of what may be no wait at all.
const atMost = (pattern) => (pattern.at_most ? "at most " : "");
const occurring = (result) => result.patterns.filter((pattern) => pattern.severity_s > 0)
  .sort((a, b) => b.severity_s - a.severity_s);
const allTime = (result) => result.run_time_s * result.ranks;

const lineOf = (place) => (place.file ? `${shortName(place.file)}${place.line ? `:${place.line}` : ""}` : "");
function placeText(place) {
  const line = lineOf(place);
  return `${shortName(place.callpath || "the program")}${line ? ` (${line})` : ""}`;
}
// "exchange, line halo.c:28"
function shortPlace(place) {
  const line = lineOf(place);
  return `${lastPart(shortName(place.callpath || "the program"))}${line ? `, line ${lastPart(line)}` : ""}`;
}

const isWorth = (result, loss) => loss && loss.severity_s >= worthAdvice * totalTime(result);

function summarize(result) {
  const origin = result.origin === "simulated"
    ? `is predicted to take ${formatSeconds(result.run_time_s)} on ${shortName(result.platform || "the platform")} under semantics `
      + `${result.semantics}` : isTimeless(result) ? `is ${result.origin}: its calls take no time, its computing ${formatSeconds(result.run_time_s)}`
      : `took ${formatSeconds(result.run_time_s)}`;
  const sentences = [`The run of ${result.ranks} ranks ${origin}.`], worst = occurring(result)[0], cause = causesOf(result)[0];
  if (takesTime(result)) {
    const [first] = functionsOf(explainedCalls([], result).places);
    sentences.push(mpiText(result));
    if (first) sentences.push(`The largest part of it is ${first.call} with ${shareOf(result, first.time_s)}.`);
  }
  if (!worst) return [...sentences, "No rank waits for another one."];
  if (!isWorth(result, worst)) return sentences;
  sentences.push(`The largest wait state is ${patternTitle(worst.name)}${meanings[worst.name] ? ` (${meanings[worst.name]})` : ""}: ${atMost(worst)}${formatSeconds(worst.severity_s)} over all ranks, `
    + `${shareOf(result, worst.severity_s)} of their time${worst.places[0] ? `, most of it in ${placeText(worst.places[0])}` : ""}.`);
  if (cause) sentences.push(`${formatShare(cause.share)} of all waiting is caused by ${cause.activity} in ${placeText(cause)}${mostOn(cause)}.`);
  if (worst.advice && isWorth(result, worst.places[0])) sentences.push(`To reduce it: ${worst.advice}.`);
  return sentences.map(withoutDirectories);
}

function summarySection(input) {
  const result = input.data;
  return section(`Summary of ${shortName(input.name)}`,
    (result.notes || []).map((text) => element("p", { class: "note" }, text)),
    element("p", { class: "summary" }, summarize(result).join(" ")));
}

// What stands above everything: inputs that do not show a whole run.
function incompleteWarnings(inputs) {
  return inputs.flatMap(({ name, data }) => [data, ...(data.results || []), ...(data.points || []).map((point) => point.result)].filter(Boolean)
    .flatMap((result) => {
      const whole = !result.incomplete && !(result.left_out || []).length;
      const reasons = (result.left_out || []).map((part) => part.reason);
      return whole ? [] : [`${shortName(name)} is incomplete: ${reasons.length ? reasons.slice(0, 3).join("; ")
        + (reasons.length > 3 ? ` and ${reasons.length - 3} more` : "") : "the run breaks off, or a part is left out"}.`];
    })).filter((text, i, all) => all.indexOf(text) === i);
}

const changeWords = words({ "post-early": "call MPI_Win_post earlier", "complete-early": "call MPI_Win_complete earlier", "wait-late": "call MPI_Win_wait later",
  "fence=pscw": "post, start, complete, wait instead of fences", "fence=notify": "fences that wait only for ranks with operations",
  "lock=lock_all": "one MPI_Win_lock_all instead of locks", "put=rput": "request-based operations", "merge-puts": "one put instead of neighbouring ones",
  "merge-gets": "one get instead of neighbouring ones", balance: "the same work on all ranks", "mpi.rma.progress=thread": "a progress thread",
  "mapping.round_robin=true": "ranks placed on nodes in turn", "mapping.round_robin=false": "ranks placed on nodes in blocks" });
function changeText(row) {
  const words = row.split("+").filter((word) => word !== "platform").map((word) => (waiters[word]
    ? `an MPI library where ${waiters[word]} (${word})` : changeWords[word] || shortName(word)));
  return words.length ? words.join(", and ") : "the platform as it is";
}
const isOfProgram = (change) => !/^[a-d](\+|$)|\+(mpi|mapping)\./.test(change.row);
const capital = (text) => (text ? text[0].toUpperCase() + text.slice(1) : text);
const gainText = (change, runTime) => `${formatWithError(change.gain_s, change.error_s)}, ${formatShare(change.gain_s / runTime)}`;
const ofText = (change, runTime) => `${formatWithError(change.gain_s, change.error_s)} of ${formatSeconds(runTime)} (${formatShare(change.gain_s / runTime)})`;
const savesText = (change, runTime) => `${capital(changeText(change.row))}: saves ${ofText(change, runTime)}.`;
const adviceText = (text) => `${capital(withoutDirectories(text))}.`;

// Which parts of the page a card is about: page.js gives the name as id to the first part of it. The card leads to the first that there is.
const cardParts = { "How long": ["Summary", "Scaling"], "Where the time goes": ["Calls"], "What to change": ["Advice", "Panels"], "Who causes it": ["Panels"],
  "Other libraries, other clusters": ["Comparison", "Advice", "Scaling", "Runs-side-by-side"], "How sure": ["Validation", "Campaign", "Comparison", "Scaling", "Summary"] };

// strong: one line or several; rest: texts and elements.
function card(title, strong, ...rest) {
  return element("div", { class: "card" }, element("h2", {}, title, cardParts[title] ? [" ", element("a", { href: "#", "data-card": title, "aria-label": `${title}: the part of the page` }, "\u2193")] : ""), [strong].flat().filter(Boolean).map((text) => element("p", { class: "strong" }, text)),
    rest.filter(Boolean).map((one) => (typeof one === "string" ? element("p", {}, one) : one)));
}
const ofSchema = (inputs, schema) => inputs.filter(({ data }) => data.schema === `rmacast.${schema}/1`);

// Of a prediction of other scales, the first point with most ranks.
const largestPoint = (inputs) => ofSchema(inputs, "scaling").flatMap(({ data }) => data.points).reduce((most, point) => (!most || point.ranks > most.ranks ? point : most), null);
// What the page is about: the recorded run, else a predicted one (calls of other runs have no times), the first of a comparison,
// or the largest scale.
function mainResult(inputs) {
  const runs = ofSchema(inputs, "result").map(({ data }) => data);
  const rows = ofSchema(inputs, "comparison").flatMap(({ data }) => data.results);
  const largest = largestPoint(inputs);
  return runs.find((run) => !isPredicted(run) && !isTimeless(run)) || runs.find(isPredicted) || runs[0] || rows[0] || (largest && largest.result && largest.result.patterns ? largest.result : null);
}
const isPredicted = (result) => result.origin === "simulated";
// Generated by a pattern or described by a program model: no run has given its calls their times.
const isTimeless = (result) => result.origin === "generated" || result.origin === "described";
const platformText = (result) => `${shortName(result.platform || "the platform")}${result.semantics ? `, ${rowTitle(result.semantics)}` : ""}`;

function howLongCard(inputs, result) {
  const runs = ofSchema(inputs, "result"), validation = ofSchema(inputs, "validation")[0], scaling = ofSchema(inputs, "scaling")[0];
  const last = largestPoint(inputs);
  if (!result && last) return card("How long", `${formatSeconds(last.run_time_s)} on ${last.ranks} ranks, predicted`, scalingText(scaling.data));
  if (!result && !validation) return null;
  if (!result) {
    const run = validation.data.run_time;
    return card("How long", `${formatSeconds(run.measured_s)} measured, ${formatSeconds(run.predicted_s)} predicted`,
      `${counted(validation.data.measured.length, "real run")} on ${validation.data.ranks} ranks.`);
  }
  return card("How long", `${formatSeconds(result.run_time_s)} on ${result.ranks} ranks${isPredicted(result) ? ", predicted" : ""}`,
    `${formatShare(waitingShare(result))} of the ranks' time is waiting.`,
    isPredicted(result) ? `On ${platformText(result)}.` : "",
    ...runs.filter(({ data }) => data !== result && isPredicted(data)).slice(0, 3)
      .map(({ data }) => `${formatSeconds(data.run_time_s)} predicted on ${platformText(data)}.`),
    last ? scalingText(scaling.data) : "");
}
function scalingText({ points }) {
  const { semantics } = points[0], of = points.filter((point) => point.semantics === semantics).slice(0, 8);
  return `By ranks, ${rowTitle(semantics)}: ${of.map((point) => `${point.ranks}: ${formatSeconds(point.run_time_s)}`).join(", ")}.`;
}

const causesOf = (result) => (result.causes && result.causes.places ? result.causes.places.filter((cause) => cause.share > 0) : []);
const causeText = (cause) => `${capital(shortName(cause.activity))} in ${shortPlace(cause)}${mostOn(cause)}`;
function causeCard(result) {
  const [first, second] = causesOf(result);
  if (!first || waitingShare(result) < worthAdvice) return null;
  return card("Who causes it", causeText(first), `While others waited it did that: ${formatSeconds(first.time_s)} or ${formatShare(first.share)} of all waiting.`,
    second ? `Next: ${causeText(second)}, ${formatShare(second.share)}.` : "");
}

// Where no replayed change is worth much: the work where it explains the waiting, else what the largest wait state says. A call
// that takes much longer than its waits and its transfer comes before a wait state that costs less.
function causeAdvice(inputs, result) {
  if (!result) return "";
  const worst = occurring(result)[0], cause = causesOf(result)[0], unbalanced = unbalancedText(result);
  if (unbalanced && (!worst || 2 * result.user_code.unbalanced_s >= worst.severity_s)) return `Balance the work: ${unbalanced}.`;
  const [first] = takesTime(result) ? functionsOf(explainedCalls(inputs, result).places) : [], left = (first && first.unexplained_s) || 0;
  if (left >= worthAdvice * totalTime(result) && (!worst || left > worst.severity_s))
    return `Find out why ${first.call} takes ${formatSeconds(left)} more than its wait states and its transfer: ${lostCores(result)}.`;
  if (!isWorth(result, worst)) return "";
  const most = ` The waits take ${shareOf(result, worst.severity_s)} of all ranks' time.`;
  if (worst.advice && isWorth(result, worst.places[0])) return adviceText(worst.advice) + most;
  return cause && cause.activity !== "computing" ? `Shorten what the others wait for: ${causeText(cause)}.` : "";
}

function changeCard(inputs, result) {
  const advice = ofSchema(inputs, "advice")[0], cause = causeAdvice(inputs, result);
  // What to do first; what else would do stands below.
  const at = cause.search(/,? or |: /), first = at > 0 ? `${cause.slice(0, at)}.` : cause, rest = at > 0 ? capital(cause.slice(at).replace(/^[,: ]+/, "")) : "";
  if (!advice) {
    return cause ? card("What to change", first, rest, "Worked out from the trace alone. rmacast advise predicts what a change gains.") : null;
  }
  const { changes, run_time_s: runTime } = advice.data, advised = changes.filter((change) => change.advised);
  const replayed = `${formatSeconds(runTime)}: the run replayed on ${shortName(advice.data.platform || "the platform")}.`;
  const nothing = "No change that was replayed gains more than its error.";
  if (!advised.length) return card("What to change", first || nothing, rest, cause ? `Worked out from the trace alone. ${nothing}` : "");
  const best = advised.find(isOfProgram) || advised[0], other = advised[0] !== best ? savesText(advised[0], runTime) : "";
  if (best.gain_s < 0.02 * runTime && cause)
    return card("What to change", first, rest, "Worked out from the trace alone.", savesText(best, runTime), other, replayed);
  return card("What to change", savesText(best, runTime), best.where ? `Most in ${withoutDirectories(best.where)}.` : "", other, replayed);
}

// Of each semantics, or else platform: [name, run time].
function alternatives(inputs) {
  const comparison = ofSchema(inputs, "comparison").find(({ data }) => data.results.length > 1), advice = ofSchema(inputs, "advice")[0];
  if (comparison) {
    const { results } = comparison.data;
    return { place: shortName(results[0].platform || "the platform"), rows: results.map((result) => [rowTitle(result.row || result.semantics), result.run_time_s]),
      same: comparison.data.semantics_matter === false 
        || (comparison.data.differences || [{ tells: true }]).every(({ tells }) => !tells) };
  }
  const letters = advice ? advice.data.changes.filter((change) => waiters[change.row] && change.gain_s !== null) : [];
  if (letters.length > 1)
    return { place: shortName(advice.data.platform || "the platform"), same: false, rows: letters.sort((a, b) => (a.row < b.row ? -1 : 1))
      .map((change) => [rowTitle(change.row), advice.data.run_time_s - change.gain_s]) };
  const points = ofSchema(inputs, "scaling").flatMap(({ data }) => data.points), most = Math.max(...points.map(({ ranks }) => ranks));
  const largest = points.filter(({ ranks }) => ranks === most);
  const { fastest = [] } = (ofSchema(inputs, "scaling")[0] || { data: {} }).data; // within the error
  if (largest.length > 1) return { place: `${most} ranks`, same: largest.every(({ semantics }) => fastest.some((one) => one.ranks === most && one.semantics === semantics)), rows: largest.map((point) => [rowTitle(point.semantics), point.run_time_s]) };
  const predicted = ofSchema(inputs, "result").filter(({ data }) => isPredicted(data));
  return predicted.length > 1 ? { place: "", same: false, rows: predicted.map(({ data }) => [platformText(data), data.run_time_s]) } : null;
}
function alternativesCard(inputs, result) {
  const found = alternatives(inputs);
  if (!found) return result && !isPredicted(result) ? card("Elsewhere", "Not on this page",
    "rmacast compare TRACE --platform FILE --json FILE predicts the run on another cluster, by each behaviour of MPI libraries; give the file to rmacast report.") : null;
  const { rows, place, same } = found, [, first] = rows[0], best = rows.reduce((least, row) => (row[1] < least[1] ? row : least));
  const less = first > 0 ? 1 - best[1] / first : 0;
  const strong = same || less < 0.001 ? `${same ? "a to d make" : "It makes"} no difference` : `${best[0]}: ${formatShare(less)} less`;
  return card("Other libraries, other clusters", strong, place ? `Predicted on ${place}; run times:` : "", barChart(rows.slice(0, 8).map(([name, value]) => ({ name, value, waiting: 0 }))));
}

function sureCard(inputs, result) {
  const error = predictionError(inputs), widest = largestPoint(inputs);
  const disturbance = result && result.disturbance && result.disturbance.waited_s > 0.01 * (result.disturbance.computing_s || 1) ? result.disturbance : null;
  const sure = [...inputs.map(({ data }) => data), ...ofSchema(inputs, "comparison").flatMap(({ data }) => data.results)].find((data) => data.error_s > 0 && data.run_time_s);
  const strong = error ? `Predictions were ${formatShare(error.share)} off at worst`
    : sure ? `Predicted ${formatSeconds(sure.run_time_s)} ± ${formatSeconds(sure.error_s)}` : result && isTimeless(result) ? `${result.origin[0].toUpperCase()}${result.origin.slice(1)}, without times`
    : result && !isPredicted(result) ? `Measured${disturbance ? ", but disturbed" : ""}` : "Predicted, not checked";
  const why = !error && result && isTimeless(result) ? "Its calls take no time: simulate it first." : error ? `Against real runs: ${error.why}.` : sure || !result || isPredicted(result)
    ? `${sure ? `Nine of ten runs lie so close: ${errorPartsText(sure.error_parts)}. ` : ""}Nothing here compares a prediction with a real run; rmacast validate does.` : "Times are those of the recording.";
  const disturbed = disturbance ? `The recording was disturbed: ${formatShare(disturbance.share)} of computing time was waiting for a core${disturbance.more_ranks_than_cores ? ", as there were more ranks than cores" : ""}.` : "";
  const contradictions = ofSchema(inputs, "comparison").flatMap(({ data }) => data.contradictions || []);
  const steered = [...inputs.map(({ data }) => data), ...ofSchema(inputs, "comparison").flatMap(({ data }) => data.results),
    ...ofSchema(inputs, "scaling").flatMap(({ data }) => data.points.map((point) => point.result || {}))].some((part) => part.error_class === "steered");
  if (!result && !error && !widest && !sure) return null;
  return card("How sure", strong, why, widest && widest.run_time_low_s ? `${widest.ranks} ranks take ${formatSeconds(widest.run_time_low_s)} to ${formatSeconds(widest.run_time_high_s)}, `
    + "by how well the given runs are met." : "", disturbed,
  steered ? "Results of fetching operations may decide which calls the program makes: a run may make others than are replayed." : "", incompleteWarnings(inputs).length ? "A part of the input is missing: see above." : "",
    contradictions.length ? `The recording contradicts the platform: ${shortName(contradictions[0].text)}.` : "");
}

function firstScreen(inputs) {
  const result = mainResult(inputs);
  const cards = [howLongCard(inputs, result), result && timeCard(inputs, result), changeCard(inputs, result), result && causeCard(result),
    alternativesCard(inputs, result), sureCard(inputs, result)].filter(Boolean);
  return cards.length ? element("div", { class: "cards" }, cards) : null;
}

// Whether messages would better be one-sided communication: the best of the rows that rewrite all of them.
function oneSidedText(changes, runTime) {
  const found = changes.filter((change) => change.gain_s !== null && /^[^+]*\+p2p=[^+]*$/.test(change.row));
  if (!found.length) return null;
  const best = found.reduce((most, change) => (change.gain_s > most.gain_s ? change : most));
  return `One-sided instead of messages: the best, ${best.row.replace(/^.*\+/, "")}, is ${formatShare(Math.abs(best.gain_s) / runTime)} ± ${formatShare(best.error_s / runTime)} `
    + `${best.gain_s > 0 ? "faster" : "slower"}${best.advised ? "" : ": no reason to change"}.`;
}

// What advise found: changes that gain more than the error of their prediction.
function adviceSection(input) {
  const { changes, run_time_s: runTime } = input.data, advised = changes.filter((change) => change.advised);
  const most = Math.max(0, ...advised.map((change) => change.gain_s + change.error_s)), oneSided = oneSidedText(changes, runTime);
  return section(`Advice ${shortName(input.name)}`, advised.length
    ? [element("p", { class: "soft" }, `What each change saves of ${formatSeconds(runTime)}, the run replayed as it is; bracket: the error.`),
      element("div", { class: "bars wide", role: "img", "aria-label": advised.map((change) => `${change.row} saves ${gainText(change, runTime)}`).join("; ") },
      advised.map((change) => [element("span", { class: "name" }, capital(changeText(change.row))),
        element("span", { class: "track" }, element("i", { class: "run", style: `width:${(100 * change.gain_s) / most}%` }),
          element("i", { class: "error", style: `left:${(100 * Math.max(0, change.gain_s - change.error_s)) / most}%;width:${(200 * change.error_s) / most}%` })),
        element("span", { class: "value" }, gainText(change, runTime))]).flat())]
    : element("p", {}, "No change gains more than the error of its prediction."),
  oneSided ? element("p", {}, oneSided) : null,
  advised.length ? behind(["change", "gain", "error", "of the run", "what it moves", "where most is lost", ""], advised.map((change) => [change.row, formatSeconds(change.gain_s),
    `± ${formatSeconds(change.error_s)}`, formatShare(change.gain_s / runTime), change.rewrites.map((rewrite) => rewrite.summary).join("; "),
    withoutDirectories(change.where || ""), change.confirmed ? "" : "by the fast engine only"]), "as a table, with the calls that move") : null,
  behind(["not advised", "why"], changes.filter((change) => !change.advised).map((change) => [change.row,
    change.reason || (change.gain_s === null ? "not replayed" : `gains ${formatWithError(change.gain_s, change.error_s)}, or no more than a part of it`)]),
  "what was tried and is not advised"));
}
