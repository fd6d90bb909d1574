// Calls by function and place: what of their time is a wait state, what a replay spends as transfer, and what nothing explains.
const worthAdvice = 0.01; // of all ranks' time; RESULT_WORTH_ADVICE
// Without MPI_Init and MPI_Finalize, which no program can spare; result_total_s().
const wholeTime = (result) => (result.section ? sum(result.rank_time_s) : result.properties.time_s) || allTime(result);
const totalTime = (result) => Math.max(0, wholeTime(result) - initTime(result)) || 1;
const shareOf = (result, seconds) => formatShare(seconds / totalTime(result));
const takesTime = (result) => Boolean(result.calls && result.calls.some((call) => call.time_s > 0));
const initTime = (result) => sum((result.calls || []).filter((call) => call.init).map((call) => call.time_s));

// {places, platform}, without MPI_Init and MPI_Finalize. A recorded run is explained by a replay of it on the page, or by what advise found.
function explainedCalls(inputs, result) {
  const replays = [...ofSchema(inputs, "result"), ...ofSchema(inputs, "advice")].map(({ data }) => data)
    .filter((data) => data !== result && data.calls && (!data.origin || (isPredicted(data) && data.ranks === result.ranks)));
  const places = result.calls.filter((call) => !call.init), source = isPredicted(result) || result.calls_replay ? null : replays[0];
  if (!source) return { places, platform: result.calls_replay };
  const key = (call) => JSON.stringify([call.call, call.callpath, call.file, call.line]);
  const spent = new Map(source.calls.map((call) => [key(call), call.transfer_s]));
  return { platform: source.platform, places: places.map((call) => {
    const rest = Math.max(0, call.time_s - call.waits_s), known = spent.get(key(call)), transfer = Math.min(rest, known);
    return known === undefined || known === null ? call : { ...call, transfer_s: transfer, unexplained_s: Math.max(0, rest - transfer - (call.without_core_s || 0)) };
  }) };
}

// By time, each with its places.
function functionsOf(places) {
  const functions = [...new Set(places.map((place) => place.call))].map((call) => ({ call, places: places.filter((place) => place.call === call) }));
  const whole = (of, key) => (of.some((place) => place[key] === null) ? null : sum(of.map((place) => place[key])));
  return functions.map((one) => ({ ...one, ...Object.fromEntries(["time_s", "waits_s", "transfer_s", "unexplained_s", "without_core_s", "count"].map((key) => [key, whole(one.places, key)])) }))
    .sort((a, b) => b.time_s - a.time_s);
}

const mpiText = (result) => `MPI takes ${shareOf(result, Math.max(0, result.properties.mpi_s - initTime(result)))} of all ranks' time; user code takes ${
  shareOf(result, result.properties.user_s)}${initTime(result) > 0 ? `. MPI_Init and MPI_Finalize, ${formatShare(initTime(result) / (wholeTime(result) || 1))} of the run, are in no share` : ""}.`;
const hasCoreWaits = (call) => call.without_core_s > worthAdvice * call.time_s;
const partsText = (one) => `Of the ${formatSeconds(one.time_s)} in ${one.call}, ${formatSeconds(one.waits_s)} are wait states, ${one.transfer_s === null
  ? `${formatSeconds(Math.max(0, one.time_s - one.waits_s))} are transfer and the library` : `${formatSeconds(one.transfer_s)} transfer, ${formatSeconds(one.unexplained_s)} unexplained`}${hasCoreWaits(one) ? `; ${formatSeconds(one.without_core_s)} without a core` : ""}.`;
// Where one rank's user code is so much longer that others may wait for it.
const unbalancedText = (result) => (result.user_code && result.user_code.stands_out && result.user_code.unbalanced_s >= worthAdvice * totalTime(result)
  ? `rank ${result.user_code.rank} computes ${formatSeconds(result.user_code.most_s)}, the others ${formatSeconds(result.user_code.others_s)} each` : "");
const lostCores = (result) => (result.disturbance && result.disturbance.more_ranks_than_cores ? "more ranks than cores wait for each other's core"
  : "the library's own work, waits for a core, other users of the network");
const mostOn = (call) => (call.stands_out ? `, most on rank ${call.rank}` : "");

function timeCard(inputs, result) {
  if (!takesTime(result)) return null;
  const [first] = functionsOf(explainedCalls(inputs, result).places), unbalanced = unbalancedText(result);
  const user = !first || result.properties.user_s > first.time_s, place = first && first.places[0];
  const where = first && (first.places.length > 1 ? `most of ${first.places.length} places in ` : "") + shortPlace(place);
  return card("Where the time goes", user ? `User code: ${shareOf(result, result.properties.user_s)} of all ranks' time`
    : [`${first.call}: ${shareOf(result, first.time_s)} of all ranks' time`, where], mpiText(result),
  unbalanced ? `${capital(unbalanced)}.` : "", first && user ? `Most of MPI: ${first.call}, ${shareOf(result, first.time_s)}, ${where}.` : "", first ? partsText(first) : "");
}

function callsSection(inputs) {
  const result = mainResult(inputs);
  if (!result || !takesTime(result)) return null;
  const { places, platform } = explainedCalls(inputs, result), functions = functionsOf(places), known = places.some((call) => call.transfer_s !== null);
  const cores = places.some(hasCoreWaits), without = (call) => (cores ? [formatSeconds(call.without_core_s)] : []);
  const head = ["call", "time", "share", "wait states", known ? "transfer" : "the rest", ...(cores ? ["without a core"] : []), ...(known ? ["unexplained"] : []), "count", "place"];
  const row = (call, name, place) => [name, formatSeconds(call.time_s), shareOf(result, call.time_s), formatSeconds(call.waits_s),
    formatSeconds(known ? call.transfer_s : Math.max(0, call.time_s - call.waits_s)), ...without(call), ...(known ? [formatSeconds(call.unexplained_s)] : []), call.count, place];
  const worth = (call, i) => i === 0 || call.time_s >= worthAdvice * totalTime(result), at = (call) => placeText(call) + mostOn(call);
  const rows = functions.filter(worth).slice(0, 5).flatMap((one) => (one.places.length === 1 ? [row(one, one.call, at(one.places[0]))]
    : [row(one, one.call, counted(one.places.length, "place")), ...one.places.filter(worth).slice(0, 5).map((call) => row(call, "", at(call)))]));
  return section("Calls by time", element("p", {}, mpiText(result)), table(head, rows, "calls by time, over all ranks"),
    element("p", { class: "soft" }, isPredicted(result) ? "" : platform ? `Transfer: what a replay on ${shortName(platform)} spends in these calls outside wait states. Unexplained: the rest, as `
      + `the library's own work${cores ? "" : ", waits for a core"}, other users of the network.` : "Transfer: unknown, give a platform: put the --json of rmacast simulate on the page, too."),
    behind(head, places.map((call) => row(call, call.call, at(call))), "all calls, as a table"));
}
