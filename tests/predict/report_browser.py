"""report_browser.py CLICKS [--long]: works the pages of report_browser.sh in Chromium with clicks and keys. Exit status 77: it does
not start."""
import base64
import sys

from webdriver import Browser, Fault

failures = []
BUTTON = "//button[normalize-space()='%s']"
SELECT = "//select[@aria-label='%s']"
SEARCH = "//input[@type='search']"
# Pictures of the time lines change with what they show. Two frames later everything is drawn.
DRAWN = "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(%s))))"
PICTURES = DRAWN % "[...document.querySelectorAll('.line canvas')].map((one) => one.toDataURL()).join()"
STATUS = DRAWN % "document.querySelector('.chosen').textContent"
# Text of the rows in the panel with a title: [name, value], as people see it.
PANEL = """return [...[...document.querySelectorAll('.panel')].find((one) => one.querySelector('h3').textContent === arguments[0])
    .querySelectorAll('.row')].map((row) => [...row.querySelectorAll(':scope > span')].map((one) => one.textContent))"""
ROW = "//div[@class='panel'][h3='%s']//button[contains(., '%s')]"


def check(condition, *said):
    if not condition:
        failures.append(" ".join(str(word) for word in said))


class Page:
    def __init__(self, browser, name, width=1280, height=900, dark=False):
        self.browser, self.name = browser, name
        browser.screen(width, height, dark)
        browser.open(f"{name}.html")
        self.size = (width, height)

    def check(self, condition, *said):
        check(condition, f"{self.name} at {self.size[0]} pixels:", *said)

    def equal(self, found, expected, what):
        self.check(found == expected, f"{what} is {found!r}, expected {expected!r}")

    def shows(self, *texts):
        shown = self.browser.script("return document.body.innerText + document.title")
        for text in texts:
            self.check(text in shown, f"'{text}' is not shown")

    def fits(self):
        # Not of window.innerWidth: that grows with what is too wide on a telephone.
        wider = self.browser.script("return document.documentElement.scrollWidth") - self.size[0]
        self.check(wider <= 0, f"{wider} pixels wider than the window")

    def works(self, clicks):
        found = self.browser.script(clicks)
        self.equal(found["faults"], [], "faults")
        self.equal(found["hacked"], 0, "what a name of the trace did")
        self.equal(found["nameless"], 0, "controls without a name")
        self.equal(self.browser.said(), [], "the console")
        self.fits()
        return found["counts"]


def everything(browser, clicks):
    """A run, its prediction, and everything that can be given with them."""
    page = Page(browser, "all")
    page.shows("HOW LONG", "WHERE THE TIME GOES", "WHAT TO CHANGE", "Validation validation.json", "Campaign campaign.json", "Platform measured",
               "Strong scaling, scaling.json", "Slopes, sensitivity.json", "The runs side by side", "Time lines", "Comparison comparison.json",
               # The error of predictions is the largest that was measured: 10 % of the campaign, or more by the validation.
               "Bracket: error of the prediction, ", "1 prediction against runs: error +10.0 % in the median",
               "a: more than 8 ranks do not pay.")
    # Run time and speed-up of two points, the measured run at 2 ranks, and 4 / 4 and 8 / 4 without loss (and 2 / 4).
    points = browser.script("""const scaling = document.querySelector("section[aria-label='Strong scaling, scaling.json']");
        return [scaling.querySelectorAll('.point').length, [...scaling.querySelectorAll('.swatch')].map((one) => one.textContent).join()]""")
    page.equal(points, [8, "a: start waits,measured,a: start waits,without loss"], "points of scaling")
    points = browser.script("return document.querySelectorAll('.point').length")
    page.check(points >= 9, f"{points} points in the plots")
    time_lines(page)
    prints(page)
    browser.screen(1280, 900)
    counts = page.works(clicks)
    page.check(counts["drawings"] == 4 and counts["controls"] >= 16 and counts["options"] >= 26, counts)
    Page(browser, "all", 390, 844, dark=True).works(clicks)


