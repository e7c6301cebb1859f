"""`DeviceBoard`: the games of a `GameVectorEnv` in the memory of a CUDA device, and the kernels that play them there.

Everything that callers see is a torch tensor on the device; the kernels write into its memory, and nothing is copied.
With `NUMBA_ENABLE_CUDASIM=1` numba's simulator runs the kernels on tensors of the CPU.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arena.base.device_memory import as_argument, memory, stream
from arena.base.errors import UsageError
from arena.env.device import available_bytes
from arena.env.ids import Ids, rows_of
from games.engine.batch import Games, Shown, View
from games.engine.chance import GAMMA
from games.engine.device import SIMULATED, device_dtype, launchable_kernels
from games.engine.game import Game

DEVICE = torch.device("cpu" if SIMULATED else "cuda")
VIEW: Any = View  # of tensors in place of arrays
STEP = int(GAMMA.astype(np.int64))
"""`GAMMA` for streams, which torch keeps as signed numbers of the same bits."""


class DeviceBoard:
    """`num_games` games of one kind in tensors on a CUDA device, with the methods of `HostBoard`.

    Of what callers see, positions are bytes [B, record], in the layout of `games.engine.device.device_dtype`.
    Raises `UsageError` if the device has too little memory.
    """

    def __init__(self, game: Game, num_games: int):
        self.game, self._dtype = game, device_dtype(game)
        self._require_room(num_games)
        self._kernels = launchable_kernels(game)
        self._all = torch.arange(num_games, device=DEVICE)
        initial = torch.from_numpy(game.initial.reshape(1).astype(self._dtype).view(np.uint8).reshape(1, -1)).to(DEVICE)
        tensors: Any = Games  # of tensors in place of arrays
        self.games = tensors(
            states=initial.repeat(num_games, 1),
            seats=torch.zeros(num_games, dtype=torch.int64, device=DEVICE),
            mask=torch.ones(num_games, game.num_actions, dtype=torch.bool, device=DEVICE),
            over=torch.ones(num_games, dtype=torch.bool, device=DEVICE),
            initial=initial,
            streams=torch.zeros(num_games, dtype=torch.int64, device=DEVICE),
            determinization_streams=torch.zeros(num_games, dtype=torch.int64, device=DEVICE),
        )
        """The games as callers see them."""
        whole = np.dtype(np.uint64)
        self._games = as_argument(self.games)._replace(
            states=memory(self.games.states, self._dtype),
            initial=memory(self.games.initial, self._dtype),
            streams=memory(self.games.streams, whole),
            determinization_streams=memory(self.games.determinization_streams, whole),
        )

    def _require_room(self, num_games: int) -> None:
        """Raise `UsageError` unless the games and the results of one step fit into the device's memory."""
        game = self.game
        shown = int(np.prod(game.observation_shape)) * np.dtype(game.observation_dtype).itemsize
        each = self._dtype.itemsize + shown + 2 * game.num_actions + 5 * game.num_players + 48
        needed, there = each * num_games, available_bytes()
        if needed > there:
            raise UsageError(
                f"{num_games:,} games of {game.name} need {needed / 1e6:,.0f} MB of memory on the device, "
                f"which has {there / 1e6:,.0f} MB free; {there // each:,} games would fit"
            )

    def _run(self, kernel: str, rows: Tensor, *arguments: Any) -> None:
        if len(rows):  # an array of nothing has no memory
            self._kernels[kernel].launch(len(rows), stream(), self._games, memory(rows), *map(as_argument, arguments))

    def _new(self, shape: tuple[int, ...], dtype: Any) -> Tensor:
        return torch.empty(shape, dtype=getattr(torch, np.dtype(dtype).name), device=DEVICE)

    def rows(self, id: Ids | Tensor) -> Tensor:
        """Return the row numbers of `id`, which may be a tensor as well."""
        if id is None:
            return self._all
        rows = rows_of(id.cpu().numpy() if isinstance(id, Tensor) else id, len(self._all))
        return torch.from_numpy(rows).to(DEVICE)

    def array(self, values: Any) -> Tensor:
        """Return values as a tensor on the device."""
        return torch.as_tensor(values, device=DEVICE)

    def numpy(self, array: Tensor) -> NDArray[Any]:
        """Return a tensor of the device as an array of NumPy's."""
        return array.cpu().numpy()

    def is_whole(self, array: Tensor) -> bool:
        """Return whether a tensor is of whole numbers."""
        return not (array.is_floating_point() or array.is_complex() or array.dtype == torch.bool)

    def whole(self, array: Tensor) -> Tensor:
        """Return whole numbers as kernels take them."""
        return array.detach().to(torch.int64).contiguous()

    def flags(self, shape: tuple[int, ...]) -> Tensor:
        """Return flags that are all False."""
        return torch.zeros(shape, dtype=torch.bool, device=DEVICE)

    def places(self, flags: Tensor) -> Tensor:
        """Return the places of the True ones among flags [n]."""
        return flags.nonzero()[:, 0]

    def take(self, array: Tensor, rows: Tensor) -> Tensor:
        """Return a copy of some rows of a tensor."""
        return array[rows]

    def seed(self, rows: Tensor, seeds: NDArray[np.uint64], determinizations: bool = False) -> None:
        """Set the random streams of some games, and those of what is imagined in them as well."""
        values = torch.from_numpy(seeds.view(np.int64)).to(DEVICE)
        self.games.streams[rows] = values
        if determinizations:
            self.games.determinization_streams[rows] = values

    def streams(self, rows: Tensor) -> NDArray[np.uint64]:
        """Return the random streams of some games, [R]."""
        return self.numpy(self.games.streams[rows]).view(np.uint64)

    def next_determinizations(self, rows: Tensor) -> NDArray[np.uint64]:
        """Move on the streams of what is imagined in some games, and return them, [R]."""
        self.games.determinization_streams[rows] += STEP
        return self.numpy(self.games.determinization_streams[rows]).view(np.uint64)

    def reset(self, rows: Tensor) -> None:
        """Restart some games."""
        self._run("reset", rows)

    def first_illegal(self, rows: Tensor, actions: Tensor) -> int:
        """Return the index in `rows` of the first action that may not be played, -1 if all may."""
        first = torch.full((1,), len(rows), device=DEVICE)
        self._run("first_illegal", rows, actions, first)
        place = int(first)
        return -1 if place == len(rows) else place

    def advance(self, rows: Tensor, actions: Tensor, restart: bool) -> Any:
        """Play legal actions [R], restart games that end if `restart`, and return what the seats to move see."""
        game, count = self.game, len(rows)
        tensors: Any = Shown  # of tensors in place of arrays
        shown = tensors(
            seats=self._new((count,), np.int64),
            obs=self._new((count, *game.observation_shape), game.observation_dtype),
            mask=self._new((count, game.num_actions), np.bool_),
            rewards=self._new((count, game.num_players), np.float32),
            ends=self._new((count, game.num_players), np.bool_),
        )
        self._run("advance", rows, actions, restart, shown)
        self._run("observe_movers", rows, VIEW(shown.obs, shown.mask))
        return shown

    def observe_movers(self, rows: Tensor) -> Tensor:
        """Return what the seats to move see, [R, O]."""
        obs = self._new((len(rows), *self.game.observation_shape), self.game.observation_dtype)
        self._run("observe_movers", rows, VIEW(obs, self.games.mask))
        return obs

    def observe_all(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return what every seat sees, [R, P, O], and its legal actions, [R, P, A]."""
        shape = (len(rows), self.game.num_players)
        obs = self._new((*shape, *self.game.observation_shape), self.game.observation_dtype)
        mask = self._new((*shape, self.game.num_actions), np.bool_)
        self._run("observe_all", rows, VIEW(obs, mask))
        return obs, mask

    def joint_masks(self, rows: Tensor) -> Tensor:
        """Return the legal actions of every seat where all choose at once, [R, P, A]."""
        masks = self._new((len(rows), self.game.num_players, self.game.num_actions), np.bool_)
        self._run("joint_masks", rows, VIEW(masks, masks))
        return masks

    def records(self, rows: Tensor) -> NDArray[Any]:
        """Return a copy of some positions, records [R] of the game's own layout, in this machine's memory."""
        records = np.zeros(len(rows), self.game.state_dtype)  # there may be bytes between its fields
        records[:] = self.numpy(self.games.states[rows]).reshape(-1).view(self._dtype)
        return records

    def put_records(self, rows: Tensor, records: NDArray[Any]) -> None:
        """Set some positions to records [R] of the game's own layout."""
        data = records.astype(self._dtype).view(np.uint8).reshape(len(records), -1)
        self.games.states[rows] = torch.from_numpy(data).to(DEVICE)
