// Slopes: the run time by one value of the platform, a line for each row, with its corners and the platform's value marked.
const isRateKey = (key) => /Bps$|speed$/.test(key);
const isFlat = (value) => value.curve.every(([, time]) => time === value.curve[0][1]);
const formatValue = (key, value) => (value === null ? "-" : /_s$/.test(key) ? formatSeconds(value) : Number(value).toPrecision(4));
// Of a rate the run time is a line by seconds per byte, of a speed by its inverse.
const along = (key, value) => (!isRateKey(key) ? value : value === null ? 0 : 1 / value);

function slopeCurves(key, rows) {
  const width = Math.max(320, Math.min(640, document.documentElement.clientWidth - 24)), height = 300, left = 76, right = 24, top = 20, bottom = 44;
  const points = rows.flatMap(({ value }) => value.curve), xs = points.map(([x]) => along(key, x)), ys = points.map(([, y]) => y);
  const scale = (value, all, from, to) => from + ((value - Math.min(...all)) / (Math.max(...all) - Math.min(...all) || 1)) * (to - from);
  const x = (value) => scale(along(key, value), xs, left, width - right), y = (value) => scale(value, ys, height - bottom, top);
  const ends = points.map(([value]) => value).sort((a, b) => x(a) - x(b)), low = ends[0], high = ends[ends.length - 1], at = rows[0].value.value;
  const color = (i) => activities[plotColors[i % plotColors.length]][palette];
  const drawing = element("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": `run time by ${key}` },
    element("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    element("line", { class: "diagonal", x1: x(at), x2: x(at), y1: top, y2: height - bottom }),
    element("text", { x: x(at), y: top - 6, "text-anchor": "middle" }, formatValue(key, at)),
    [[low, "start"], [high, "end"]].map(([value, anchor]) => element("text", { x: x(value), y: height - bottom + 16, "text-anchor": anchor }, formatValue(key, value))),
    [Math.min(...ys), Math.max(...ys)].map((value) => element("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, formatSeconds(value))),
    element("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, key),
    rows.map(({ value }, i) => [
      element("path", { d: value.curve.map(([px, py], k) => `${k ? "L" : "M"}${x(px)} ${y(py)}`).join(""), fill: "none", stroke: color(i), "stroke-width": 1.5 }),
      value.curve.slice(1, -1).map(([px, py]) => element("path", { class: "point", d: marks[i % marks.length](x(px), y(py), 3.2), fill: color(i) }))]));
  return element("div", {}, element("div", { class: "scroll" }, drawing),
    element("div", { class: "legend" }, rows.map(({ name }, i) => element("span", { class: "swatch" },
      element("svg", { viewBox: "0 0 12 12", class: "mark", "aria-hidden": "true" }, element("path", { d: marks[i % marks.length](6, 6, 4), fill: color(i) })), rowTitle(name)))));
}

function slopesSection(input) {
  const { results } = input.data, keys = [...new Set(results.flatMap(({ values }) => values.filter((value) => !isFlat(value)).map(({ key }) => key)))];
  if (!keys.length) return null;
  const place = element("div"), show = (key) => {
    const rows = results.map((row) => ({ name: row.row, run_time_s: row.run_time_s, value: row.values.find((value) => value.key === key) })).filter(({ value }) => value);
    place.replaceChildren(slopeCurves(key, rows),
      table(["", "run time", "slope", "holds from", "to", "1 % more at", ""], rows.map(({ name, run_time_s: time, value }) => [rowTitle(name), formatSeconds(time),
        value.slope, formatValue(key, value.from), formatValue(key, value.to), formatValue(key, value.tolerance[0].value),
        value.exact ? "" : "by replay"]), `how the run time depends on ${key}`),
      table(["", "part of the slope", "in"], rows.flatMap(({ name, value }) => value.places.map((part) => [name, part.slope,
        `${part.call} ${part.callpath}${part.file ? ` ${part.file.split("/").pop()}:${part.line}` : ""}`])), "where it arises"));
  };
  show(keys[0]);
  return section(`Slopes, ${shortName(input.name)}`, element("p", {}, "How much longer the run gets with a value of the platform. The vertical line is the platform's."),
    choice("value", keys, 0, (i) => show(keys[i])), place,
    results.filter(({ gains }) => gains.length).map(({ row, gains }) => behind(["computing times", ...gains[0].points.map(([k]) => String(k))],
      gains.map(({ callpath, points }) => [callpath, ...points.map(([, time]) => formatSeconds(time))]), `run time of ${row} if a call path's computing took so many times as long`)));
}
