"""Accounts and what opens them: keys, which are shown once and stored as hashes, sessions of browsers, invitations.

A key has 256 random bits, so that a plain SHA-256 hides it as well as a slow hash would; those are for passwords.
"""

import hashlib
import re
import secrets
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select, update

from arena.server import audit
from arena.server.refusals import CONFLICT, FORBIDDEN, INVALID, MISSING, UNKNOWN_KEY, RefusedError
from arena.server.schema import accounts, invitations, keys, ladders, members

OWNER, SUBMITTER, WORKER, VIEWER = "owner", "submitter", "worker", "viewer"
ROLES = (OWNER, SUBMITTER, WORKER, VIEWER)
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
"""Names of accounts, ladders, bots and workers: safe in addresses, files, tables and terminals as they are."""
PREFIX = "arena_"
SESSION = "session"
"""Name of the keys of browsers."""
SESSION_S = 14 * 86400.0
INVITED_S = 14 * 86400.0
MOST_USES = 1000
"""Most accounts that one invitation makes."""
MOST_KEYS = 20
"""Most keys of an account that can be used, sessions not counted."""


@dataclass(frozen=True)
class Account:
    """An account as of the time of the query."""

    id: int
    name: str
    role: str
    state: str
    """pending, active or closed"""

    def require(self, *roles: str) -> None:
        """Raise `RefusedError` for an account that has none of these roles; owners may do everything."""
        if self.role not in (*roles, OWNER):
            raise RefusedError(
                FORBIDDEN, f"this needs the role {' or '.join((*roles, OWNER))}; {self.name} is {self.role}"
            )


