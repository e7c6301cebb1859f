"""A bot as a file: a tar of a folder with `bot.toml`, named by its hash, and checked by both sides.

    agent = "ppo:{folder}"                     # an agent's spec: here a snapshot that arena trained, or
    command = "python3 bot.py --depth 4"       # a program that speaks agents/outside/PROTOCOL.md
    build = "make"                             # with a command that names what it makes: "./engine"

A command's words that are files of the bundle are where the bundle lies on the machine that plays; it runs in the
sandbox. The tar is plain (no compression, so no bomb), and holds regular files with short names below its top: no
links, devices, absolute or parent paths, nothing twice. It is the same for the same content, whoever packs it.
"""

import hashlib
import io
import re
import shlex
import tarfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.files import LARGE, read_bytes, reason

MANIFEST = "bot.toml"
FOLDER = "{folder}"
"""Stands for where the bundle lies."""
MOST_FILES, MOST_BYTES, MOST_MANIFEST = 500, LARGE, 4096
FIELDS = {"agent"}, {"command"}, {"command", "build"}
MOST_BUILD = 400
"""Letters of a build's command."""
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")
"""A name of a file or a folder in a bundle."""
DEEPEST = 8
WEIGHTS = ".safetensors", ".json", ".toml"
"""What the folder of a trained agent holds: nothing that anybody would unpickle."""


@dataclass(frozen=True)
class Bundle:
    """A checked bundle."""

    content: bytes
    agent: str
    """Spec of its agent, with FOLDER for where it lies."""
    build: str | None = None
    """Command of a shell that makes its program of its other files; None for one that runs as it is."""

    def agent_in(self, folder: Path) -> str:
        """Return the spec of its agent where its files lie in a folder."""
        return self.agent.replace(FOLDER, str(folder))

    @property
    def digest(self) -> str:
        """SHA-256 of its content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()


def pack(folder: Path) -> Bundle:
    """Return the bundle of a folder; `UsageError` for what may not be in one."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if "__pycache__" in path.parts or (path.is_dir() and not path.is_symlink()):
                continue
            if path.is_symlink() or not path.is_file():
                raise UsageError(f"{path} is no regular file; a bundle holds nothing else")
            info = tarfile.TarInfo(name)
            info.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            content = _content(path)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
            if buffer.tell() > MOST_BYTES:
                raise UsageError(f"{folder} holds more than {MOST_BYTES:,} bytes, the most of a bundle")
    return read_bundle(buffer.getvalue())


def read_bundle(content: bytes) -> Bundle:
    """Return a bundle from its bytes; `UsageError` for one that may not be played. Nothing of it is written or run."""
    if len(content) > MOST_BYTES:
        raise UsageError(f"a bundle has at most {MOST_BYTES:,} bytes, not {len(content):,}")
    files = {info.name: body for info, body in _members(content)}
    if MANIFEST not in files:
        raise UsageError(f"a bundle has a file {MANIFEST} that says how to run it; this one has none")
    return Bundle(content, *_read(files))


def unpack(bundle: Bundle, folder: Path) -> str:
    """Write the files of a bundle into a new folder, read-only; return the spec of its agent there."""
    write_files(bundle.content, folder)
    return bundle.agent_in(folder)


def write_files(content: bytes, folder: Path) -> None:
    """Write the files of a tar into a new folder, read-only; `UsageError` for what may not be in a bundle."""
    folder.mkdir(parents=True)
    for info, body in _members(content):
        file = folder / info.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        file.chmod(0o555 if info.mode & 0o100 else 0o444)


def _members(content: bytes) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """Yield the files of a tar; `UsageError` for members that are no plain files, clash, or are too many."""
    names, folders = set[str](), set[str]()
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
            for number, info in enumerate(tar):
                if number >= MOST_FILES:
                    raise UsageError(f"a bundle has at most {MOST_FILES} files")
                body = _body(tar, info)
                above = {"/".join(info.name.split("/")[:depth]) for depth in range(1, info.name.count("/") + 1)}
                if info.name in names:
                    raise UsageError(f"a bundle holds {info.name!r} twice")
                if info.name in folders or above & names:
                    raise UsageError(f"a bundle holds {info.name!r} beside a folder or file of the same name")
                names.add(info.name)
                folders |= above
                yield info, body
    except (tarfile.TarError, ValueError, EOFError, OSError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"a bundle is a plain tar file; this one cannot be read: {error}") from None


