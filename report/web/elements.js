// Elements with text as text: nothing of a trace is ever read as markup.
function element(tag, attributes, ...children) {
  const made = tag === "svg" || element.drawing.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined)
    made.append(typeof child === "string" ? readable(child) : child);
  return made;
}
element.drawing = new Set(["rect", "line", "text", "circle", "path", "title", "g"]);

// Numbers stand to the right, text to the left.
const isNumber = (cell) => /^([-+±<] ?)?[\d.]+(e[-+]\d+)?( ?[a-zA-Z%/]{1,5})?$|^(unknown|measured|)$/.test(cell);
function table(head, rows, caption) {
  const cells = rows.map((row) => row.map(String)), right = head.map((_, i) => i > 0 && cells.every((row) => isNumber(row[i])));
  const longest = head.map((_, i) => Math.max(0, ...cells.slice(0, 2000).map((row) => String(row[i]).length)));
  const kind = (i) => (right[i] ? "number" : longest[i] > 30 ? "text long" : "text short");
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption || head.filter(Boolean).join(", ") },
    element("table", {}, caption ? element("caption", {}, caption) : null,
      element("thead", {}, element("tr", {}, head.map((name, i) => element("th", { scope: "col", class: kind(i) }, name)))),
      element("tbody", {}, cells.map((row) => element("tr", {}, row.map((cell, i) => element("td", { class: kind(i) }, cell)))))));
}

function section(title, ...children) {
  return element("section", { "aria-label": title }, element("h2", {}, title), ...children);
}

function swatch(color, name) {
  return element("span", { class: "swatch" }, element("b", { style: `background:${color}` }), name);
}

const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// The numbers behind a drawing, for those who cannot see it or want to copy them.
function behind(head, rows, title = "as a table") {
  return rows.length ? element("details", {}, element("summary", { class: "soft" }, title), table(head, rows)) : null;
}

// The same, made when it is opened.
function behindLater(title, head, rows) {
  const place = element("div");
  return element("details", { ontoggle: (event) => { if (event.target.open) place.replaceChildren(table(head, rows())); } },
    element("summary", { class: "soft" }, title), place);
}

function choice(label, names, chosen, act) {
  const made = element("select", { "aria-label": label, onchange: () => act(made.selectedIndex) },
    names.map((name, i) => element("option", { selected: i === chosen }, name)));
  return element("label", {}, `${label} `, made);
}

const tip = document.getElementById("tip");
function showTip(text, event) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
}
