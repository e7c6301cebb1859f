"""PettingZoo environments as hosted games: `pettingzoo:pettingzoo.classic.rps_v2,max_cycles=5`."""

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.env.adapting import adapted
from arena.env.foreign import presented
from arena.env.hosted.describe import hosted_game
from arena.env.hosted.environment import HostedEnv
from arena.env.hosted.game import MAX_LENGTH, HostedGame
from arena.env.hosted.hints import did_you_mean, functions_of, module_meant, options_of, refused_option
from arena.env.hosted.host import Host, HostedName
from arena.env.hosted.presentation import Drawing, Presentation
from arena.env.pettingzoo import ParallelPettingZooEnv
from arena.env.seated import SeatedEnv
from arena.env.spaces import Actions, actions_of, observations_of
from games.engine.actions import Action, written
from games.engine.errors import in_a_line
from games.engine.seats import SeatGroup
from games.engine.source_files import lies_here
from games.engine.trust import OF_PETTINGZOO, require_trust

PREFIX = "pettingzoo"
FACTORIES = ("env", "raw_env", "parallel_env")
"""Functions of a module that make its environment, the first that there is."""
OPEN = {f"pettingzoo.classic.{name}" for name in ("chess", "connect_four", "go", "tictactoe")}
"""Packages of PettingZoo's environments that show every player the whole position; others say so in their metadata."""
PLAIN = Presentation()
"""Presentation of an environment that has none: it is shown as it renders itself."""


class PettingZooHost(HostedEnv):
    """One game of a PettingZoo environment, of either kind, or of a `MultiAgentEnv`."""

    def __init__(self, name: str, make: Callable[[], Any], presentation: Presentation = PLAIN):
        env = adapted(make())
        if not isinstance(env, SeatedEnv):
            raise UsageError(f"{name}: {type(env).__name__} is neither an AEC nor a Parallel environment")
        self.env = env
        self.actions: Actions = actions_of(env.action_space)
        observations, actions = observations_of(env.observation_space), self.actions
        super().__init__(name, env.possible_agents, observations, env.num_actions or actions.count, actions.box)
        self.groups = tuple(_group(env, seats) for seats in env.groups)
        self.simultaneous = isinstance(env, ParallelPettingZooEnv)
        self.perfect_information = _is_open(env)
        self._presentation, self._presented = presentation, presented(env.env)
        presentation.require_fit(name, self.num_actions)
        self._shown: dict[str, Any] = {}

    def _reset(self, seed: int) -> None:
        self._shown = self.env.reset(seed=seed)[0]

    def _step(self, action: Action) -> NDArray[Any]:
        taken = self.actions.decode(action)
        if self.action_box is not None:
            taken = self._within(taken)
        self._shown, rewards, self.terminated, self.truncated, _ = self.env.step(taken)
        return rewards

    def _within(self, taken: NDArray[Any]) -> NDArray[Any]:
        """Return an action of the common box within the bounds of the seat that is asked, which may be narrower."""
        own = self.env.own_action_spaces[self.seat]
        if isinstance(own, Box) and self.env.pads_actions:
            shape = tuple(map(slice, own.shape))
            taken[shape] = np.clip(taken[shape], own.low, own.high)
            taken = taken.astype(own.dtype, copy=False)
        return taken

    def _next_seat(self) -> int:
        seat: int = self._shown["agent_id"]
        return seat

    def _mask(self, seat: int) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = self._shown["mask"]
        return mask if len(mask) else np.ones(self.num_actions, np.bool_)

    def _observe(self, seat: int) -> NDArray[Any]:
        return self.observations.encode(self.env.view_of(seat)["obs"])

    def copy(self) -> "PettingZooHost":
        """Return a deep copy; `EnvironmentFaultError` where a window, a generator or a lock does not allow that."""
        return self._guarded(lambda: _deep_copy(self))

    def board(self) -> Drawing | None:
        """Return what the presentation draws, or else what the environment renders: text or RGB pixels."""
        if self._presentation.board is not None:
            return self._guarded(self._presentation.board, self.env.unwrapped)
        mode = self._presented.render_mode
        if mode in ("ansi", "text"):
            drawn = self._guarded(self.env.render)
            return drawn if isinstance(drawn, str) else None
        return self._pixels() if mode == "rgb_array" else None

    def view(self, seat: int) -> Drawing | None:
        """Return what the presentation draws of what a seat may know."""
        draw = self._presentation.view
        return None if draw is None else self._guarded(draw, self.env.unwrapped, self.agents[seat])

    def _pixels(self) -> NDArray[np.uint8] | None:
        """Return the RGB pixels that the environment renders; None too if it fails."""
        try:
            drawn = self.env.render()
        except Exception:  # third-party code may raise anything; a game goes on without its picture
            return None
        if not isinstance(drawn, np.ndarray) or drawn.dtype != np.uint8:
            return None
        return drawn.copy() if drawn.ndim == 3 and drawn.shape[2] == 3 and drawn.size else None

    def action_text(self, action: Action) -> str:
        """Return the name of an action: that of the presentation or the environment, else its number."""
        group = self.group_of(self.seat)
        if isinstance(action, tuple):
            entries = action if group is None else tuple(action[entry] for entry in group.entries.tolist())
            if self.box_of(self.seat) is not None:
                return written(entries)  # in numbers, which are read back exactly
            action = int(entries[0])
        decode = self.actions.decode if self.action_box is None else int
        if self._presentation.action_to_string is not None:
            return str(self._guarded(self._presentation.action_to_string, self.env.unwrapped, decode(action)))
        if self._presentation.action_names:
            return str(self._presentation.action_names[action])
        if self._presented.action_to_string is not None:
            return str(self._guarded(self._presented.action_to_string, decode(action)))
        names = self._presented.action_names
        return str(action) if names is None else str(names[action])

    def read_action(self, text: str) -> int | None:
        """Return the action that the presentation reads in a text."""
        read = self._presentation.string_to_action
        if read is None:
            return None
        try:
            action = int(read(self.env.unwrapped, text))
        except ValueError:
            return None
        except Exception as error:  # third-party code may raise anything
            raise self.fault(f"cannot read {text!r}: {type(error).__name__}: {error}") from error
        return action if 0 <= action < self.num_actions else None

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