def _is_plain(name: str) -> bool:
    """Return whether a name is that of a file below the top of a bundle."""
    parts = name.split("/")
    return len(parts) <= DEEPEST and all(PART.fullmatch(part) for part in parts)


def _body(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    if not _is_plain(info.name):
        raise UsageError(f"a bundle's files have plain names below its top; {info.name[:80]!r} is none")
    if not info.isreg() or info.issparse():
        raise UsageError(f"{info.name[:80]!r} is a link, a folder or a device; a bundle holds regular files alone")
    file = tar.extractfile(info)
    body = b"" if file is None else file.read()
    if len(body) != info.size:
        raise UsageError(f"{info.name[:80]!r} says it has {info.size:,} bytes and has {len(body):,}")
    return body


def _read(files: dict[str, bytes]) -> tuple[str, str | None]:
    """Return the spec that a manifest gives, with FOLDER for where it lies, and its build; `UsageError` for none."""
    if len(files[MANIFEST]) > MOST_MANIFEST:
        raise UsageError(f"{MANIFEST} has at most {MOST_MANIFEST} bytes")
    try:
        manifest = tomllib.loads(files[MANIFEST].decode())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{MANIFEST} cannot be read: {error}") from None
    if manifest.keys() not in FIELDS or not all(isinstance(one, str) for one in manifest.values()):
        raise UsageError(
            f'{MANIFEST} has one line, agent = "..." or command = "...", the latter perhaps with build = "...", '
            f"not {sorted(manifest)[:5]}"
        )
    if "agent" in manifest:
        return _trained(manifest["agent"], files), None
    build = manifest.get("build")
    if build is not None and not (0 < len(build) <= MOST_BUILD and build.isprintable()):
        raise UsageError(f"build is one line of at most {MOST_BUILD} letters")
    return _program(manifest["command"], files, build is not None), build


def _trained(spec: str, files: dict[str, bytes]) -> str:
    name, _, rest = spec.partition(":")
    if not re.fullmatch(r"[a-z0-9_-]{1,40}", name) or not re.fullmatch(r"\{folder\}(:[A-Za-z0-9_=,.]{1,60})?", rest):
        raise UsageError(f'agent = {spec[:80]!r} is not of the form "NAME:{FOLDER}" or "NAME:{FOLDER}:N"')
    if other := next((name for name in files if not name.endswith(WEIGHTS)), None):
        raise UsageError(f"a trained agent has files {', '.join(WEIGHTS)} alone, not {other!r}")
    return spec


def _program(command: str, files: dict[str, bytes], is_built: bool) -> str:
    """Return the spec of a program; what it names with ./ may be made by its build."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"command = {command[:80]!r} cannot be read: {error}") from None
    if not words or not command.isprintable() or FOLDER in command or words[0].startswith("-"):
        raise UsageError(f"command = {command[:80]!r} is no command line")
    made = {word[2:] for word in words if is_built and word.startswith("./") and _is_plain(word[2:])}
    known = files.keys() | made
    placed = [f"{FOLDER}/{word.removeprefix('./')}" if word.removeprefix("./") in known else word for word in words]
    if placed == words:
        raise UsageError(f"command = {command[:80]!r} names no file of the bundle, so that it is nobody's bot")
    if foreign := next((word for word in words if "/" in word and word.removeprefix("./") not in known), None):
        raise UsageError(f"command = {command[:80]!r} names {foreign!r}, which is no file of the bundle")
    return f"cmd:{shlex.join(placed)}"


def _content(path: Path) -> bytes:
    try:
        return read_bytes(path, MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason(error)}") from None
