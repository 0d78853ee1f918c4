"""A browser to look at pages with, for tests that are skipped where there is none."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module", name="browser")
def browser_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """Chromium or Chrome without a window, driven by Selenium, with nothing to do but the tests."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs the extra browser")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("needs chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in (
        "--headless",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Its sandbox refuses to run as root.
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    window = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield window
    window.quit()


def show(browser, path: Path, page: str, **media: str) -> None:
    """Opens a page from disk for a reader with these preferences (names with underscores)."""
    path.write_text(page, encoding="utf-8")
    features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.set_window_size(1050, 1000)
    browser.get(path.as_uri())
