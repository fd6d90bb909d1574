// Puts the page together.
function ranksTable(input) {
  const result = input.data, worst = occurring(result);
  return behind(["wait state", "seconds over all ranks", "share", "count", "most in", "rank", "advice"], worst.map((pattern) => {
    const place = pattern.places[0];
    return [patternTitle(pattern.name), formatSeconds(pattern.severity_s), formatShare(pattern.severity_s / allTime(result)), pattern.count,
      place ? placeText(place) : "", place ? place.rank : "", pattern.advice || ""];
  }));
}

function buildPage(data) {
  const page = document.getElementById("page");
  const runs = data.inputs.filter((input) => input.data.schema === "rmacast.result/1");
  const timelines = runs.filter((input) => input.timeline);
  document.title = `${data.title} - rmacast report`;
  page.append(element("h1", {}, data.title));
  for (const input of data.inputs) if (input.data.schema === "rmacast.advice/1") page.append(adviceSection(input));
  for (const input of runs) { page.append(summarySection(input)); page.append(ranksTable(input)); }
  if (runs.length > 1) page.append(comparisonSection("The runs side by side", runs.map((input) => ({ name: input.name, result: input.data }))));
  for (const input of data.inputs) {
    if (input.data.schema === "rmacast.comparison/1") page.append(comparisonInput(input) || "");
    if (input.data.schema === "rmacast.scaling/1") page.append(scalingSection(input));
    if (input.data.schema === "rmacast.validation/1")
      page.append(section(`Validation ${input.name}`, element("pre", { class: "scroll" }, JSON.stringify(input.data, null, 1))));
  }
  for (const input of runs) page.append(panelsSection(input) || "");
  if (timelines.length) page.append(timelineSection(timelines));
  for (const input of runs) { page.append(matrixSection(input) || ""); page.append(boundsSection(input) || ""); }
  page.append(element("p", { class: "soft" }, `Made by rmacast ${data.version}.`));
}

try {
  buildPage(JSON.parse(document.getElementById("data").textContent));
} catch (error) {
  document.getElementById("page").append(element("p", { class: "warning" }, `The page cannot be drawn: ${error.message}`));
  throw error;
}
