"""What the kernels of the games compile to for a CUDA device, as a table; needs no device, but the extra `cuda`.

python scripts/gpu_table.py            prints it
python scripts/gpu_table.py --write    writes it into docs/how-to/gpu.md
"""

import argparse
import sys
from pathlib import Path

from benchmarks.gpu import compiled_kernels, missing_compilers
from marked import with_part

from games.engine.registry import GAMES

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "gpu.md"
BEGIN, END = "<!-- written by scripts/gpu_table.py -->", "<!-- end of the table -->"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write it into docs/how-to/gpu.md")
    options = parser.parse_args()
    if (problem := missing_compilers()) is not None:
        print(f"nothing can be compiled here: {problem}", file=sys.stderr)
        return 2
    text = table()
    if options.write:
        PAGE.write_text(with_part(PAGE, BEGIN, END, text), encoding="utf-8")
    else:
        print(text)
    return 0


def table() -> str:
    """Return it in Markdown: the instructions of every kernel of every game, its size, and the time to compile all."""
    games = {name: list(compiled_kernels(name)) for name in GAMES.names()}
    kernels = [one.kernel for one in next(iter(games.values()))]
    lines = [f"| game | {' | '.join(f'`{kernel}`' for kernel in kernels)} | PTX, kB | compiled in, s |"]
    lines.append("|---" + "|--:" * (len(kernels) + 2) + "|")
    for name, parts in games.items():
        cells = [f"{one.instructions:,}" for one in parts]
        cells += [f"{sum(one.ptx_bytes for one in parts) / 1000:,.0f}", f"{sum(one.seconds for one in parts):.1f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
