// The time line of one run as report/timeline.c and report/views.c write it, all times in picoseconds since its first event:
//   ranks, nodes[], end_ps, from_ps, until_ps (the window that is shown), patterns[]
//   waits[[rank, thread, from, duration, pattern, cause's rank or -1, severity, index of the call in calls[rank] or -1]], the longest first
// Of long runs:
//   levels[{from_ps, piece_ps, rows[]}], the finest first (report/levels.h): three letters per piece, from "A" on: the activity
//   with most time, its share and that of waiting in 21sts
// Else each call and what belongs to it:
//   functions[], activities[] (of each function, -1: a region's mark), regions[], sites[[file, line]], windows[] (names)
//   calls[rank][[thread, enter since the exit of the one before, duration, function, window or communicator, peer, bytes, region or site]]
//   transfers[[origin, target, start, lower end, upper end or null, true end (since the start), bytes, kind]] of predicted runs
//   views[[name, summary]], epochs[[rank, from, duration, band, window, target, partners, operations]],
//   grants[[rank, time, window, target, exclusive]], arrow_kinds[], arrows[][[kind, from rank, from, to rank, duration, bytes, views]]
// These differences keep the page small; absoluteTimes() makes times since the first event of them, once.
function absoluteTimes(timeline) {
  for (const calls of timeline.calls || []) {
    let before = 0;
    for (const call of calls) { call[1] += before; before = call[1] + call[2]; }
  }
  const add = (rows, from, ...to) => { for (const row of rows || []) for (const at of to) if (row[at] !== null) row[at] += row[from]; };
  add(timeline.waits, 2, 3);
  add(timeline.epochs, 1, 2);
  add(timeline.transfers, 2, 3, 4, 5);
  for (const arrows of timeline.arrows || []) add(arrows, 2, 4);
}

function regionsOf(timeline, calls) {
  const regions = [], stacks = new Map();
  for (const [thread, enter, , call, , , , name] of calls) {
    if (timeline.activities[call] >= 0) continue;
    const stack = stacks.get(thread) || [];
    stacks.set(thread, stack);
    if (timeline.functions[call] === "enter") stack.push([enter, timeline.regions[name]]);
    else if (stack.length) { const [from, region] = stack.pop(); regions.push([from, enter, region]); }
  }
  for (const stack of stacks.values()) for (const [from, region] of stack) regions.push([from, timeline.until_ps, region]);
  return regions.sort((a, b) => a[0] - b[0]);
}

// First index whose interval may reach into a time: calls are in the order of their enters.
function firstFrom(calls, time) {
  let low = 0, high = calls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (calls[middle][1] + calls[middle][2] < time) low = middle + 1; else high = middle;
  }
  return low;
}

const bits = (view) => 1 << view;

