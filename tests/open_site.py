"""Opens pages of the built site in a browser as on a telephone: python -m tests.open_site FOLDER.

In light and dark, 360 pixels wide: nothing may be wider than the screen, and the console has to stay empty.
"""

import asyncio
import sys
from pathlib import Path

from tests.tui.browser import Page, open_page

WIDTH = 360
PAGES = ("index", "tutorials/first-agent", "how-to/screens", "measured/learning", "measured/speed")
PAGES += ("measured/rows/index", "reference/index", "explanation/architecture", "search")


async def faults(page: Page, url: str) -> list[str]:
    """Return what is wrong with a page in both themes."""
    found = []
    for theme in ("light", "dark"):
        await page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        await page.ask("Page.navigate", url=url)
        await page.wait_for(f"document.readyState == 'complete' && location.href == '{url}'")
        width = await page.value("document.documentElement.scrollWidth")
        found += [f"{url}, {theme}: {complaint}" for complaint in page.complaints]
        found += [f"{url}, {theme}: {width} pixels wide"] * (width > WIDTH)
        page.complaints.clear()
    return found


async def main(site: Path) -> int:
    """Open all pages; return the exit status."""
    async with open_page("about:blank") as page:
        await page.ask("Log.enable")
        await page.ask("Runtime.enable")
        await page.ask("Emulation.setDeviceMetricsOverride", width=WIDTH, height=740, deviceScaleFactor=1, mobile=True)
        found = [fault for name in PAGES for fault in await faults(page, (site / f"{name}.html").as_uri())]
    print(*(found or [f"{len(PAGES)} pages of the site are sound in a browser."]), sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]).resolve())))