def _group(env: SeatedEnv, seats: tuple[int, ...]) -> SeatGroup:
    """Return what seats with equal spaces have of their own."""
    shown, places, acts, entries = env.own_spaces(seats[0])
    return SeatGroup(
        seats, shown.shape, shown.dtype, shown.low, shown.high, places, acts.count, acts.box, entries.astype(np.int64)
    )


def _is_open(env: SeatedEnv) -> bool:
    """Return whether an environment is known, or says in its metadata, to show every agent the whole position."""
    says_so = presented(env.env).metadata.get("perfect_information") is True
    return says_so or type(env.unwrapped).__module__.rpartition(".")[0] in OPEN


def _deep_copy(host: PettingZooHost) -> PettingZooHost:
    """Return a deep copy of a host with its environment as it stands.

    Many environments are Gymnasium's `EzPickle`, which copies the arguments of the constructor alone: a copy of one
    would be an environment that was never reset. The attributes of every layer are copied instead.
    """
    memo: dict[int, Any] = {}
    layers, layer = [], host.env.env
    while layer is not None and id(layer) not in memo:
        memo[id(layer)] = layer.__class__.__new__(layer.__class__)
        layers.append(layer)
        own = vars(layer)
        layer = own.get("env") or own.get("aec_env") or own.get("par_env")
    for layer in layers:
        memo[id(layer)].__dict__.update(deepcopy(vars(layer), memo))
    return deepcopy(host, memo)


def describe(name: str, options: Mapping[str, Any]) -> HostedGame:
    """Describe the environment `name`, `module` or `module:function`, made with `options`.

    `max_length` among the options bounds the length of a game. Raises `UsageError` if the package is not installed, has
    no such environment, or is not trusted.
    """
    make, presentation = _factory(name, options)
    own = dict(options)
    max_length = own.pop("max_length", MAX_LENGTH)
    mode = {} if "render_mode" in own else _render_mode(name, make)
    return hosted_game(
        f"{PREFIX}:{name}",
        options,
        partial(PettingZooHost, f"{PREFIX}:{name}", partial(_make, name, make, own), presentation),
        max_length=max_length,
        title=presentation.title,
        make_shown=partial(
            PettingZooHost, f"{PREFIX}:{name}", partial(_make_shown, name, make, own, mode), presentation
        ),
    )


def hosted(
    make_env: Callable[[], Any],
    name: str,
    max_length: int = MAX_LENGTH,
    presentation: Presentation = PLAIN,
    options: Mapping[str, Any] | None = None,
) -> HostedGame:
    """Describe an environment that a function makes: AEC, Parallel, or a `MultiAgentEnv`.

    Its `metadata["perfect_information"]` says whether every agent is shown the whole position (False if it says
    nothing). To be named on command lines and in files the game needs an entry point: a function of a mapping in the
    group `arena.games` that returns this, by `name`. Its parameters are the `options` of the game, with which
    `make_env` makes the environment. Games longer than `max_length` actions are truncated.
    """
    make_host = partial(PettingZooHost, name, make_env, presentation)
    return hosted_game(name, options or {}, make_host, max_length, title=presentation.title)


