"""Questions to environments that other people wrote: what they have beyond `reset` and `step`.

Their classes share no base, wrappers pass some attributes on and not others, and older ones lack what newer ones have.
So it is asked by name whether something is there; the questions, and the defaults, are all here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Presented:
    """Ways in which an environment shows itself and its actions."""

    render_mode: str | None
    metadata: Mapping[str, Any]
    """Its `metadata`; empty without."""
    action_to_string: Callable[[Any], Any] | None
    """Returns the name of an action."""
    action_names: Sequence[Any] | None
    """Names of the actions by number."""


def presented(env: Any) -> Presented:
    """Return how an environment shows itself; names of actions are those of the innermost one."""
    own, metadata = innermost(env), getattr(env, "metadata", None)
    return Presented(
        render_mode=getattr(env, "render_mode", None),
        metadata=metadata if isinstance(metadata, dict) else {},
        action_to_string=getattr(own, "action_to_string", None),
        action_names=getattr(own, "action_names", None),
    )


def innermost(env: Any) -> Any:
    """Return the environment within all wrappers."""
    return getattr(env, "unwrapped", env)


def layers(env: Any) -> Iterator[Any]:
    """Yield an environment and what is within its wrappers, from the outside in."""
    while env is not None:
        yield env
        env = getattr(env, "env", None)


def first_attribute(env: Any, name: str, default: Any) -> Any:
    """Return an attribute of the outermost layer that has it; `default` without."""
    return next((getattr(layer, name) for layer in layers(env) if hasattr(layer, name)), default)


def holder(env: Any, name: str) -> Any:
    """Return the outermost layer that has an attribute itself, and does not pass it on; else the innermost layer."""
    *wrappers, inner = layers(env)
    return next((wrapper for wrapper in wrappers if name in vars(wrapper) or hasattr(type(wrapper), name)), inner)


def attribute(env: Any, name: str) -> Any:
    """Return an attribute, also through Gymnasium's wrappers, which do not pass them on; `AttributeError` without."""
    get = getattr(env, "get_wrapper_attr", None)
    return getattr(env, name) if get is None else get(name)


def has(env: Any, name: str) -> bool:
    """Return whether an environment has an attribute, be it passed on by `__getattr__`, which no protocol would see."""
    return hasattr(env, name)
