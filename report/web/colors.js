// What a call is drawn as, in the order of enum activity in report/timeline.c. The first palette has the colours by kind of call
// of the diploma thesis (M.-A. Hermanns, 2004) and colours of its own for one-sided calls; the second one can be told apart
// without red and green (after M. Okabe, K. Ito, Color Universal Design).
const activities = [
  ["computing", "#f3e9ec", "#eeeeee"],
  ["user region", "#f7c9d4", "#dddddd"],
  ["collective", "#000000", "#000000"],
  ["send", "#1b6e32", "#0072b2"],
  ["non-blocking send", "#6fca7f", "#56b4e9"],
  ["receive, wait", "#1d3f8f", "#004d73"],
  ["test, non-blocking receive", "#7fb0ef", "#9ad0f0"],
  ["put, get, accumulate", "#e08a00", "#e69f00"],
  ["fence, post, start, complete, wait", "#8a3fa0", "#cc79a7"],
  ["lock, unlock, flush", "#b5651d", "#d55e00"],
  ["window", "#5f4b8b", "#8c6d8c"],
  ["other", "#b9bec5", "#b0b0b0"],
];
let palette = 1;
const colorOf = (activity) => activities[activity][palette];
