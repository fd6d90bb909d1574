// What a stranger wants to know first: how long, where most is lost, what to do. Then three sentences about each run.
const occurring = (result) => result.patterns.filter((pattern) => pattern.severity_s > 0)
  .sort((a, b) => b.severity_s - a.severity_s);
const allTime = (result) => result.run_time_s * result.ranks;

const lineOf = (place) => (place.file ? `${shortName(place.file)}${place.line ? `:${place.line}` : ""}` : "");
function placeText(place) {
  const line = lineOf(place);
  return `${shortName(place.callpath || "the program")}${line ? ` (${line})` : ""}`;
}

function summarize(result) {
  const origin = result.origin === "simulated"
    ? `is predicted to take ${formatSeconds(result.run_time_s)} on ${shortName(result.platform || "the platform")} under semantics `
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

const changeWords = { "post-early": "call MPI_Win_post earlier", "complete-early": "call MPI_Win_complete earlier", "wait-late": "call MPI_Win_wait later",
  "fence=pscw": "post, start, complete, wait instead of fences", "fence=notify": "fences that wait only for ranks with operations",
  "lock=lock_all": "one MPI_Win_lock_all instead of locks", "put=rput": "request-based operations", "merge-puts": "one put instead of neighbouring ones" };
function changeText(row) {
  const words = row.split("+").filter((word) => word !== "platform").map((word) => (/^[a-d]$/.test(word)
    ? `an MPI library with blocking semantics ${word}` : changeWords[word] || shortName(word)));
  return words.length ? words.join(", and ") : "the platform as it is";
}
const isOfProgram = (change) => !/^[a-d](\+|$)/.test(change.row);
const gainText = (change, runTime) => `${formatWithError(change.gain_s, change.error_s)}, ${formatShare(change.gain_s / runTime)} of the run`;

// Where: the wait states whose advice this change is.
function whereText(change, runs) {
  const names = change.row.split("+").filter((word) => !/^([a-d]|platform)$/.test(word));
  const advised = runs.flatMap(({ data }) => occurring(data)).find((pattern) => pattern.advice
    && names.some((name) => String(pattern.rows || "").includes(name)));
  return advised ? `${advised.advice[0].toUpperCase()}${advised.advice.slice(1)}.` : "";
}

// strong: one line or several.
function card(title, strong, ...rest) {
  return element("div", { class: "card" }, element("h2", {}, title), [strong].flat().filter(Boolean).map((text) => element("p", { class: "strong" }, text)),
    rest.filter(Boolean).map((text) => element("p", {}, text)));
}

const capital = (text) => (text ? text[0].toUpperCase() + text.slice(1) : text);
const savesText = (change, runTime) => `${capital(changeText(change.row))}: saves ${gainText(change, runTime)}`;

// Where no replayed change is worth much, the cause of the largest loss is what to look at.
function causeAdvice(runs) {
  const result = runs.length ? runs[0].data : null, worst = result && occurring(result)[0];
  if (!worst) return "";
  return worst.advice ? `${capital(worst.advice)}.` : causeText(result);
}

function bestChangeCard(inputs, runs) {
  const advice = inputs.find(({ data }) => data.schema === "rmacast.advice/1");
  if (!advice) {
    const worst = runs.map(({ data }) => occurring(data)[0]).find((pattern) => pattern && pattern.advice);
    return worst ? card("What to change", capital(worst.advice), "Worked out from the trace alone: rmacast advise predicts what a change gains.") : null;
  }
  const { changes, run_time_s: runTime } = advice.data, advised = changes.filter((change) => change.advised);
  const nothing = "No change that was replayed gains more than its error.", cause = causeAdvice(runs);
  const replayed = `Replayed where the platform as it is takes ${formatSeconds(runTime)}.`;
  if (!advised.length) return card("What to change", cause || nothing, cause ? `Worked out from the trace alone. ${nothing}` : "");
  const best = advised.find(isOfProgram) || advised[0], other = advised[0] !== best ? `${savesText(advised[0], runTime)}.` : "";
  if (best.gain_s < 0.02 * runTime && cause)
    return card("What to change", cause, "Worked out from the trace alone.", `${savesText(best, runTime)}.`, other, replayed);
  return card("What to change", savesText(best, runTime), whereText(best, runs), other, replayed);
}

function firstScreen(inputs) {
  const runs = inputs.filter(({ data }) => data.schema === "rmacast.result/1");
  const recorded = runs.find(({ data }) => data.origin !== "simulated") || runs[0];
  const predicted = runs.filter((run) => run !== recorded && run.data.origin === "simulated");
  const cards = [];
  if (recorded) {
    const result = recorded.data, worst = occurring(result)[0], place = worst && worst.places[0];
    cards.push(card("How long", `${formatSeconds(result.run_time_s)} on ${result.ranks} ranks${result.origin === "simulated" ? ", predicted" : ""}`,
      `${formatShare(waitingShare(result))} of the ranks' time is waiting.${initText(result)}`,
      ...predicted.slice(0, 3).map(({ data }) => `${formatSeconds(data.run_time_s)} predicted on ${shortName(data.platform || "the platform")}, semantics ${data.semantics}.`)));
    const share = worst && `${formatShare(worst.severity_s / allTime(result))} of all ranks' time`, line = place ? lineOf(place).split("/").pop() : "";
    cards.push(worst ? card("Largest loss", line ? [`${patternTitle(worst.name)}, line ${line}`, share] : `${patternTitle(worst.name)}, ${share}`,
      `${formatSeconds(worst.severity_s)} over all ranks${place ? `, in ${placeText(place)}; most on rank ${place.rank}` : ""}.`,
      causeText(result)) : card("Largest loss", "No rank waits for another one."));
  }
  cards.push(bestChangeCard(inputs, runs));
  return element("div", { class: "cards" }, cards.filter(Boolean));
}

function initText(result) {
  const share = result.properties_exclusive ? result.properties_exclusive.init_finalize_s / (allTime(result) || 1) : 0;
  return share > 0.05 ? ` ${formatShare(share)} is MPI_Init and MPI_Finalize.` : "";
}

function causeText(result) {
  const cause = result.causes && result.causes.places && result.causes.places[0];
  return cause && cause.share > 0 ? `Caused most by ${cause.activity} in ${placeText(cause)}, rank ${cause.rank} (${formatShare(cause.share)} of all waiting).` : "";
}

// What advise found: changes that gain more than the error of their prediction.
function adviceSection(input) {
  const { changes, run_time_s: runTime } = input.data, advised = changes.filter((change) => change.advised);
  const most = Math.max(0, ...advised.map((change) => change.gain_s + change.error_s));
  return section(`Advice ${shortName(input.name)}`, advised.length
    ? element("div", { class: "bars", role: "img", "aria-label": advised.map((change) => `${change.row} saves ${gainText(change, runTime)}`).join("; ") },
      advised.map((change) => [element("span", { class: "name" }, change.row),
        element("span", { class: "track" }, element("i", { class: "run", style: `width:${(100 * change.gain_s) / most}%` }),
          element("i", { class: "error", style: `left:${(100 * Math.max(0, change.gain_s - change.error_s)) / most}%;width:${(200 * change.error_s) / most}%` })),
        element("span", { class: "value" }, formatSeconds(change.gain_s))]).flat())
    : element("p", {}, "No change gains more than the error of its prediction."),
  advised.length ? table(["change", "gain", "error", "of the run", "what it is", ""], advised.map((change) => [change.row, formatSeconds(change.gain_s),
    `± ${formatSeconds(change.error_s)}`, formatShare(change.gain_s / runTime), [changeText(change.row), ...change.rewrites.map((rewrite) => rewrite.summary)].join(": "),
    change.confirmed ? "" : "by the fast engine only"])) : null,
  behind(["not advised", "why"], changes.filter((change) => !change.advised).map((change) => [change.row,
    change.reason || (change.gain_s === null ? "not replayed" : `gains ${formatWithError(change.gain_s, change.error_s)}, or no more than a part of it`)]),
  "what was tried and is not advised"));
}
