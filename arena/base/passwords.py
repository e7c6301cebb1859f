"""Passwords in the URLs of databases: they are neither shown nor handed on where others may read them."""

import re
from collections.abc import Sequence
from urllib.parse import unquote

IN_A_URL = re.compile(r"(?P<before>\b(?P<scheme>[A-Za-z][\w+.-]*)://[^\s:/@?]*):(?!\*\*\*@)(?P<password>\S*)@")
"""Up to the last @: a password may hold others, or a slash, that should have been written %40 and %2F."""
IN_A_QUERY = re.compile(r"(?P<before>[?&]password)=(?P<password>[^\s&]*)")


def without_password(text: str) -> str:
    """A text with all URLs in it as they are without their passwords."""
    return IN_A_QUERY.sub(r"\g<before>=***", IN_A_URL.sub(r"\g<before>@", text))


def handed_on(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Words of a command line without the password of a PostgreSQL server, and the environment that holds it instead.

    What a process was started with can be read by everybody on the machine, its environment by its user alone. A
    password that no variable can hold, as of another kind of database, stays where it is.
    """
    urls = [match for word in words if (match := IN_A_URL.search(word)) and match["scheme"].startswith("postgresql")]
    if len(urls) != 1:
        return list(words), {}
    return [IN_A_URL.sub(r"\g<before>@", word) for word in words], {"PGPASSWORD": unquote(urls[0]["password"])}
