// Numbers as people read them, and names of traces, which may hold anything.
const units = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"], [1e-12, "ps"]];
function formatSeconds(seconds) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return "unknown";
  if (seconds === 0) return "0";
  const [scale, name] = units.find(([unit]) => Math.abs(seconds) >= unit) || units[units.length - 1];
  return `${Number((seconds / scale).toPrecision(4))} ${name}`;
}
// Both in the unit of the value.
function formatWithError(seconds, error) {
  const [scale, name] = units.find(([unit]) => Math.abs(seconds) >= unit) || units[units.length - 1];
  return `${Number((seconds / scale).toPrecision(4))} ± ${Number((error / scale).toPrecision(2))} ${name}`;
}
const formatPs = (ps) => formatSeconds(ps * 1e-12);
const formatShare = (share) => (share > 0 && share < 0.0005 ? "< 0.1 %" : `${(100 * share).toFixed(Math.abs(share) < 0.0995 ? 1 : 0)} %`);
function formatBytes(bytes) {
  for (const [scale, name] of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]])
    if (bytes >= scale) return `${Number((bytes / scale).toPrecision(4))} ${name}`;
  return `${bytes} B`;
}
function formatRate(rate) {
  for (const [scale, name] of [[1e9, "GB/s"], [1e6, "MB/s"], [1e3, "kB/s"]])
    if (rate >= scale) return `${Number((rate / scale).toPrecision(3))} ${name}`;
  return `${Number(rate.toPrecision(3))} B/s`;
}
// A table of words that knows no other names, whatever a trace asks for.
const words = (table) => Object.assign(Object.create(null), table);
// Wait states that are a part of another one.
const partOf = words({ late_complete: "early_wait", early_fence: "wait_at_fence", wrong_order: "late_sender" });
const patternTitle = (name) => name.split("_").map((word) => (word === "at" || word === "in" || word === "for" ? word
  : word === "nxn" ? "NxN" : word[0].toUpperCase() + word.slice(1))).join(" ");
const sum = (values) => values.reduce((total, value) => total + value, 0);

// Control characters, and those that turn the direction of writing, become visible: a name must not look like another one.
const readable = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
const nameMost = 120;
const shortName = (text, most = nameMost) => {
  const whole = String(text);
  return readable(whole.length > most ? `${whole.slice(0, most)}... (${whole.length} characters)` : whole).replace(/[\n\t]/g, " ");
};
// Files without their directories, where a line stands behind them.
const withoutDirectories = (text) => shortName(text, 1000).replace(/(?:[^\s(),:/]*\/)+([^\s(),:/]+:\d+)/g, "$1");
const lastPart = (path) => path.split("/").pop();
