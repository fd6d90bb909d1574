// Points and lines on logarithmic axes, with their numbers behind them.
const plotColors = [0, 1, 2, 3, 4, 5].map((i) => [7, 8, 3, 5, 9, 10][i]);

function ticksOf(low, high) {
  const ticks = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); decade++)
    for (const factor of high / low < 30 ? [1, 2, 5] : [1]) {
      const at = factor * 10 ** decade;
      if (at >= low * 0.999 && at <= high * 1.001) ticks.push(at);
    }
  const every = Math.ceil(ticks.length / 7);
  return ticks.length > 1 ? ticks.filter((_, i) => i % every === 0) : [low, high];
}

// Series differ in shape, too: a dot, a square, a triangle, a diamond, a cross.
const marks = [(x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`, (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => `M${x} ${y - 1.3 * r}l${1.3 * r} ${2.3 * r}h${-2.6 * r}z`, (x, y, r) => `M${x} ${y - 1.4 * r}l${1.4 * r} ${1.4 * r}l${-1.4 * r} ${1.4 * r}l${-1.4 * r} ${-1.4 * r}z`,
  (x, y, r) => `M${x - 1.3 * r} ${y - 0.4 * r}h${2.6 * r}v${0.8 * r}h${-2.6 * r}zM${x - 0.4 * r} ${y - 1.3 * r}h${0.8 * r}v${2.6 * r}h${-0.8 * r}z`];

// given.series: [{name, points: [[x, y, low, high]], line: whether points are joined, fit: [[x, y]] of a line of its own}]; low and
// high may be left out. What is not above 0 has no place.
function plot(given) {
  const width = Math.max(320, Math.min(640, document.documentElement.clientWidth - 24)), height = 340, left = 76, right = 24, top = 12, bottom = 44;
  const series = given.series.map((one) => ({ ...one, points: one.points.filter(([x, y]) => x > 0 && y > 0) })).filter((one) => one.points.length);
  if (!series.length) return element("p", { class: "soft" }, "There is nothing above 0 to draw.");
  const all = series.flatMap((one) => one.points), range = (values) => {
    const low = Math.min(...values), high = Math.max(...values);
    return low === high ? [low / 2, high * 2] : [low * 0.9, high * 1.1];
  };
  let xs = range(all.map((point) => point[0])), ys = range(all.flatMap((point) => point.slice(1)).filter((value) => value > 0));
  if (given.diagonal) xs = ys = range([...xs, ...ys]);
  const fitted = (one) => (one.line ? one.points : one.fit || []);
  const scale = (value, [low, high], from, to) => from + ((Math.log(value) - Math.log(low)) / Math.log(high / low)) * (to - from);
  const x = (value) => scale(value, xs, left, width - right), y = (value) => scale(value, ys, height - bottom, top);
  const xTicks = given.xTicks ? given.xTicks.filter((at) => at >= xs[0] && at <= xs[1]) : ticksOf(...xs);
  // Bands of series that lie on each other are drawn beside each other.
  const aside = (i) => (series.some((one) => one.points.some((point) => point.length > 2)) ? 5 * (i - (series.length - 1) / 2) : 0);
  const color = (i) => (series[i].plain ? "var(--soft)" : activities[plotColors[i % plotColors.length]][palette]);
  const drawing = element("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": given.label },
    xTicks.filter((at, i) => i === 0 || x(at) - x(xTicks[i - 1]) >= 34).map((at) => [element("line", { class: "axis", x1: x(at), x2: x(at), y1: top, y2: height - bottom }),
      element("text", { x: x(at), y: height - bottom + 16, "text-anchor": "middle" }, given.xFormat(at))]),
    ticksOf(...ys).map((at) => [element("line", { class: "axis", x1: left, x2: width - right, y1: y(at), y2: y(at) }),
      element("text", { x: left - 6, y: y(at) + 4, "text-anchor": "end" }, given.yFormat(at))]),
    element("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, given.xName),
    given.diagonal ? element("line", { class: "diagonal", x1: x(xs[0]), y1: y(ys[0]), x2: x(xs[1]), y2: y(ys[1]) }) : null,
    series.map((one, i) => [
      fitted(one).length ? element("path", { d: fitted(one).map(([px, py], k) => `${k ? "L" : "M"}${x(px) + aside(i)} ${y(py)}`).join(""), fill: "none", stroke: color(i), "stroke-width": 1.5, "stroke-dasharray": one.plain ? "5 4" : "none" }) : null,
      one.points.map(([px, py, low, high]) => [
        low > 0 && high > 0 ? element("line", { class: "band", x1: x(px) + aside(i), x2: x(px) + aside(i), y1: y(Math.max(low, ys[0])), y2: y(high), stroke: color(i) }) : null,
        element("path", { class: "point", d: marks[i % marks.length](x(px) + aside(i), y(py), one.large ? 5 : 3.2), fill: color(i) })])]));
  const names = element("div", { class: "legend" }, series.length > 1 ? series.map((one, i) => element("span", { class: "swatch" },
    element("svg", { viewBox: "0 0 12 12", class: "mark", "aria-hidden": "true" }, element("path", { d: marks[i % marks.length](6, 6, 4), fill: color(i) })), one.name)) : null);
  return element("div", {}, element("p", { class: "soft" }, given.yName), element("div", { class: "scroll" }, drawing), names);
}
