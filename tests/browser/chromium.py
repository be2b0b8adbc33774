"""A headless Chromium, driven over a pipe with the DevTools protocol: no port, no driver, nothing but the standard library.

    with Chromium() as browser:
        page = browser.open(path, width=1200, height=900)
        page.run("document.title")
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-default-browser-check", "--disable-default-apps",
    "--disable-extensions", "--mute-audio", "--hide-scrollbars", "--remote-debugging-pipe",
]  # fmt: skip
PATIENCE = 60  # seconds until something that never comes is called missing


def chromium_path() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Chromium:
    """The browser process, with a profile of its own that goes with it."""

    def __enter__(self) -> Chromium:
        self.profile = tempfile.TemporaryDirectory(prefix="roast-chromium-", ignore_cleanup_errors=True)
        to_browser, self.to_browser = os.pipe()
        self.from_browser, from_browser = os.pipe()
        # The protocol wants descriptors 3 and 4 of the browser; a shell puts them there.
        place = f"exec 3<&{to_browser} 4>&{from_browser}; exec \"$0\" \"$@\""
        command = ["bash", "-c", place, chromium_path(), *FLAGS, f"--user-data-dir={self.profile.name}"]
        self.log = open(pathlib.Path(self.profile.name) / "log", "wb")
        self.process = subprocess.Popen(
            command, pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**os.environ, "HOME": self.profile.name},
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.unread = b""
        self.pages: dict[str, Page] = {}
        self.events: list[tuple[str, dict]] = []  # that belong to no page
        return self

    def __exit__(self, *_) -> None:
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError):
            self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.log.close()
        self.profile.cleanup()

    def message(self) -> dict:
        """The next message of the browser."""
        while b"\0" not in self.unread:
            part = os.read(self.from_browser, 1 << 20)
            if not part:
                raise RuntimeError("Chromium ended: " + self.ending())
            self.unread += part
        text, self.unread = self.unread.split(b"\0", 1)
        return json.loads(text)

    def ending(self) -> str:
        return (pathlib.Path(self.profile.name) / "log").read_text(errors="replace")[-800:]

    def call(self, method: str, session: str | None = None, **parameters):
        """Calls a method of the protocol and gives its result; events that come meanwhile go to their page."""
        self.number += 1
        wanted = self.number
        request = {"id": wanted, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        os.write(self.to_browser, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == wanted:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.take(message)

    def take(self, event: dict) -> None:
        page = self.pages.get(event.get("sessionId", ""))
        if page:
            page.take(event["method"], event["params"])
        else:
            self.events.append((event["method"], event["params"]))

    def trace(self, work) -> list[dict]:
        """What the browser did while work() ran: the events of its trace."""
        self.events.clear()
        self.call("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": ["toplevel", "__metadata"]})
        work()
        self.call("Tracing.end")
        while not any(method == "Tracing.tracingComplete" for method, _ in self.events):
            self.take(self.message())
        return [event for method, data in self.events if method == "Tracing.dataCollected" for event in data["value"]]

    def open(self, path: pathlib.Path, place: str = "", **options) -> Page:
        """A page, at a place of it ("#id")."""
        return Page(self, path.resolve().as_uri() + place, **options)


class Page:
    """One page: what it said on the console, what it asked of the network, and ways to use it as a person would."""

    def __init__(self, browser: Chromium, url: str, width=1200, height=900, scale=1, dark=False, scripts=True):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.target = target
        self.console: list[str] = []
        self.requests: list[str] = []
        self.events: list[tuple[str, dict]] = []
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.call(f"{domain}.enable")
        self.resize(width, height, scale)
        self.prefer(dark)
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Page.navigate", url=url)
        if scripts:
            self.wait("document.documentElement?.dataset.ready === 'yes'")
        else:
            self.wait_event("Page.loadEventFired")

    def take(self, method: str, parameters: dict) -> None:
        self.events.append((method, parameters))
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.console.append(json.dumps(parameters["args"]))
        elif method == "Runtime.exceptionThrown":
            self.console.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.console.append(parameters["entry"]["text"])
        elif method == "Audits.issueAdded" and "contentSecurityPolicy" in json.dumps(parameters):
            self.console.append(json.dumps(parameters["issue"]))

    def call(self, method: str, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def run(self, expression: str):
        """The value of an expression; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
                           userGesture=True)  # fmt: skip
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {json.dumps(result['exceptionDetails'])}")
        return result["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until the condition holds."""
        limit = time.monotonic() + PATIENCE
        while not self.run(condition):
            if time.monotonic() > limit:
                raise AssertionError(f"{condition} never came true; the console says {self.console}")
            self.call("Runtime.evaluate", expression="new Promise(r => requestAnimationFrame(() => r()))",
                      awaitPromise=True)  # fmt: skip

    def wait_event(self, name: str) -> None:
        while not any(method == name for method, _ in self.events):
            self.browser.take(self.browser.message())

    def settle(self) -> None:
        """Until what was asked for is drawn."""
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r))))")

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=False)  # fmt: skip

    def prefer(self, dark: bool, media: str = "") -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def box(self, selector: str) -> dict:
        """Where an element is, after opening what is folded around it and scrolling to it."""
        self.run(f"for (let at = document.querySelector({json.dumps(selector)}); at.parentElement; at = at.parentElement)"
                 " if (at.parentElement.tagName === 'DETAILS' && at.tagName !== 'SUMMARY') at.parentElement.open = true")  # fmt: skip
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center', behavior: 'instant'}})")
        self.settle()
        return self.run(
            f"(b => ({{x: b.x, y: b.y, width: b.width, height: b.height}}))"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )

    def mouse(self, kind: str, x: float, y: float, clicks: int = 0) -> None:
        button = {"button": "left", "clickCount": clicks} if kind != "mouseMoved" else {}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def move(self, x: float, y: float) -> None:
        self.mouse("mouseMoved", x, y)
        self.settle()

    def click(self, selector: str) -> None:
        box = self.box(selector)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.mouse("mousePressed", x, y, 1)
        self.mouse("mouseReleased", x, y, 1)
        self.settle()

    def double_click(self, x: float, y: float) -> None:
        for count in (1, 2):
            self.mouse("mousePressed", x, y, count)
            self.mouse("mouseReleased", x, y, count)
        self.settle()

    def drag(self, x0: float, x1: float, y: float) -> None:
        self.mouse("mouseMoved", x0, y)
        self.mouse("mousePressed", x0, y, 1)
        for step in range(1, 6):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x0 + (x1 - x0) * step / 5, y=y, button="left",
                      buttons=1)  # fmt: skip
        self.mouse("mouseReleased", x1, y, 1)
        self.settle()

    def key(self, key: str, shift: bool = False) -> None:
        code = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Escape": 27, "Tab": 9, "Enter": 13}
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        modifiers = 8 if shift else 0
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers,
                  windowsVirtualKeyCode=code.get(key, 0), **text)  # fmt: skip
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers)
        self.settle()

    def screenshot(self, path: pathlib.Path, whole: bool = True, clip: dict | None = None) -> None:
        options = {"clip": {**clip, "scale": 1}} if clip else {}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **options)["data"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data))

    def height(self) -> int:
        return self.run("Math.ceil(document.documentElement.getBoundingClientRect().height)")

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def close(self) -> None:
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.pages.pop(self.session, None)