function timelineData(timeline) {
  const rows = timeline.calls ? timeline.calls.length : timeline.levels[0].rows.length;
  const rowOf = (rank) => (timeline.calls ? rank : Math.floor((rank * rows) / timeline.ranks));
  const rankOf = (row) => (timeline.calls ? row : Math.ceil((row * timeline.ranks) / rows));
  const perRow = (items) => {
    const lists = Array.from({ length: rows }, () => []);
    for (const item of items || []) lists[rowOf(item[0])].push(item);
    return lists;
  };
  const regions = timeline.calls ? timeline.calls.map((calls) => regionsOf(timeline, calls)) : [];
  const waits = perRow(timeline.waits), epochs = perRow(timeline.epochs), grants = perRow(timeline.grants);
  const arrows = (timeline.arrows || []).flat();
  const windowName = (window) => `window ${window}${timeline.windows[window] ? ` "${shortName(timeline.windows[window])}"` : ""}`;
  const siteText = (site) => (site > 0 && timeline.sites[site] ? `${shortName(timeline.sites[site][0])}:${timeline.sites[site][1]}` : "");

  // What view shows: [kind, from rank, from, to rank, to, bytes]; -1: nothing; views.length: true ends.
  function arrowsOf(view) {
    if (view < 0) return [];
    if (view === (timeline.views || []).length)
      return [...timeline.transfers.map(([origin, target, start, , , end, bytes, kind]) => (kind === "get"
        ? [timeline.arrow_kinds.indexOf("data"), target, start, origin, end, bytes]
        : [timeline.arrow_kinds.indexOf("data"), origin, start, target, end, bytes])), ...arrows.filter((arrow) => arrow[6] & bits(view))];
    return arrows.filter((arrow) => arrow[6] & bits(view));
  }
  function callText(call) {
    const [thread, enter, duration, number, handle, peer, bytes, site] = call, kind = timeline.activities[number];
    const lines = [`${timeline.functions[number]}${thread ? ` (thread ${thread})` : ""}: ${formatPs(duration)} from ${formatPs(enter)}`];
    const facts = [];
    if (handle >= 0) facts.push(kind >= 7 && kind <= 10 ? windowName(handle) : `communicator ${handle}`);
    if (peer >= 0) facts.push(`${kind === 7 ? "target" : "rank"} ${peer}`);
    if (bytes > 0) facts.push(formatBytes(bytes));
    if (facts.length) lines.push(facts.join(", "));
    if (siteText(site)) lines.push(siteText(site));
    return lines;
  }
  const waiting = waits.map((list) => list.reduce((calls, wait) => calls.set(wait[7], [...(calls.get(wait[7]) || []), wait]), new Map()));
  const waitsOf = (row, index) => waiting[row].get(index) || [];
  const waitText = (wait) => `waits ${formatPs(wait[6])}: ${timeline.patterns[wait[4]]}${wait[5] >= 0 ? `, for rank ${wait[5]}` : ""}`;
  function epochText([, from, until, band, window, target, partners, operations]) {
    const whom = target >= 0 ? ` of rank ${target}` : partners > 0 ? ` with ${partners} ${partners === 1 ? "rank" : "ranks"}` : "";
    return `${bands[band][0]}${whom} on ${windowName(window)}: ${formatPs(until - from)}${band < 4 ? `, ${operations} operations` : ""}`;
  }
  const grantText = ([, time, window, target, exclusive]) =>
    `${exclusive ? "exclusive" : "shared"} lock${target >= 0 ? ` of rank ${target}` : " of all ranks"} on ${windowName(window)} granted at ${formatPs(time)}`;
  function arrowText([kind, fromRank, from, toRank, to, bytes]) {
    const size = bytes > 0 ? `, ${formatBytes(bytes)}` : "";
    return `${timeline.arrow_kinds[kind]}: rank ${fromRank} at ${formatPs(from)} to rank ${toRank} at ${formatPs(to)}${size}`;
  }
  function describeCalls(row, time) {
    const lines = [], calls = timeline.calls[row];
    for (let i = Math.max(0, firstFrom(calls, time) - 1); i < calls.length && calls[i][1] <= time; i++)
      if (timeline.activities[calls[i][3]] >= 0 && calls[i][1] + calls[i][2] >= time) lines.push(...callText(calls[i]));
    if (!lines.length) lines.push("computing");
    const inside = regions[row].filter(([from, until]) => from <= time && time <= until).map(([, , name]) => shortName(name));
    if (inside.length) lines.push(`in ${inside.join("/")}`);
    for (const epoch of epochs[row]) if (epoch[1] <= time && time <= epoch[2]) lines.push(epochText(epoch));
    return lines;
  }
  // The coarsest level whose pieces are no longer than that; else the finest one.
  const levelFor = (ps) => [...timeline.levels].reverse().find((level) => level.piece_ps <= ps) || timeline.levels[0];
  const shareOf = (text, at) => (text.charCodeAt(at) - 65) / 21;
  function describePieces(row, time, ps) {
    const level = levelFor(ps), at = 3 * Math.floor((time - level.from_ps) / level.piece_ps), text = level.rows[row];
    if (at < 0 || at >= text.length || text[at] === " ") return ["nothing was recorded"];
    const lines = [`in ${formatPs(level.piece_ps)}: ${formatShare(shareOf(text, at + 1))} ${activities[text.charCodeAt(at) - 65][0]}`];
    if (shareOf(text, at + 2) > 0) lines.push(`${formatShare(shareOf(text, at + 2))} waiting`);
    return lines;
  }
  function describe(row, time, ps) {
    const lines = timeline.calls ? describeCalls(row, time) : describePieces(row, time, ps);
    for (const wait of waits[row]) if (wait[2] <= time && time <= wait[3]) lines.push(waitText(wait));
    const node = timeline.nodes[rankOf(row)];
    return [`rank ${rankOf(row)}${node ? ` on ${shortName(node)}` : ""}, ${formatPs(time)}`, ...lines].join("\n");
  }
  // Where runs are aligned: when the first window is made on all ranks; the begin of what is shown where none is.
  function alignment() {
    let made = timeline.from_ps;
    for (const calls of timeline.calls || []) {
      const first = calls.find((call) => timeline.activities[call[3]] === 10);
      if (first) made = Math.max(made, first[1] + first[2]);
    }
    return made;
  }
  // [rank, index of the call] of what a text is found in: function, user region, window's name, file and line, wait state.
  function search(text) {
    const wanted = text.trim().toLowerCase(), hits = [];
    if (!wanted || !timeline.calls) return hits;
    const marks = (names) => names.map((name) => String(name).toLowerCase().includes(wanted));
    const functions = marks(timeline.functions), names = marks(timeline.regions), windows = marks(timeline.windows);
    const sites = marks(timeline.sites.map(([file, line]) => `${file}:${line}`)), patterns = marks(timeline.patterns);
    timeline.calls.forEach((calls, rank) => calls.forEach(([, , , number, handle, , , name], i) => {
      const kind = timeline.activities[number];
      const found = kind < 0 ? timeline.functions[number] === "enter" && names[name]
        : functions[number] || sites[name] || (kind >= 7 && kind <= 10 && windows[handle]) || waitsOf(rank, i).some((wait) => patterns[wait[4]]);
      if (found) hits.push([rank, i]);
    }));
    return hits.sort((a, b) => timeline.calls[a[0]][a[1]][1] - timeline.calls[b[0]][b[1]][1] || a[0] - b[0]);
  }
  // Numbers of activities and bands that there are.
  function occurring() {
    const seen = new Set([0]), made = new Set((timeline.epochs || []).map((epoch) => epoch[3]));
    for (const calls of timeline.calls || []) for (const call of calls) seen.add(timeline.activities[call[3]] < 0 ? 1 : timeline.activities[call[3]]);
    for (const text of timeline.levels ? timeline.levels[0].rows : [])
      for (let i = 0; i < text.length; i += 3) if (text[i] !== " ") seen.add(text.charCodeAt(i) - 65);
    return { activities: seen, bands: made };
  }
  return { aligned: alignment(), occurring, levelFor, shareOf, timeline, rows, rowOf, rankOf, regions, waits, epochs, grants, arrowsOf, callText, waitText, epochText, grantText, arrowText,
    describe, search, waitsOf };
}
