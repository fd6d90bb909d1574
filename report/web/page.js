// Puts the page together. A part that cannot be drawn says so and leaves the others alone.
// Of each wait state, by its name in results: what it is.
const meanings = words({});
function ranksTable(input) {
  const result = input.data, worst = occurring(result);
  return behind(["wait state", "what it is", "seconds over all ranks", "share", "count", "most in", "rank", "advice"], worst.map((pattern) => {
    const place = pattern.places[0];
    return [patternTitle(pattern.name), meanings[pattern.name] || "", atMost(pattern) + formatSeconds(pattern.severity_s), shareOf(result, pattern.severity_s), pattern.count,
      place ? placeText(place) : "", place ? place.rank : "", pattern.advice || ""];
  }), "all wait states, as a table");
}

function buildPage(data) {
  Object.assign(meanings, data.meanings);
  for (const { timeline } of data.inputs) if (timeline) absoluteTimes(timeline);
  const page = document.getElementById("page"), of = (schema) => data.inputs.filter((input) => input.data.schema === `rmacast.${schema}/1`);
  const runs = of("result"), timelines = runs.filter((input) => input.timeline), error = predictionError(data.inputs);
  const parts = element("nav", { "aria-label": "parts of the page" }), made = [];
  const put = (make, name) => {
    let part;
    try {
      part = make();
    } catch (fault) {
      part = section(name || "A part", element("p", { class: "warning" }, `${name || "A part of the page"} cannot be drawn: ${fault.message}`));
      console.error(fault);
    }
    if (!part) return;
    page.append(part);
    if (!name) return;
    part.id = made.includes(name) ? `part${made.length}` : name.replace(/ /g, "-");
    if (!made.includes(name)) parts.append(element("a", { href: `#${part.id}` }, name));
    made.push(name);
  };
  document.title = `${shortName(data.title)} - rmacast report`;
  page.append(element("h1", {}, shortName(data.title)));
  for (const text of incompleteWarnings(data.inputs)) page.append(element("p", { class: "warning", role: "alert" }, text));
  put(() => firstScreen(data.inputs));
  page.append(parts);
  put(() => callsSection(data.inputs), "Calls");
  for (const input of of("advice")) put(() => adviceSection(input), "Advice");
  for (const input of runs) { put(() => summarySection(input), "Summary"); put(() => ranksTable(input)); }
  if (runs.length > 1)
    put(() => comparisonSection("The runs side by side", runs.map((input) => ({ name: input.name, result: input.data })), [], error), "Runs side by side");
  for (const input of of("comparison")) put(() => comparisonInput(input, error), "Comparison");
  for (const input of of("sensitivity")) put(() => slopesSection(input), "Slopes");
  for (const input of of("scaling")) put(() => scalingSection(input), "Scaling");
  for (const input of of("validation")) put(() => validationSection(input), "Validation");
  for (const input of of("campaign-result")) put(() => campaignSection(input), "Campaign");
  for (const input of runs) put(() => panelsSection(input), "Panels");
  for (const input of runs) put(() => efficiencySection(input), "Efficiency");
  for (const input of runs) put(() => overTimeSection(input), "Over time");
  if (timelines.length) put(() => timelineSection(timelines), "Time lines");
  for (const alike of sameTransfers(runs)) put(() => matrixSection(alike), "Transfers");
  for (const input of runs) put(() => boundsSection(input), "Bounds");
  for (const input of of("platform")) put(() => calibrationSection(input), "Platform");
  for (const link of page.querySelectorAll("[data-card]")) {
    const there = cardParts[link.dataset.card].find((part) => document.getElementById(part));
    if (there) link.href = `#${there}`; else link.remove();
  }
  page.append(element("p", { class: "soft" }, `Made by rmacast ${data.version}.`));
}

try {
  buildPage(JSON.parse(document.getElementById("data").textContent));
} catch (error) {
  document.getElementById("page").append(element("p", { class: "warning" }, `The page cannot be drawn: ${error.message}`));
  throw error;
}
