"""Packages of other people, as an installation leaves them in a folder."""

from pathlib import Path


def declare(folder: Path, package: str, group: str, entry: str) -> None:
    """Declare an entry point, `nim = nim_package:GAMES`, of a package in a folder; PYTHONPATH makes it installed."""
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package.replace('_', '-')}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
