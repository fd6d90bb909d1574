"""page.py PAGE...: how long Chromium takes to open a page of rmacast report until it is drawn, and for a frame while the time
lines are zoomed and moved by the keyboard. Prints milliseconds; the least, median and largest of five openings."""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/predict"))
from webdriver import Browser  # noqa: E402

OPENED = """return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"""
# Each step is drawn in the frame behind it; getImageData waits until it is there.
FRAMES = """const canvas = document.querySelector('.line canvas'), steps = arguments[0];
return new Promise((done) => {
  const times = [];
  const step = () => {
    if (times.length === steps.length) { done(times); return; }
    const begin = performance.now();
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key: steps[times.length], bubbles: true, cancelable: true }));
    requestAnimationFrame(() => {
      canvas.getContext('2d').getImageData(0, 0, 1, 1);
      times.push(performance.now() - begin);
      setTimeout(step);
    });
  };
  step();
});"""


def main():
    steps = ["+"] * 20 + ["ArrowRight"] * 20 + ["-"] * 20
    with Browser() as browser:
        browser.screen(1280, 900)
        for page in sys.argv[1:]:
            opened, frames = [], []
            for _ in range(5):
                browser.open(page)
                opened.append(browser.script(OPENED))
                frames += browser.script(FRAMES, steps)
            print(f"{page}: {os.path.getsize(page) / 1e6:.1f} MB, opened in {min(opened):.0f} / {statistics.median(opened):.0f} / "
                  f"{max(opened):.0f} ms, a frame while zooming {statistics.median(frames):.0f} ms, at most {max(frames):.0f} ms")


main()
