"""Passwords in the URLs of databases: they are neither shown nor handed on where others may read them."""

import re
from collections.abc import Sequence
from urllib.parse import unquote

IN_A_URL = re.compile(r"(?P<before>\b(?P<scheme>[A-Za-z][\w+.-]*)://[^\s:/@?]*):(?!\*\*\*@)(?P<password>\S*)@")
"""Up to the last @: a password may hold others, or a slash, that should have been written %40 and %2F."""
IN_A_QUERY = re.compile(r"(?P<before>[?&]password)=(?P<password>[^\s&]*)")


def without_password(text: str) -> str:
    """Return a text with the passwords of all URLs in it removed."""
    return IN_A_QUERY.sub(r"\g<before>=***", IN_A_URL.sub(r"\g<before>@", text))


def handed_on(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Move the password of a PostgreSQL URL from the words of a command line into an environment; return both.

    The command line of a process can be read by everybody on the machine, its environment only by its user. Passwords
    of other databases, which have no such variable, stay in the words.
    """
    urls = [match for word in words if (match := IN_A_URL.search(word)) and match["scheme"].startswith("postgresql")]
    if len(urls) != 1:
        return list(words), {}
    return [IN_A_URL.sub(r"\g<before>@", word) for word in words], {"PGPASSWORD": unquote(urls[0]["password"])}