def scaling_alone(browser, clicks):
    """Two semantics at 8 ranks: no difference within the error, or one that the prediction tells. The card leads to the curve."""
    for name, said in [("alike", "a to d make no difference"), ("unlike", "c: complete waits: 10 % less")]:
        page = Page(browser, name)
        page.shows(said, "a, c: more than 8 ranks do not pay.")
        leads = browser.script("return [...document.querySelectorAll('[data-card]')].map((one) => one.dataset.card + one.hash).join()")
        page.equal(leads, "How long#Scaling,Other libraries, other clusters#Scaling,How sure#Scaling", "where cards lead")


def generated(browser, clicks):
    """A generated run, whose calls take no time, and its prediction: the page is about the prediction, and the strip shows its waits."""
    page = Page(browser, "generated")
    page.shows("on 64 ranks, predicted", "The run of 64 ranks is generated: its calls take no time, its computing ")
    red = browser.script(DRAWN % """(() => {
        const strip = document.querySelector("canvas[aria-label^='waiting and other time']");
        const data = strip.getContext('2d').getImageData(70, 4, strip.width - 80, 40).data;
        return data.some((value, i) => i % 4 === 0 && value > data[i + 1] + 80);
    })()""")
    page.equal(red, True, "whether the strip shows waiting")


def time_lines(page):
    """Views by the keyboard, search, zoom, the chosen call."""
    browser, seen = page.browser, {}
    for view in ["calls only", "base", "extended", "closed", "logical", "dependencies", "true ends"]:
        about = browser.script("return [...document.querySelectorAll('section p.soft')].map((one) => one.textContent).join()")
        chosen = browser.script("const one = document.querySelector(\"select[aria-label='view']\"); return one.options[one.selectedIndex].text")
        page.check(chosen.startswith(view), f"view {chosen}, expected {view}")
        page.check(view in ("calls only", "true ends") or f"{view}: " in about, f"nothing is said about view {view}")
        seen[view] = browser.script(PICTURES)
        browser.type(SELECT % "view", "Down")
    # By hand: one put and one get, which are drawn in every view but the first; their data arrive elsewhere under base, extended
    # and logical; the arrows of dependencies are more than those of closed.
    page.equal(len({seen[view] for view in ["calls only", "base", "extended", "dependencies", "true ends"]}), 5, "number of pictures")
    browser.type(SEARCH, "MPI_Win_wait", "Enter")
    page.check("MPI_Win_wait" in browser.script(STATUS), "the call that was found is not told:", browser.script(STATUS))
    page.shows("1 of 2")  # one in the run, one in the prediction
    browser.type(SEARCH, "Enter")
    page.shows("2 of 2")
    browser.click(BUTTON % "previous")
    page.shows("1 of 2")
    browser.click(BUTTON % "whole run")
    # The prediction is shorter than the run: stretched, its last call is further to the right.
    together = browser.script(PICTURES)
    browser.type(SELECT % "runs", "Down", "Down")
    page.check(browser.script(PICTURES) != together, "stretched runs look as before")
    browser.type(SELECT % "runs", "Up", "Up")
    page.check(browser.script(PICTURES) == together, "runs that begin together are drawn otherwise than before")
    browser.script("document.querySelector('.line canvas').focus()")
    whole = browser.script(PICTURES)
    browser.keys("+", "Right")
    page.check(browser.script(PICTURES) != whole, "plus and an arrow key do not zoom and move")
    browser.keys("Home")
    page.check(browser.script(PICTURES) == whole, "Home does not show the whole run")
    browser.keys(",")  # before MPI_Win_wait rank 1 posts
    page.check("MPI_Win_post" in browser.script(STATUS), "comma chooses another call:", browser.script(STATUS))
    browser.keys("Tab")
    page.equal(browser.script("return document.activeElement.tagName"), "SUMMARY", "what Tab goes to behind a drawing")


