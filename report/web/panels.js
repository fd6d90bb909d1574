// Three linked panels: what is measured, where in the program, on which rank. A choice in one filters the others.
//
// A cube holds seconds by metric, call path and rank: cube.metrics is a list of {name, wait}, cube.paths a list of names with "/"
// between regions, cube.get(metric, path) an array of one number per rank, or null.
function cubeOfCalls(timeline) {
  const metrics = activities.map(([name]) => ({ name, wait: false }));
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
  const enters = timeline.calls.map(() => new Map());
  timeline.calls.forEach((calls, rank) => {
    const stacks = new Map(), ends = new Map();
    for (const [thread, enter, duration, call, , , , name] of calls) {
      const stack = stacks.get(thread) || [];
      stacks.set(thread, stack);
      const before = ends.has(thread) ? ends.get(thread) : Math.min(timeline.from_ps, enter);
      if (enter > before) add(stack.length ? 1 : 0, pathNumber(stack.join("/") || "(outside regions)"), rank, enter - before);
      ends.set(thread, enter + duration);
      const activity = timeline.activities[call];
      if (activity < 0) {
        if (timeline.functions[call] === "enter") stack.push(shortName(timeline.regions[name])); else stack.pop();
        continue;
      }
      const [file, line] = timeline.sites[name] || [""], at = name > 0 && file ? ` ${shortName(file).split("/").pop()}:${line}` : "";
      const path = pathNumber([...stack, timeline.functions[call] + at].join("/"));
      enters[rank].set(`${thread} ${enter}`, path);
      if (duration > 0) add(activity, path, rank, duration);
    }
  });
  for (const [rank, thread, , , pattern, , severity, enter] of timeline.waits) {
    const name = timeline.patterns[pattern];
    let metric = metrics.findIndex((row) => row.wait && row.name === name);
    if (metric < 0) { metric = metrics.length; metrics.push({ name, wait: true }); }
    const path = enters[rank].get(`${thread} ${enter}`);
    if (path !== undefined) add(metric, path, rank, severity);
  }
  return { metrics, paths, ranks: timeline.ranks, get: (metric, path) => cells.get(`${metric} ${path}`) || null };
}

function cubeOfResult(result) {
  const metrics = occurring(result).map((pattern) => ({ name: patternTitle(pattern.name), wait: true, pattern }));
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

function panelsSection(input) {
  const { data: result, timeline } = input, cube = timeline && timeline.calls ? cubeOfCalls(timeline) : cubeOfResult(result);
  if (!cube.metrics.length) return null;
  const tree = pathTree(cube.paths), total = allTime(result);
  const chosen = { metric: null, node: null, rank: null, percent: false, exclusive: false };
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
  const allWaits = cube.metrics.map((_, i) => i).filter((i) => cube.metrics[i].wait);
  const shown = allWaits.length ? allWaits : cube.metrics.map((_, i) => i);
  const wanted = () => (chosen.metric === null ? shown : [chosen.metric]);
  const show = (seconds) => (chosen.percent ? formatShare(total ? seconds / total : 0) : formatSeconds(seconds));
  const row = (name, seconds, most, pressed, depth, act) => element("button", { class: "row", type: "button",
    "aria-pressed": String(pressed), onclick: () => { act(); draw(); } },
  element("span", { style: `padding-left:${depth * 0.9}rem` }, element("i", { style: `width:${most > 0 ? (100 * seconds) / most : 0}%` }), name),
  element("span", {}, show(seconds)));
  const toggle = (key, item) => () => { chosen[key] = chosen[key] === item ? null : item; };

  function drawMetrics() {
    const paths = chosen.node ? pathsOf(chosen.node) : allPaths;
    const values = cube.metrics.map((_, i) => value(i, paths, chosen.rank)), most = Math.max(...values);
    const order = values.map((_, i) => i).filter((i) => values[i] > 0)
      .sort((a, b) => (cube.metrics[b].wait - cube.metrics[a].wait) || values[b] - values[a]);
    lists[0].rows.replaceChildren(...order.map((i) => row((cube.metrics[i].wait ? "wait: " : "") + cube.metrics[i].name, values[i], most,
      chosen.metric === i, 0, toggle("metric", i))));
  }
  function drawPaths() {
    const rows = [], metrics = wanted();
    const of = (paths) => sum(metrics.map((metric) => value(metric, paths, chosen.rank)));
    const most = of(allPaths);
    const visit = (node, depth) => {
      const inclusive = of(pathsOf(node));
      if (inclusive <= 0) return;
      if (node !== tree) rows.push(row(node.name, chosen.exclusive ? of(node.path >= 0 ? [node.path] : []) : inclusive, most,
        chosen.node === node, depth, toggle("node", node)));
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
    const most = Math.max(...values), order = Array.from(values.keys());
    if (cube.ranks > 256) order.sort((a, b) => values[b] - values[a]).splice(256);
    lists[2].rows.replaceChildren(...order.map((rank) => row(`rank ${rank}${timeline && timeline.nodes[rank] ? `, ${shortName(timeline.nodes[rank])}` : ""}`,
      values[rank], most, chosen.rank === rank, 0, toggle("rank", rank))));
  }
  function draw() { drawMetrics(); drawPaths(); drawRanks(); }
  draw();
  return section(`Time of ${shortName(input.name)} by what, where and who`,
    element("div", { class: "tools" },
      choice("values", ["seconds", "percent of all ranks' time"], 0, (i) => { chosen.percent = i === 1; draw(); }),
      choice("call paths", ["with what they call", "alone"], 0, (i) => { chosen.exclusive = i === 1; draw(); }),
      element("button", { type: "button", onclick: () => { chosen.metric = chosen.node = chosen.rank = null; draw(); } }, "show all")),
    element("p", { class: "soft" }, `Where nothing is chosen on the left, call paths and ranks show all ${allWaits.length ? "waiting" : "time"}.`),
    element("div", { class: "panels" }, lists.map((list) => list.panel)));
}