def digest_of(secret: str) -> str:
    """Return the hash under which a secret is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()


def require_name(name: str, what: str) -> None:
    """Raise `RefusedError` for a name that is none."""
    if not NAME.fullmatch(name):
        raise RefusedError(
            INVALID, f"{what} {name[:40]!r} is no name: 1 to 32 of a-z, 0-9, - and _, with a letter or a digit first"
        )


def add_account(connection: Connection, name: str, role: str, state: str = "active") -> Account:
    """Add an account; `RefusedError` for a name that is taken or none, and for a role that there is not."""
    require_name(name, "account")
    if role not in ROLES:
        raise RefusedError(INVALID, f"role {role!r} is none of {', '.join(ROLES)}")
    if connection.execute(select(accounts.c.id).where(accounts.c.name == name)).first():
        raise RefusedError(CONFLICT, f"the name {name} is taken")
    new = {"name": name, "role": role, "state": state, "created": time.time()}
    number = connection.execute(insert(accounts).values(new)).inserted_primary_key
    assert number is not None
    return Account(int(number[0]), name, role, state)


def find_account(connection: Connection, name: str) -> Account:
    """Return the account of a name; `RefusedError` if there is none."""
    account = account_named(connection, name)
    if account is None:
        raise RefusedError(MISSING, f"there is no account {name[:40]!r}")
    return account


def account_named(connection: Connection, name: str) -> Account | None:
    """Return the account of a name; None if there is none."""
    return _account(connection, accounts.c.name == name)


def add_key(connection: Connection, account: int, name: str, lasts_s: float | None = None) -> str:
    """Add a key to an account and return it: this is the only time that it can be seen."""
    now = time.time()
    if name != SESSION and len(list_keys(connection, account)) >= MOST_KEYS:
        raise RefusedError(CONFLICT, f"an account has at most {MOST_KEYS} keys; revoke one first")
    key = PREFIX + secrets.token_urlsafe(32)
    expires = None if lasts_s is None else now + lasts_s
    new = {"account": account, "name": name, "digest": digest_of(key), "created": now, "expires": expires}
    connection.execute(insert(keys).values(new))
    return key


def list_keys(connection: Connection, account: int) -> list[dict[str, Any]]:
    """Return number, name and dates of the keys of an account that can be used, without sessions."""
    query = select(keys.c.id, keys.c.name, keys.c.created, keys.c.expires).where(
        keys.c.account == account, keys.c.revoked.is_(None), keys.c.name != SESSION
    )
    return [dict(row._mapping) for row in connection.execute(query.order_by(keys.c.id))]


def revoke_key(connection: Connection, account: int, number: int) -> None:
    """Revoke a key of an account; `RefusedError` if it has none of that number."""
    mine = keys.c.id == number, keys.c.account == account, keys.c.revoked.is_(None)
    if not connection.execute(update(keys).where(*mine).values(revoked=time.time())).rowcount:
        raise RefusedError(MISSING, f"you have no key {number}")


def revoke_secret(connection: Connection, key: str) -> None:
    """Revoke a key by itself, as a browser that signs out does."""
    connection.execute(update(keys).where(keys.c.digest == digest_of(key)).values(revoked=time.time()))


def account_of(connection: Connection, key: str) -> Account:
    """Return the account that a key opens; `RefusedError` for one that is unknown, revoked, expired or not approved."""
    row = connection.execute(
        select(accounts.c.id, accounts.c.name, accounts.c.role, accounts.c.state, keys.c.expires, keys.c.revoked)
        .join_from(keys, accounts)
        .where(keys.c.digest == digest_of(key))
    ).one_or_none()
    if row is None:
        raise RefusedError(UNKNOWN_KEY, "this key is not known here")
    if row.revoked is not None:
        raise RefusedError(UNKNOWN_KEY, "this key has been revoked")
    if row.expires is not None and row.expires < time.time():
        raise RefusedError(UNKNOWN_KEY, "this key has expired")
    if row.state != "active":
        raise RefusedError(
            FORBIDDEN, f"the account {row.name} {'waits for approval' if row.state == 'pending' else 'is closed'}"
        )
    return Account(row.id, row.name, row.role, row.state)


def worker_of(connection: Connection, key: str) -> Account:
    """Return the account that a key opens; `RefusedError` for one that may not work for the server, too."""
    account = account_of(connection, key)
    account.require(WORKER)
    return account


def invite(
    connection: Connection,
    role: str,
    ladder: str | None = None,
    uses: int = 1,
    by: int | None = None,
    lasts_s: float = INVITED_S,
) -> str:
    """Return a new invitation, which makes so many accounts of a role, members of the ladder if one is named."""
    if role not in ROLES:
        raise RefusedError(INVALID, f"role {role!r} is none of {', '.join(ROLES)}")
    number = None if ladder is None else _ladder_number(connection, ladder)
    secret, now = secrets.token_urlsafe(18), time.time()
    new = {"digest": digest_of(secret), "role": role, "ladder": number, "uses": uses, "created": now}
    audit.note(connection, by, "invite", f"{uses} x {role}")
    connection.execute(insert(invitations).values(new | {"expires": now + lasts_s}))
    return secret


def register(connection: Connection, name: str, invitation: str | None, approval: bool) -> tuple[Account, str]:
    """Return a new account and its first key: by invitation, or, where `approval` is possible, to be approved."""
    if invitation is None:
        if not approval:
            raise RefusedError(FORBIDDEN, "accounts are made by invitation here; ask the owner for one")
        account = add_account(connection, name, SUBMITTER, "pending")
    else:
        account = _invited(connection, name, invitation)
    audit.note(connection, account.id, "register", f"{account.name}, {account.role}, {account.state}")
    return account, add_key(connection, account.id, "first")


def _invited(connection: Connection, name: str, invitation: str) -> Account:
    row = connection.execute(select(invitations).where(invitations.c.digest == digest_of(invitation))).one_or_none()
    if row is None or row.uses < 1 or row.expires < time.time():
        raise RefusedError(
            FORBIDDEN, "this invitation is not known here, used up or expired; ask the owner for another"
        )
    account = add_account(connection, name, row.role)
    connection.execute(update(invitations).where(invitations.c.id == row.id).values(uses=row.uses - 1))
    if row.ladder is not None:
        connection.execute(insert(members).values(ladder=row.ladder, account=account.id))
    return account


def set_state(connection: Connection, by: int | None, name: str, state: str) -> None:
    """Approve an account (active) or close it (closed): its keys open it, or open nothing."""
    account = find_account(connection, name)
    audit.note(connection, by, "account", f"{name}: {state}")
    connection.execute(update(accounts).where(accounts.c.id == account.id).values(state=state))


def shown(connection: Connection, account: int) -> dict[str, Any]:
    """Return name, role, state and date of an account."""
    query = select(accounts.c.name, accounts.c.role, accounts.c.state, accounts.c.created)
    return dict(connection.execute(query.where(accounts.c.id == account)).one()._mapping)


def session(connection: Connection, account: int) -> str:
    """Return a new key for a browser, which ends by itself."""
    return add_key(connection, account, SESSION, SESSION_S)


def list_accounts(connection: Connection) -> list[dict[str, Any]]:
    """Return all accounts by name."""
    query = select(accounts.c.name, accounts.c.role, accounts.c.state, accounts.c.created).order_by(accounts.c.name)
    return [dict(row._mapping) for row in connection.execute(query)]


def is_member(connection: Connection, ladder: int, account: Account | None) -> bool:
    """Return whether an account may see and enter a ladder that is for its members alone."""
    if account is None:
        return False
    there = select(members).where(members.c.ladder == ladder, members.c.account == account.id)
    return account.role == OWNER or connection.execute(there).first() is not None


def add_member(connection: Connection, ladder: str, name: str) -> None:
    """Make an account a member of a ladder; `RefusedError` if there is no such account or ladder."""
    number, account = _ladder_number(connection, ladder), find_account(connection, name)
    if connection.execute(select(members).where(members.c.ladder == number, members.c.account == account.id)).first():
        return
    connection.execute(insert(members).values(ladder=number, account=account.id))


def _ladder_number(connection: Connection, name: str) -> int:
    number: int | None = connection.execute(select(ladders.c.id).where(ladders.c.name == name)).scalar_one_or_none()
    if number is None:
        raise RefusedError(MISSING, f"there is no ladder {name[:40]!r}")
    return number


def _account(connection: Connection, which: ColumnElement[bool]) -> Account | None:
    row = connection.execute(select(accounts).where(which)).one_or_none()
    return None if row is None else Account(row.id, row.name, row.role, row.state)
