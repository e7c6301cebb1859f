"""Values as TOML, which the standard library reads and does not write."""

import json
from typing import Any


def toml_value(value: Any) -> str:
    """Return a text, number, truth value or list of such as TOML has it.

    >>> toml_value(["a", 1, True, float("inf")])
    '["a", 1, true, inf]'
    """
    if isinstance(value, float):
        return repr(value)  # inf and nan as TOML has them
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
