"""Chromium, driven as a user drives it: a client of chromedriver (W3C WebDriver) with real clicks, keys and frames."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Shift": "\ue008", "Home": "\ue011", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014",
        "Down": "\ue015", "Tab": "\ue004"}


class Fault(Exception):
    pass


class Browser:
    """Use it with 'with'. Raises Fault where no browser can be had, or where it refuses a command."""

    def __init__(self):
        driver, browser = shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("google-chrome")
        if not driver or not browser:
            raise Fault("no Chromium is installed (Debian: chromium, chromium-driver)")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.session = None
        try:
            port = next(line.split("port ")[1].strip(". \n") for line in self.driver.stdout if "successfully on port" in line)
            self.address = f"http://127.0.0.1:{port}/session"
            arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                         "--disable-sync", f"--user-data-dir={self.profile.name}"]
            made = self.send("POST", "", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"binary": browser, "args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.session = made["sessionId"]
        except BaseException as fault:
            self.close()
            raise fault if isinstance(fault, Fault) else Fault(f"chromedriver: {fault!r}")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        if self.session:
            self.send("DELETE", f"/{self.session}")
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        self.profile.cleanup()

    def send(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=100) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Fault(json.load(error)["value"]["message"].split("\n")[0]) from error

    def post(self, path, **body):
        return self.send("POST", f"/{self.session}/{path}", body)

    def devtools(self, command, **parameters):
        return self.post("goog/cdp/execute", cmd=command, params=parameters)

    def screen(self, width, height, dark=False, media=""):
        """What the page believes of the device that shows it."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.devtools("Emulation.setEmulatedMedia", media=media,
                      features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, file):
        self.post("url", url=f"file://{os.path.abspath(file)}")

    def script(self, text, *arguments):
        """The body of a function; a promise is waited for."""
        return self.post("execute/sync", script=text, args=list(arguments))

    def find(self, xpath):
        return self.post("element", using="xpath", value=xpath)[ELEMENT]

    def click(self, xpath):
        """As a user: what is hidden or covered cannot be clicked."""
        self.post(f"element/{self.find(xpath)}/click")

    def type(self, xpath, *keys):
        self.post(f"element/{self.find(xpath)}/value", text="".join(KEYS.get(key, key) for key in keys))

    def keys(self, *keys):
        """To what has the focus."""
        moves = [{"type": way, "value": KEYS.get(key, key)} for key in keys for way in ("keyDown", "keyUp")]
        self.post("actions", actions=[{"type": "key", "id": "keyboard", "actions": moves}])

    def said(self):
        """Errors on the console since the last call."""
        return [entry["message"] for entry in self.post("se/log", type="browser") if entry["level"] == "SEVERE"]

    def picture(self):
        """The window as PNG in base64."""
        return self.send("GET", f"/{self.session}/screenshot")

    def printed(self):
        """The page as PDF in base64."""
        return self.post("print")


if __name__ == "__main__":  # webdriver.py PAGE WIDTH HEIGHT light|dark PNG [SCRIPT]: what a page looks like
    import base64

    with Browser() as shown:
        shown.screen(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "dark")
        shown.open(sys.argv[1])
        for text in sys.argv[6:]:
            shown.script(text)
        with open(sys.argv[5], "wb") as out:
            out.write(base64.b64decode(shown.picture()))
