// Three linked panels: what is measured, where in the program, on which rank. A choice in one filters the others.
//
// A cube holds seconds by metric, call path and rank: cube.metrics is a list of {name, wait, inside}, inside being the number of
// the metric that holds it, or -1; cube.paths is a list of names with "/" between regions, cube.get(metric, path) an array of one
// number per rank, or null.
function cubeOfCalls(timeline) {
  const mpi = activities.length; // all calls together
  const metrics = [...activities.map(([name], i) => ({ name, wait: false, inside: i < 2 ? -1 : mpi })), { name: "MPI", wait: false, inside: -1 }];
  const paths = [], numbers = new Map(), cells = new Map();
  const pathNumber = (name) => {
    if (!numbers.has(name)) { numbers.set(name, paths.length); paths.push(name); }
    return numbers.get(name);
  };
  const add = (metric, path, rank, ps) => {
    const key = `${metric} ${path}`;
    if (!cells.has(key)) cells.set(key, new Float64Array(timeline.ranks));
    cells.get(key)[rank] += ps * 1e-12;
  };
  const places = timeline.calls.map(() => []); // of calls: [call path, activity]
  timeline.calls.forEach((calls, rank) => {
    const stacks = new Map(), ends = new Map();
    calls.forEach(([thread, enter, duration, call, , , , name], i) => {
      const stack = stacks.get(thread) || [];
      stacks.set(thread, stack);
      const before = ends.has(thread) ? ends.get(thread) : Math.min(timeline.from_ps, enter);
      if (enter > before) add(stack.length ? 1 : 0, pathNumber(stack.join("/") || "(outside regions)"), rank, enter - before);
      ends.set(thread, enter + duration);
      const activity = timeline.activities[call];
      if (activity < 0) {
        if (timeline.functions[call] === "enter") stack.push(shortName(timeline.regions[name])); else stack.pop();
        return;
      }
      const [file, line] = timeline.sites[name] || [""], at = name > 0 && file ? ` ${shortName(file).split("/").pop()}:${line}` : "";
      const path = pathNumber([...stack, timeline.functions[call] + at].join("/"));
      places[rank][i] = [path, activity];
      if (duration > 0) for (const metric of activity < 2 ? [activity] : [activity, mpi]) add(metric, path, rank, duration);
    });
  });
  // A wait state of several kinds of calls has a metric in each.
  const waitMetric = (name, activity) => {
    let metric = metrics.findIndex((row) => row.wait && row.name === name && row.activity === activity);
    if (metric >= 0) return metric;
    const whole = Object.keys(partOf).find((part) => patternTitle(part) === name);
    const inside = whole ? waitMetric(patternTitle(partOf[whole]), activity) : activity;
    metric = metrics.length;
    metrics.push({ name, wait: true, part: Boolean(whole), activity, inside });
    return metric;
  };
  for (const [rank, , , , pattern, , severity, index] of timeline.waits) {
    const found = places[rank][index];
    if (found) add(waitMetric(timeline.patterns[pattern], found[1]), found[0], rank, severity);
  }
  return { metrics, paths, ranks: timeline.ranks, get: (metric, path) => cells.get(`${metric} ${path}`) || null };
}

function cubeOfResult(result) {
  const metrics = occurring(result).map((pattern) => ({ name: patternTitle(pattern.name), wait: true, part: Boolean(partOf[pattern.name]), pattern, inside: -1 }));
  for (const metric of metrics) if (metric.part) metric.inside = metrics.findIndex(({ pattern }) => pattern.name === partOf[metric.pattern.name]);
  const paths = [...new Set(metrics.flatMap(({ pattern }) => pattern.places.map(placeText)))];
  const get = (metric, path) => {
    const { pattern } = metrics[metric];
    const place = pattern.places.find((one) => placeText(one) === paths[path]);
    if (!place) return null;
    if (place.rank_severity_s) return place.rank_severity_s;
    if (pattern.places.length === 1) return pattern.rank_severity_s;
    const values = new Array(result.ranks).fill(0);
    values[place.rank] = place.severity_s;
    return values;
  };
  return { metrics, paths, ranks: result.ranks, get };
}

// A tree of call paths: {name, path (number or -1), children}.
function pathTree(paths) {
  const root = { name: "", full: "", path: -1, children: [] };
  paths.forEach((name, number) => {
    let at = root;
    for (const part of name.split("/")) {
      let child = at.children.find((one) => one.name === part);
      if (!child) { child = { name: part, full: at.full ? `${at.full}/${part}` : part, path: -1, children: [] }; at.children.push(child); }
      at = child;
    }
    at.path = number;
  });
  return root;
}

