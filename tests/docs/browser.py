"""A headless Chromium, spoken to in its DevTools protocol: JSON texts through two pipes."""

import base64
import json
import os
import shutil
import subprocess


class Browser:
    """with Browser(folder) as browser: ... ; it keeps what it needs in the folder."""

    def __init__(self, folder):
        to_browser, self._commands = os.pipe()
        self._answers, from_browser = os.pipe()
        self._number, self._session, self._rest = 0, None, b""
        self.heard = []

        def three_and_four():
            # Away first, as one of them may be the other's number.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self._process = subprocess.Popen(
            [shutil.which("chromium"), "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={folder}/profile"],
            preexec_fn=three_and_four, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)})
        os.close(to_browser)
        os.close(from_browser)

    def __enter__(self):
        page = self.do("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.do("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        os.close(self._commands)
        os.close(self._answers)
        self._process.kill()
        self._process.wait()

    def _receive(self):
        while b"\0" not in self._rest:
            more = os.read(self._answers, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def do(self, method, **parameters):
        """Makes the browser do something, and returns its answer; events go to `heard`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.heard.append(answer)

    def open(self, address, width, height, dark=False):
        """Loads a page in a window of this size; returns when it is loaded."""
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height,
                deviceScaleFactor=1, mobile=width < 500)
        self.do("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.heard.clear()
        self.do("Page.navigate", url=address)
        while not self.events("Page.loadEventFired"):
            self.heard.append(self._receive())

    def events(self, *methods):
        return [event["params"] for event in self.heard if event.get("method") in methods]

    def evaluate(self, expression):
        return self.do("Runtime.evaluate", expression=expression,
                       returnByValue=True)["result"].get("value")

    def screenshot(self, path):
        shot = self.do("Page.captureScreenshot", captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
