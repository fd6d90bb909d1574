// What a call is drawn as, in the order of enum activity in report/activities.h. The first palette has the colours by kind of
// call of a diploma thesis on the analysis of MPI programs (appendix 2) and colours of its own for one-sided calls; the second
// one can be told apart without red and green (after M. Okabe, K. Ito, Color Universal Design).
const activities = [
  ["computing", "#faf0f2", "#f2f2f2"],
  ["computing in a region", "#f7c9d4", "#dddddd"],
  ["collective", "#000000", "#000000"],
  ["send", "#1b6e32", "#0072b2"],
  ["non-blocking send", "#6fca7f", "#56b4e9"],
  ["receive, wait, send and receive", "#1d3f8f", "#004d73"],
  ["test, non-blocking receive", "#7fb0ef", "#9ad0f0"],
  ["put, get, accumulate", "#e08a00", "#e69f00"],
  ["fence, post, start, complete, wait", "#8a3fa0", "#cc79a7"],
  ["lock, unlock, flush", "#b5651d", "#d55e00"],
  ["window", "#5f4b8b", "#8c6d8c"],
  ["MPI_Init, MPI_Finalize, other", "#c3c8ce", "#b8b8b8"],
];
// In the order of enum band in report/views.c.
const bands = [
  ["access epoch (start)", "#d9480f", "#e69f00"],
  ["lock", "#b5651d", "#d55e00"],
  ["lock_all", "#8c5a2b", "#a34700"],
  ["fence epoch", "#8a3fa0", "#cc79a7"],
  ["exposure epoch (post)", "#0b7a75", "#009e73"],
];
const arrowColors = { data: "", "get: request": "#7a8490", "post to start": "#0b7a75", "complete to wait": "#c2185b",
  "unlock to put": "#b5651d", "release to grant": "#b5651d", message: "#1b6e32" };
let palette = 1;
const colorOf = (activity) => activities[activity][palette];