// The squarest grid: columns that divide the number of ranks.
function gridColumns(ranks) {
  let columns = Math.ceil(Math.sqrt(ranks));
  while (ranks % columns) columns++;
  return columns;
}

function panelsSection(input) {
  const { data: result, timeline } = input, cube = timeline && timeline.calls ? cubeOfCalls(timeline) : cubeOfResult(result);
  if (!cube.metrics.length) return null;
  const tree = pathTree(cube.paths), total = allTime(result);
  const chosen = { metric: null, node: null, rank: null, percent: false, exclusive: false, ranks: 0, everyRank: null, columns: gridColumns(cube.ranks) };
  const lists = ["What", "Where", "On which rank"].map((title) => {
    const rows = element("div", { class: "rows" });
    return { rows, panel: element("div", { class: "panel" }, element("h3", {}, title), rows) };
  });
  const pathsOf = (node) => [...(node.path >= 0 ? [node.path] : []), ...node.children.flatMap(pathsOf)];
  const allPaths = cube.paths.map((_, i) => i);
  const value = (metric, paths, rank) => {
    let seconds = 0;
    for (const path of paths) {
      const values = cube.get(metric, path);
      if (values) seconds += rank === null ? sum(Array.from(values)) : values[rank] || 0;
    }
    return seconds;
  };
  const allWaits = cube.metrics.map((_, i) => i).filter((i) => cube.metrics[i].wait && !cube.metrics[i].part);
  const shown = allWaits.length ? allWaits : cube.metrics.map((_, i) => i).filter((i) => cube.metrics[i].inside < 0);
  const wanted = () => (chosen.metric === null ? shown : [chosen.metric]);
  const show = (seconds) => (chosen.percent ? formatShare(total ? seconds / total : 0) : formatSeconds(seconds));
  // The rows are made anew by each choice: the one that had the focus, known by its key, gets it again.
  const act = (key, item) => () => {
    chosen[key] = chosen[key] === item ? null : item;
    const focused = document.activeElement && document.activeElement.dataset.key;
    draw();
    const again = focused && [...made.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
    if (again) again.focus({ preventScroll: true });
  };
  const row = (name, seconds, most, depth, wait, key, item, id) => element("button", { class: wait ? "row wait" : "row", type: "button", "data-key": `${key} ${id}`,
    "aria-pressed": String(chosen[key] === item), onclick: act(key, item) },
  element("span", { style: `padding-left:${depth * 0.9}rem` }, element("i", { style: `width:${most > 0 ? (100 * Math.max(0, seconds)) / most : 0}%` }), name),
  element("span", {}, show(seconds)));

  function drawMetrics() {
    const paths = chosen.node ? pathsOf(chosen.node) : allPaths, rows = [];
    const values = cube.metrics.map((_, i) => value(i, paths, chosen.rank)), most = Math.max(...values);
    const inside = (outer) => values.map((_, i) => i).filter((i) => cube.metrics[i].inside === outer && values[i] > 0).sort((a, b) => values[b] - values[a]);
    const visit = (i, depth) => {
      const { name, wait } = cube.metrics[i], own = values[i] - sum(inside(i).map((part) => values[part]));
      const made = row((wait ? "wait: " : "") + name, chosen.exclusive ? own : values[i], most, depth, wait, "metric", i, i);
      if (wait) made.title = meanings[Object.keys(meanings).find((key) => patternTitle(key) === name)] || "";
      rows.push(made);
      inside(i).forEach((part) => visit(part, depth + 1));
    };
    inside(-1).forEach((i) => visit(i, 0));
    lists[0].rows.replaceChildren(...rows);
  }
  function drawPaths() {
    const rows = [], metrics = wanted();
    const of = (paths) => sum(metrics.map((metric) => value(metric, paths, chosen.rank)));
    const most = of(allPaths), wait = metrics.every((i) => cube.metrics[i].wait);
    const visit = (node, depth) => {
      const inclusive = of(pathsOf(node));
      if (inclusive <= 0) return;
      if (node !== tree) rows.push(row(node.name, chosen.exclusive ? of(node.path >= 0 ? [node.path] : []) : inclusive, most, depth, wait, "node", node, node.full));
      node.children.map((child) => [of(pathsOf(child)), child]).sort((a, b) => b[0] - a[0]).forEach(([, child]) => visit(child, depth + 1));
    };
    visit(tree, -1);
    lists[1].rows.replaceChildren(...rows);
  }
  function drawRanks() {
    const metrics = wanted(), paths = chosen.node ? pathsOf(chosen.node) : allPaths, values = new Float64Array(cube.ranks);
    for (const metric of metrics) for (const path of paths) {
      const one = cube.get(metric, path);
      if (one) for (let rank = 0; rank < cube.ranks; rank++) values[rank] += one[rank] || 0;
    }
    const most = Math.max(...values), order = Array.from(values.keys()), wait = metrics.every((i) => cube.metrics[i].wait);
    const node = (rank) => (timeline && timeline.nodes[rank] ? shortName(timeline.nodes[rank]) : "");
    lists[2].rows.style.cssText = "";
    if (chosen.ranks === 2) {
      lists[2].rows.style.cssText = `display:grid;gap:1px;grid-template-columns:repeat(${chosen.columns},minmax(1.2rem,1fr))`;
      lists[2].rows.replaceChildren(...order.map((rank) => element("button", { class: wait ? "tile wait" : "tile", type: "button", "data-key": `rank ${rank}`, onclick: act("rank", rank),
        "aria-pressed": String(chosen.rank === rank), title: `rank ${rank}${node(rank) ? `, ${node(rank)}` : ""}: ${show(values[rank])}`,
        "aria-label": `rank ${rank}: ${show(values[rank])}` }, element("i", { style: `opacity:${most > 0 ? values[rank] / most : 0}` }), element("span", {}, String(rank)))));
      return;
    }
    // Of many ranks the worst, and those behind them, which are alike, in one row.
    const others = cube.ranks > 64 && !chosen.everyRank ? order.sort((a, b) => values[b] - values[a]).splice(16) : [];
    const rankRow = (rank, depth) => row(`rank ${rank}${depth || !node(rank) ? "" : `, ${node(rank)}`}`, values[rank], most, depth, wait, "rank", rank, rank);
    const nodes = [...new Set(order.map(node))], folded = others.length ? `${counted(others.length, "other rank")}` : cube.ranks > 64 ? "fewer ranks" : "";
    const fold = folded ? element("button", { class: "row", type: "button", "data-key": "ranks folded", "aria-expanded": String(!others.length), onclick: act("everyRank", true) },
      element("span", {}, folded), element("span", {}, others.length ? `${show(values[others[others.length - 1]])} to ${show(values[others[0]])}` : "")) : "";
    lists[2].rows.replaceChildren(...(chosen.ranks === 0 ? order.map((rank) => rankRow(rank, 0)) : nodes.flatMap((name) => {
      const on = order.filter((rank) => node(rank) === name);
      return [element("p", { class: "group" }, element("span", {}, name || "node unknown"), element("span", {}, show(sum(on.map((rank) => values[rank]))))), ...on.map((rank) => rankRow(rank, 1))];
    })), fold);
  }
  function draw() { drawMetrics(); drawPaths(); drawRanks(); }
  draw();
  const columns = element("input", { type: "number", min: 1, max: cube.ranks, value: chosen.columns, "aria-label": "columns of the process grid",
    onchange: () => { chosen.columns = Math.max(1, Math.min(cube.ranks, Number(columns.value) || 1)); draw(); } });
  const columnsLabel = element("label", { hidden: true }, "columns ", columns);
  const made = section(`Time of ${shortName(input.name)} by what, where and who`,
    element("div", { class: "tools" },
      choice("values", ["seconds", "percent of all ranks' time"], 0, (i) => { chosen.percent = i === 1; draw(); }),
      choice("rows", ["with what is inside", "alone"], 0, (i) => { chosen.exclusive = i === 1; draw(); }),
      choice("ranks", ["as a list", "by node", "as a process grid"], 0, (i) => { chosen.ranks = i; columnsLabel.hidden = i !== 2; draw(); }), columnsLabel,
      element("button", { type: "button", onclick: () => { chosen.metric = chosen.node = chosen.rank = null; draw(); } }, "show all")),
    element("p", { class: "soft" }, `Choose a row to see only that in the other panels; choose it again to see all. Where nothing is chosen on the left, the others show all ${allWaits.length ? "waiting" : "time"}.`),
    element("div", { class: "panels" }, lists.map((list) => list.panel)));
  return made;
}