def _make(name: str, make: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    try:
        return make(**options)
    except Exception as error:  # third-party code may raise anything
        known = options_of(sys.modules.get(name.partition(":")[0]), make)
        if known is not None and (option := refused_option(error, options)) is not None:
            raise _unknown_option(name, option, known) from None
        raise UsageError(f"{PREFIX}:{name} cannot be made: {in_a_line(error)}") from error


def _unknown_option(name: str, option: str, known: Iterable[str]) -> UsageError:
    options = ["max_length", *known]
    otherwise = f"; it has {', '.join(options)}"
    return UsageError(f"{PREFIX}:{name} has no option {option!r}{did_you_mean(option, options, otherwise)}")


def _make_shown(name: str, make: Callable[..., Any], options: Mapping[str, Any], mode: Mapping[str, Any]) -> Any:
    """Make an environment that renders in a mode; one that does not render if it cannot be made so."""
    try:
        return make(**options, **mode)
    except Exception:  # third-party code may raise anything
        return _make(name, make, options)


def _factory(name: str, options: Mapping[str, Any]) -> tuple[Callable[..., Any], Presentation]:
    """Return the function that makes an environment, without a call of it, and how its module presents it."""
    module_name, _, function = name.partition(":")
    require_trust(module_name, function not in ("", *FACTORIES))
    if options.get("render_mode") != "human":
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # before pygame is imported: it is to open no window
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise UsageError(_not_imported(name, module_name, error)) from None
    except Exception as error:  # third-party code may raise anything
        raise UsageError(f"{PREFIX}:{name}: the module {module_name} cannot be imported: {in_a_line(error)}") from error
    candidates = (function,) if function else FACTORIES
    for candidate in candidates:
        make = getattr(module, candidate, None)
        if callable(make):
            break
    else:
        hint = did_you_mean(function, functions_of(module)) if function else ""
        raise UsageError(f"{PREFIX}:{name}: the module {module_name} has no function {' or '.join(candidates)}{hint}")
    presentation = getattr(module, "PRESENTATION", PLAIN)
    if not isinstance(presentation, Presentation):
        kind = type(presentation).__name__
        raise UsageError(f"{PREFIX}:{name}: PRESENTATION of {module_name} is no arena.env.Presentation but of {kind}")
    parameters = inspect.signature(make).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    if not takes_all and (unknown := sorted(options.keys() - parameters.keys() - {"max_length"})):
        raise _unknown_option(name, unknown[0], parameters)
    return make, presentation


def _not_imported(name: str, module: str, error: ImportError) -> str:
    """Return why a module cannot be imported, and what would install it."""
    package = module.partition(".")[0]
    missing = (error.name or "").partition(".")[0]
    if missing and missing != package and find_spec(missing) is None:
        extra = f"'pettingzoo[{module.split('.')[1]}]'" if package == "pettingzoo" and "." in module else missing
        return f"{PREFIX}:{name} needs the package {missing}, which is not installed: pip install {extra}"
    if said := lies_here(package):
        return f"{PREFIX}:{name}: {said}"
    if find_spec(package) is None:
        if Path(package).is_dir():
            return f"{PREFIX}:{name}: the folder {package} is not installed: pip install it, or set PYTHONPATH=."
        known, install = [one.partition(".")[0] for one in OF_PETTINGZOO], f": pip install {package}"
        advice = install if package in known else did_you_mean(package, known, install)
        return f"{PREFIX}:{name}: the package {package} is not installed{advice}"
    near = (
        module_meant(error.name or module, (one.name for one in names()))
        if isinstance(error, ModuleNotFoundError)
        else ""
    )
    return f"{PREFIX}:{name}: {' '.join(str(error).split())}{near}"


def _render_mode(name: str, make: Callable[..., Any]) -> dict[str, Any]:
    """Return the keyword that has an environment render text, or else pixels; none if it can do neither."""
    source: Any = inspect.unwrap(make)
    modules = inspect.getmodule(source), sys.modules.get(name.partition(":")[0])
    raw = next((raw for raw in (getattr(module, "raw_env", None) for module in modules) if inspect.isclass(raw)), None)
    modes = getattr(raw, "metadata", {}).get("render_modes", ())
    return next(({"render_mode": mode} for mode in ("ansi", "rgb_array") if mode in modes), {})


def names() -> Iterator[HostedName]:
    """Yield the environments of the known packages that are installed, `package.name_vN`."""
    for package in OF_PETTINGZOO:
        try:
            module = find_spec(package)
        except ImportError:
            continue
        for folder in (module.submodule_search_locations or ()) if module else ():
            for path in sorted(Path(folder).glob("*_v[0-9]*.py")):
                yield HostedName(f"{package}.{path.stem}", "")


HOST = Host(describe, names)
