// Run in a page: works every control of it at once, so that none is left out, and returns what it found.
const faults = [], counts = { controls: 0, drawings: 0, options: 0 };
window.addEventListener("error", (event) => faults.push(event.message));
const said = console.error;
console.error = (...what) => { faults.push(what.join(" ")); said(...what); };
const pointer = (canvas, name, x, y, buttons) => canvas.dispatchEvent(new PointerEvent(name, {
  clientX : canvas.getBoundingClientRect().x + x,
  clientY : canvas.getBoundingClientRect().y + y,
  buttons,
  pointerId : 1,
  bubbles : true
}));
function workDrawing(canvas) {
  counts.drawings++;
  for (const key of ["+", "+", "ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp", ".", ".", ",", "Enter", "-", "Home"])
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  for (let x = 2; x < canvas.clientWidth; x += 37)
    for (const y of [5, 30, canvas.clientHeight - 3])
      pointer(canvas, "pointermove", x, y, 0);
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, bubbles: true, cancelable: true }));
  canvas.setPointerCapture = () => {};
  pointer(canvas, "pointerdown", 200, 30, 1);
  pointer(canvas, "pointermove", 240, 30, 1);
  pointer(canvas, "pointerup", 240, 30, 0);
  pointer(canvas, "pointerleave", 240, 30, 0);
}
function work() {
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const select of document.querySelectorAll("select"))
    for (let i = select.options.length - 1; i >= 0; i--) {
      select.selectedIndex = i;
      select.dispatchEvent(new Event("change"));
      counts.options++;
    }
  for (const field of document.querySelectorAll("input[type=search]"))
    for (const text of ["MPI_Win_complete", "late post", "no such thing"]) {
      field.value = text;
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    }
  // Each click of a row in the panels makes the rows anew: by number.
  for (let i = 0; i < document.querySelectorAll("button").length && i < 200; i++) {
    document.querySelectorAll("button")[i].click();
    counts.controls++;
  }
  for (const box of document.querySelectorAll("input[type=checkbox]")) { box.click(); box.click(); counts.controls++; }
  for (const canvas of document.querySelectorAll("canvas")) workDrawing(canvas);
}
try { work(); } catch (fault) { faults.push(`while working: ${fault.stack}`); }
const nameless = [...document.querySelectorAll("canvas, select, input, svg:not([aria-hidden])")].filter((one) => !one.getAttribute("aria-label") && !one.closest("label")).length;
return new Promise((done) => setTimeout(() => done({ faults, counts, nameless, hacked: window.hacked || 0 }), 100));