def prints(page):
    """On paper: black on white, without controls, everything that lists hold."""
    browser = page.browser
    browser.screen(1280, 900, dark=True, media="print")
    page.equal(browser.script("return getComputedStyle(document.querySelector('.tools')).display"), "none", "display of controls")
    page.equal(browser.script("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)", "paper")
    paper = base64.b64decode(browser.printed())
    pages = paper.count(b"/Type /Page") - paper.count(b"/Type /Pages")
    page.check(paper.startswith(b"%PDF") and 1 < pages < 20, f"{pages} printed pages")


def hostile(browser, clicks):
    """By hand: rank 0 waits in the barrier from 30 to 80 us, of 100 us of two ranks. Both are in barriers for 90 us, and make
    windows for 40 us."""
    page = Page(browser, "evil")
    page.shows("The run of 2 ranks took 100 us. MPI takes 65 % of all ranks' time; user code takes 35 %. The largest part of it is "
               "MPI_Barrier with 45 %. The largest wait state is Wait at Barrier (a rank waits in a barrier for the last rank to arrive): 50 us over all ranks, 25 % of their time",
               "</title><script>window.hacked=3", "a\\u0001\\u001b[31m\\u202egnp.exe")
    page.equal(browser.script("return document.querySelectorAll('img').length"), 0, "number of images that names became")
    # The panels filter each other: all 50 us are on rank 0; the whole window's making, 20 us a rank, on both.
    page.check(["wait: Wait at Barrier", "50 us"] in browser.script(PANEL, "What"), "the wait is not in the panel")
    page.equal([value for _, value in browser.script(PANEL, "On which rank")], ["50 us", "0"], "waiting by rank")
    browser.click(ROW % ("What", "window"))
    page.equal([value for _, value in browser.script(PANEL, "On which rank")], ["20 us", "20 us"], "making the window by rank")
    page.equal(browser.script(PANEL, "Where"), [["MPI_Win_create", "40 us"]], "call paths of the window")
    browser.click(ROW % ("On which rank", "rank 1"))
    page.equal(browser.script(PANEL, "Where"), [["MPI_Win_create", "20 us"]], "call paths of the window on rank 1")
    page.equal(browser.script("return document.activeElement.textContent"), "rank 120 us", "what has the focus behind a choice")
    # A tree: 130 us in MPI are the window's making, 20 a rank, and the barrier, 70 and 20; the wait is a part of the barrier.
    browser.keys("Enter")
    page.equal(browser.script(PANEL, "On which rank"), [["rank 0", "20 us"], ["rank 1", "20 us"]], "ranks when the choice is undone by Enter")
    page.equal(browser.script(PANEL, "What")[:4], [["MPI", "130 us"], ["collective", "90 us"], ["wait: Wait at Barrier", "50 us"], ["window", "40 us"]], "tree")
    browser.type(SELECT % "rows", "Down")
    page.equal(browser.script(PANEL, "What")[:4], [["MPI", "0"], ["collective", "40 us"], ["wait: Wait at Barrier", "50 us"], ["window", "40 us"]], "tree, alone")
    browser.type(SELECT % "rows", "Up")
    browser.type(SELECT % "ranks", "Down", "Down")
    page.equal(browser.script("return [...document.querySelectorAll('.tile')].map((one) => one.getAttribute('aria-label'))"),
               ["rank 0: 20 us", "rank 1: 20 us"], "process grid")
    browser.type(SELECT % "ranks", "Up", "Up")
    browser.click(ROW % ("On which rank", "rank 1"))
    page.check(not any("wait:" in name for name, _ in browser.script(PANEL, "What")), "rank 1 waits")
    browser.type(SELECT % "values", "Down")
    page.equal(browser.script(PANEL, "Where"), [["MPI_Win_create", "10 %"]], "share of 200 us")
    browser.click(BUTTON % "show all")
    page.check(["wait: Wait at Barrier", "25 %"] in browser.script(PANEL, "What"), "'show all' does not show all")
    page.works(clicks)


def parts_missing(browser, clicks):
    page = Page(browser, "part")
    page.equal(browser.script("return document.querySelector('[role=alert]').textContent"), "part.json is incomplete: rank 0 was killed.", "alert")
    page.works(clicks)


def first_screen(browser, clicks):
    """A stranger sees on the first screen where the time goes, the line, and what to change."""
    for width, height in [(1280, 900), (390, 844)]:
        page = Page(browser, "sites", width, height, dark=width < 500)
        cards = browser.script("return [...document.querySelectorAll('.card')].map((one) => [one.innerText, one.getBoundingClientRect().bottom])")
        page.equal([text.split("\n")[0].rstrip(" \u2193") for text, _ in cards], ["HOW LONG", "WHERE THE TIME GOES", "WHAT TO CHANGE",
                                                                "WHO CAUSES IT", "OTHER LIBRARIES, OTHER CLUSTERS", "HOW SURE"], "cards")
        page.check(width < 500 or cards[-1][1] <= height, f"the first screen ends at {cards[-1][1]}")
        page.check("app.c:31" in cards[1][0], "app.c:31 is not in the card of where the time goes")
        page.check(cards[1][1] <= height, f"where the time goes ends at {cards[1][1]}")
        page.check(width < 500 or cards[2][1] <= height / 2, f"what to change ends at {cards[2][1]}")
        page.fits()
        page.works(clicks)


def alone(browser, clicks):
    """Results without a recorded run have a first screen, too. Figures are those of report_browser.sh's inputs."""
    shown = {"comparison": ["WHERE THE TIME GOES", "OTHER LIBRARIES, OTHER CLUSTERS", "a: start waits", "Nine of ten runs lie so close"],
             "scaling": ["1 s on 8 ranks", "8 ranks take 900 ms to 1.2 s"],
             "validation": ["HOW LONG", "measured", "off at worst"], "advice": ["WHAT TO CHANGE", "Nine of ten runs lie so close"],
             "messages": ["One-sided instead of messages: the best, p2p=", ": no reason to change."]}
    for name, texts in shown.items():
        page = Page(browser, f"{name}_alone")
        page.shows("HOW SURE", *texts)
        page.works(clicks)
        Page(browser, f"{name}_alone", 390, 844).fits()


def new_controls(browser, clicks):
    """Tiles lead to their part; ? shows the keys; the window is in the address; control and the wheel zoom, the wheel alone does
    not; shift and dragging tell a range; wait states have their meaning beside them; no folder of this machine is in the page."""
    page = Page(browser, "all")
    page.equal(browser.script("return [...document.querySelectorAll('.card a')].every((one) => document.getElementById(one.hash.slice(1)))"), True, "targets of tiles")
    page.check(browser.script("return document.querySelectorAll('.card a').length") >= 4, "fewer than 4 tiles lead anywhere")
    page.check(browser.script("return [...document.querySelectorAll('td')].some((one) => one.textContent.includes('an origin waits in start or complete for a'))"),
               "a wait state has no meaning beside it")
    told = browser.script("return [...document.querySelectorAll('button.row.wait[data-key^=metric]')].filter((one) => !one.title).map((one) => one.innerText).join()")
    page.equal(told, "", "wait states without a meaning in the panels")
    page.shows("The largest wait state is Late Post (an origin waits in start or complete for a")
    browser.script("document.querySelector('.line canvas').focus()")
    browser.keys("?")
    page.equal(browser.script("return [...document.querySelectorAll('details')].some((one) => one.open && one.innerText.startsWith('keys'))"), True, "keys shown by ?")
    wheel = """const canvas = document.querySelector('.line canvas');
        return canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, ctrlKey: %s, bubbles: true, cancelable: true }))"""
    before = browser.script(PICTURES)
    page.equal(browser.script(wheel % "false"), True, "whether the page scrolls by the wheel")
    page.check(browser.script(PICTURES) == before, "the wheel alone zooms")
    page.equal(browser.script(wheel % "true"), False, "whether the page scrolls by control and wheel")
    page.check(browser.script(PICTURES) != before, "control and wheel do not zoom")
    page.check(browser.script("return location.hash").startswith("#t="), "the address has no window:", browser.script("return location.hash"))
    # The whole recorded run has 600 us of 2 ranks.
    told = browser.script("""const canvas = document.querySelector('.line canvas'), box = canvas.getBoundingClientRect();
        canvas.setPointerCapture = () => {};
        for (const [name, x] of [['pointerdown', 300], ['pointermove', 500]])
          canvas.dispatchEvent(new PointerEvent(name, { clientX: box.x + x, clientY: box.y + 30, shiftKey: true, pointerId: 1, bubbles: true }));
        return document.querySelector('.chosen').textContent""")
    page.check("all ranks: MPI " in told and ", waits " in told, "the range is not told:", told)


def slices(browser, clicks):
    """The strip above the time lines. Each of 200 iterations of 1 ms ends with the barrier, in which rank 0 waits 0.1 ms; the 121st takes
    11 ms, of which it waits 10.1. At most 100 groups have two each: in that of 121 and 122, from 120 to 132 ms, 10.2 of 24 ms are in
    calls, and user code is 1.8 and 12 ms. A click moves the window to it and half of it at both sides. A run without a loop has time
    slices."""
    page = Page(browser, "steps")
    page.shows("waiting", "other time in calls", "of all ranks, 200 iterations of the loop at MPI_Barrier", "Stands out: iterations 121 to 122 (43 % in calls, Wait at Barrier).")
    browser.click(BUTTON % "iterations 121 to 122")
    page.equal(browser.script(DRAWN % "location.hash"), "#t=114000000000,138000000000", "the window behind the click")
    browser.click("//summary[.='iterations, as a table']")
    told = browser.script(DRAWN % "[...[...document.querySelectorAll('table')].find((one) => one.innerText.includes('stands out')).rows[62].cells].map((one) => one.textContent)")
    page.equal(told, ["iterations 121 to 122", "12 ms", "120 ms", "132 ms", "57 %", "0.57", "43 %", "4", "0", "", "Wait at Barrier", "Wait at Barrier"], "the slice in the table")
    page.works(clicks)
    Page(browser, "evil").shows(", since no loop was found")
    # Runs of 210 and 1.15 ms.
    page = Page(browser, "apart")
    page.equal(browser.script("return document.querySelector(\"select[aria-label='runs']\").selectedOptions[0].text"), "are stretched to one length", "runs")


def intervals(browser, clicks):
    """The tree of intervals. Of 2 x 210 ms rank 0 is 199 x 0.1 + 10.1 = 30 ms in barriers: 390 of 420 are user code."""
    page = Page(browser, "steps")
    page.shows("Efficiency of steps.txt by interval", "- the whole run", "210 ms, 93 %", "run: executed 1 time, 210 ms, of all ranks 420 ms")
    browser.click("//button[@class='row'][starts-with(., 'main210 ms')]")
    page.shows("main: executed 1 time")
    browser.click("//button[@class='row'][starts-with(., '- the whole run')]")
    browser.click("//button[@class='row'][starts-with(., '- the whole run')]")
    page.shows("+ the whole run")


def many_ranks(browser, clicks):
    """1024 ranks fit a screen, and their page is not too large; of their list the worst 16 are shown, and the others by a click."""
    page = Page(browser, "many")
    page.equal(len(browser.script(PANEL, "On which rank")), 17, "rows of ranks")
    browser.click(ROW % ("On which rank", "1008 other ranks"))
    page.equal(len(browser.script(PANEL, "On which rank")), 1025, "rows of all ranks")
    browser.click(ROW % ("On which rank", "fewer ranks"))
    height = browser.script("return document.querySelector('.line canvas').clientHeight")
    page.check(height <= 700, f"1024 ranks are {height} pixels high")
    page.fits()


def long_runs(browser, clicks):
    page = Page(browser, "levels")
    page.shows("Aggregated, since the run has too many calls to show each.")
    page.works(clicks)


DRAG = """const canvas = document.querySelector('.line canvas'), box = canvas.getBoundingClientRect();
    canvas.setPointerCapture = () => {};
    for (const [name, x] of [['pointerdown', 600], ['pointermove', 500], ['pointerup', 500]])
      canvas.dispatchEvent(new PointerEvent(name, { clientX: box.x + x, clientY: box.y + 30, pointerId: 1, bubbles: true }))"""


def every_control(browser, clicks, name, ranks):
    """The time lines by keys, buttons, dragging, search and the strip; then every control at once, on a telephone, too."""
    page = Page(browser, name)
    page.check(f": {ranks} ranks, " in browser.script("return document.querySelector('.line canvas').getAttribute('aria-label')"), "other ranks")
    whole = browser.script(PICTURES)
    browser.click(BUTTON % "zoom in")
    zoomed = browser.script(PICTURES)
    page.check(zoomed != whole, "'zoom in' changes nothing")
    browser.script(DRAG)
    page.check(browser.script(PICTURES) not in (whole, zoomed), "dragging does not move")
    browser.script("document.querySelector('.line canvas').focus()")
    browser.keys("Home")
    browser.script("document.activeElement.blur()")
    page.check(browser.script(PICTURES) == whole, "Home does not show the whole run")
    browser.click("//label[contains(., 'waits')]")
    page.check(browser.script(PICTURES) != whole, "without waits it looks the same")
    browser.click("//label[contains(., 'waits')]")
    browser.click(BUTTON % "zoom in")
    before = browser.script(DRAWN % "location.hash")
    browser.click("//section[@aria-label='Time lines']/canvas")
    browser.script("document.querySelector('section[aria-label=\"Time lines\"] > canvas').dispatchEvent(new MouseEvent('click', { clientX: 200 }))")
    page.check(browser.script(DRAWN % "location.hash") != before, "a click on the strip does not move the window")
    if browser.script("return Boolean(document.querySelector('input[type=search]'))"):
        browser.type(SEARCH, "MPI_Win_complete", "Enter")
        page.check("MPI_Win_complete" in browser.script(STATUS), "the call that was found is not told:", browser.script(STATUS))
    page.works(clicks)
    Page(browser, name, 390, 844, dark=True).works(clicks)


def sizes(browser, clicks):
    for name, ranks in [("ring", 4), ("middle", 64), ("many", 1024)]:
        every_control(browser, clicks, name, ranks)


def million(browser, clicks):
    every_control(browser, clicks, "long", 1024)


def posts(browser, _):
    """A search for a wait state finds the calls that wait, not others that begin at the same moment. Of the ring each rank posts
    and starts at once, and the posts of four are later than the starts that wait for them."""
    page = Page(browser, "ring")
    for found in range(1, 5):
        browser.type(SEARCH, *(["Late Post"] if found == 1 else []), "Enter")
        page.shows(f"{found} of 4")
        page.check("MPI_Win_start" in browser.script(STATUS) and "Late Post" in browser.script(STATUS),
                   "Late Post is found in another call than MPI_Win_start:", browser.script(STATUS))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        clicks = file.read()
    try:
        browser = Browser()
    except Fault as fault:
        print(f"SKIPPED: Chromium does not start ({fault}), so that no page is opened")
        return 77
    with browser:
        for work in [million] if "--long" in sys.argv else [everything, hostile, parts_missing, first_screen, alone, long_runs, new_controls, scaling_alone, generated, slices, intervals, many_ranks, sizes, posts]:
            try:
                work(browser, clicks)
            except Fault as fault:
                failures.append(f"{work.__name__}: {fault}")
    for text in failures:
        print(f"FAILED: {text}")
    return 1 if failures else 0


sys.exit(main())
