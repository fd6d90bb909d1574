// Efficiency by interval: the tree of intervals beside the characteristics of the chosen one.
function efficiencySection(input) {
  const { intervals } = input.data.efficiency || { intervals: [] };
  if (!intervals.length) return null;
  const closed = new Set(), tree = element("div", { class: "rows" }), beside = element("div");
  let chosen = 0;
  const name = (one) => (one.level ? one.path.split("/").pop() : "the whole run"), inside = (i) => i + 1 < intervals.length && intervals[i + 1].level > intervals[i].level;
  const share = (value) => (value === null || value === undefined ? "unknown" : formatShare(value));
  const say = (key) => ({ time: "time", cpu: "user code", mpi: "MPI", start: "starting calls" }[key.replace(/_s$/, "")] || key.replace(/_s$/, "").replace(/_/g, " "));
  const choose = (i) => () => {
    if (i === chosen && inside(i)) if (closed.has(i)) closed.delete(i); else closed.add(i);
    chosen = i;
    draw();
    tree.querySelector("[aria-pressed=true]").focus({ preventScroll: true });
  };
  function draw() {
    const rows = [];
    for (let i = 0, hidden = Infinity; i < intervals.length; i++) {
      const one = intervals[i];
      if (one.level > hidden) continue;
      hidden = closed.has(i) ? one.level : Infinity;
      rows.push(element("button", { class: "row", type: "button", "aria-pressed": String(i === chosen),
        "aria-expanded": inside(i) ? String(!closed.has(i)) : null, onclick: choose(i) },
      element("span", { style: `padding-left:${one.level * 0.9}rem` }, element("i", { style: `width:${100 * Math.min(1, one.pop.parallel_efficiency || 0)}%` }),
        `${inside(i) ? (closed.has(i) ? "+ " : "- ") : ""}${shortName(name(one))}`), element("span", {}, `${formatSeconds(one.execution_s)}, ${share(one.pop.parallel_efficiency)}`)));
    }
    tree.replaceChildren(...rows);
    const one = intervals[chosen], { pop } = one;
    beside.replaceChildren(element("p", {}, `${shortName(one.path)}${one.file ? ` (${lastPart(shortName(one.file))}:${one.line})` : ""}: executed ${counted(one.executions, "time")}, ${formatSeconds(one.execution_s)}, `
      + `of all ranks ${formatSeconds(one.total_s)}, lost ${formatSeconds(one.lost_s)}.`),
    table(["POP's metrics", ""], [["parallel efficiency", share(pop.parallel_efficiency)], ["load balance", share(pop.load_balance)], ["communication efficiency", share(pop.communication_efficiency)],
      ...["serialization", "transfer", "computation_scaling", "global_efficiency"].filter((key) => pop[key] !== null).map((key) => [key.replace(/_/g, " "), share(pop[key])])]),
    table(["of the ranks", "sum", "least", "rank", "most", "rank", "mean"], Object.entries(one.characteristics).map(([key, of]) => [say(key), formatSeconds(of.sum),
      formatSeconds(of.min), of.min_rank, formatSeconds(of.max), of.max_rank, formatSeconds(of.mean)])));
  }
  draw();
  return section(`Efficiency of ${shortName(input.name)} by interval`, element("p", { class: "soft" }, "Time, and the share of it that is user code of all ranks (parallel efficiency). "
    + "Choose an interval to see it; choose it again to fold what is inside."), element("div", { class: "panels two" }, element("div", { class: "panel" }, element("h3", {}, "Interval"), tree),
  element("div", { class: "panel" }, element("h3", {}, "Characteristics"), beside)));
}
