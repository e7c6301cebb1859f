"""Link what a distribution depends on from this environment into another one, and nothing else.

    python -m tests.link_dependencies DISTRIBUTION SITE_PACKAGES

The other environment then has the packages that pip would install there for the distribution without extras, file by
file, without the minutes and gigabytes that unpacking them again takes. A dependency that is not declared is missing.
"""

import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def dependencies(name: str) -> Iterator[Distribution]:
    """Yield all distributions that one depends on, directly or not, in this environment."""
    todo = [(name, "")]  # with an extra
    visited = set()
    while todo:
        parent, extra = todo.pop()
        for text in distribution(parent).requires or ():
            requirement = Requirement(text)
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
                continue
            child = canonicalize_name(requirement.name)
            if (child, "") not in visited:
                yield distribution(child)
            new = {(child, one) for one in ("", *requirement.extras)} - visited
            visited |= new
            todo += new


def link(one: Distribution, site_packages: Path) -> None:
    """Link the files of a distribution into a folder of packages; programs beside it are left out."""
    for file in one.files or ():
        if ".." not in file.parts:
            place = site_packages / file
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists():
                place.symlink_to(one.locate_file(file))


def main() -> None:
    """Link all dependencies."""
    name, folder = sys.argv[1:]
    for one in dependencies(name):
        link(one, Path(folder))


if __name__ == "__main__":
    main()
