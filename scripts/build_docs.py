"""Build the site: the pages of `docs`, and those that are made of the program, by Sphinx.

    python scripts/build_docs.py [--out build/docs]

A warning of Sphinx is an error. Nothing is fetched.
"""

import argparse
import re
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from handbook import agents, api, commands, games, measured, store_tables
from handbook.graphs import picture as picture_of
from sphinx.cmd.build import main as sphinx

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MAKERS = (commands, games, agents, api, measured, store_tables)
FROM_ELSEWHERE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "agents/outside/PROTOCOL.md": "reference/protocol.md",
}
"""Pages that stand elsewhere in the repository, and their places in the site."""
LINK = re.compile(r"(?P<mark>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<path>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")
GRAPH = re.compile(r"^```mermaid\n(?P<graph>.*?)^```", re.M | re.S)
SOURCE = re.compile(r'(?P<name>src|srcset)="(?P<path>[^"]+)"')


def main(arguments: list[str]) -> int:
    """Build the site; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs", help="folder of the site (build/docs)")
    out = parser.parse_args(arguments).out.resolve()
    start = time.monotonic()
    source = out / "source"
    write_sources(source)
    status = sphinx(
        ["-W", "--keep-going", "-q", "-j", "auto", "-d", str(out / "trees"), str(source), str(out / "html")]
    )
    if status == 0 and (missing := missing_files(out / "html")):
        print(*missing, sep="\n", file=sys.stderr)
        return 1
    if status == 0:
        print(f"The site is in {out / 'html' / 'index.html'}, built in {time.monotonic() - start:.0f} s.")
    return int(status)


def write_sources(source: Path) -> None:
    """Write all pages and pictures into a folder, for Sphinx."""
    made = {path: text for maker in MAKERS for path, text in maker.pages().items()}
    for page in DOCS.rglob("*"):
        name = page.relative_to(DOCS)
        if page.is_file() and "__pycache__" not in name.parts:
            made[str(name)] = linked(page, name, source) if page.suffix == ".md" else page.read_bytes()
    for place, name in FROM_ELSEWHERE.items():
        made[name] = linked(ROOT / place, Path(name), source)
    for path, text in made.items():
        content = text if isinstance(text, bytes) else text.encode()
        file = source / path
        if not file.exists() or file.read_bytes() != content:  # what has not changed is not built again
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    remove_others(source, made)


def remove_others(source: Path, kept: Iterable[str]) -> None:
    """Remove pages of an earlier build that are no longer made; pictures stay."""
    for file in source.rglob("*.md"):
        if str(file.relative_to(source)) not in kept:
            file.unlink()


def linked(page: Path, name: Path, source: Path) -> str:
    """Return a page of the repository with links as they are in the site, where it is called `name`.

    Pages lead to pages; pictures are copied; what else the repository holds has no page here, and its name stays.
    """
    up = "../" * (len(name.parts) - 1)

    def link(match: re.Match[str]) -> str:
        path = match["path"]
        if not path or re.match(r"[a-z]+:", path):
            return match[0]
        there = place((page.parent / path).resolve(), source)
        return f"{match['mark']}[{match['text']}]({up}{there}{match['anchor'] or ''})" if there else match["text"]

    def picture(match: re.Match[str]) -> str:
        # in HTML, which Sphinx does not read: it copies what is in `extra` as it is
        return f'{match["name"]}="{up}{place((page.parent / match["path"]).resolve(), source / "extra")}"'

    def drawn(match: re.Match[str]) -> str:
        (source / "pictures").mkdir(parents=True, exist_ok=True)
        number = text[: match.start()].count("```mermaid")
        file = source / "pictures" / f"{name.stem}-{number}.png"
        file.write_bytes(picture_of(match["graph"]))
        return f"![A drawing of what is said above]({up}pictures/{file.name})"

    text = page.read_text(encoding="utf-8")
    text = GRAPH.sub(drawn, text)
    pieces = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    return "".join(piece if piece.startswith("```") else SOURCE.sub(picture, LINK.sub(link, piece)) for piece in pieces)


def missing_files(site: Path) -> list[str]:
    """Return what pages of the site show and it does not have, a line each."""
    return [
        f"{page.relative_to(site)}: no {match['path']}"
        for page in sorted(site.rglob("*.html"))
        for match in SOURCE.finditer(page.read_text(encoding="utf-8"))
        if not match["path"].startswith(("data:", "http"))
        and not (page.parent / match["path"].partition("?")[0]).exists()
    ]


def place(target: Path, source: Path) -> str:
    """Return where a file of the repository is in the site, from its root; "" if it is not there.

    A picture is copied into the folder `source`.
    """
    if target.is_relative_to(DOCS):
        return str(target.relative_to(DOCS))
    inside = str(target.relative_to(ROOT))
    if target.suffix in (".png", ".gif"):
        copy = source / "pictures" / target.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(target, copy)
        return f"pictures/{target.name}"
    return "index.md" if inside == "README.md" else FROM_ELSEWHERE.get(inside, "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
