"""`llm:URL,model=NAME`: a language model plays, through any endpoint that speaks OpenAI's `/v1/chat/completions`.

For each move it is told the rules, the position and the history in words. An answer that names no legal move is sent
back with the reason, a few times; then the move has failed, and the game is lost by it. The moves of many games are
asked for side by side. See `docs/how-to/language-models.md`.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence

from agents.outside.background import wait_for
from agents.outside.llm.config import LLMConfig, parse_config
from agents.outside.llm.endpoint import Completion, Endpoint, EndpointError, Message
from agents.outside.llm.obfuscation import OtherNames
from agents.outside.llm.prompt import AGAIN, Prompts
from agents.outside.llm.reading import Reading, read_answer
from agents.outside.policy import OutsidePolicy, Reply, Turn
from agents.outside.program import ProgramError, SilentError
from arena.base.errors import IllegalActionError, UsageError
from arena.base.seeding import spawn_seeds
from arena.policy.transcript import SpokenAnswer, Transcript
from games.engine.game import Game
from games.engine.text import message

QUOTED = 100
"""Most characters of an answer that a verdict quotes."""

KEPT = 20_000
"""Most characters of an answer that are kept beside the game."""


class LLMPolicy(OutsidePolicy):
    """Plays the moves that a language model names."""

    one_at_a_time = False
    costly = True

    def __init__(self, game: Game, config: LLMConfig):
        super().__init__(game, "llm")
        self.config = config
        names = None if config.obfuscate is None else OtherNames(game, config.obfuscate)
        self._prompts = Prompts(game, config.system, config.legal, names)
        self._endpoint = Endpoint(config)

    def answer(self, turn: Turn) -> Reply:
        """Ask for one move."""
        return self.answer_each([turn])[0]

    def answer_each(self, turns: Sequence[Turn]) -> list[Reply]:
        """Ask for the moves of several games side by side; a reply says itself if it failed."""
        return wait_for(self._gather(turns))

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    async def _gather(self, turns: Sequence[Turn]) -> list[Reply]:
        return await asyncio.gather(*map(self._reply, turns))

    async def _reply(self, turn: Turn) -> Reply:
        """Return the move that most of the conversations about a position agree on."""
        usual = [self._game.action_text(turn.state, action) for action in turn.legal]
        position = WrittenTurn(turn, usual, list(map(self._prompts.move, usual)))
        prompt = self._prompts.position(turn, position.written)
        seeds = spawn_seeds(self.seed_of(turn.game_id), len(turn.history), count=self.config.votes)
        talks = await asyncio.gather(
            *(self._talk(position, prompt, seed >> 33, vote) for vote, seed in enumerate(seeds))
        )
        votes = Counter(talk[-1].move for talk in talks if talk[-1].outcome == "move")
        answers = tuple(answer for talk in talks for answer in talk)
        if not votes:
            transcript = Transcript(self._prompts.rules, prompt, answers).to_json()
            return Reply(-1, failure=_failure(answers[-1], len(answers)), transcript=transcript)
        move = votes.most_common(1)[0][0]  # of several with as many votes the first
        transcript = Transcript(self._prompts.rules, prompt, answers, move).to_json()
        return Reply(turn.legal[usual.index(move)], transcript=transcript)

    async def _talk(self, position: "WrittenTurn", prompt: str, seed: int, vote: int) -> list[SpokenAnswer]:
        """Return the answers of one conversation about a position: the last is a move, or why there is none."""
        talk: list[Message] = [
            {"role": "system", "content": self._prompts.rules},
            {"role": "user", "content": prompt},
        ]
        answers: list[SpokenAnswer] = []
        for number in range(1 + self.config.rethink):
            try:
                completion = await self._endpoint.complete(talk, (seed + number) % 2**31, position.turn.seconds_left)
            except EndpointError as error:
                answers.append(SpokenAnswer(error.outcome, remark=message(error), vote=vote))
                if error.outcome != "timed out" or position.turn.seconds_left is not None:
                    break
                continue
            answers.append(self._judge(position, completion, vote))
            if answers[-1].outcome == "move":
                break
            talk.append({"role": "assistant", "content": completion.text})
            talk.append({"role": "user", "content": f"{answers[-1].remark}\n{AGAIN}"})
        return answers

    def _judge(self, position: "WrittenTurn", completion: Completion, vote: int) -> SpokenAnswer:
        """Return an answer with what becomes of it."""
        reading = position.read(completion.text, self._prompts)
        outcome, remark = _outcome(reading, completion, self.config)
        price_in, price_out = self.config.price or (0.0, 0.0)
        return SpokenAnswer(
            outcome,
            _shortened(completion.text),
            _shortened(completion.reasoning),
            position.usual[reading.index] if outcome == "move" else "",
            remark,
            vote,
            completion.ms,
            completion.prompt_tokens,
            completion.completion_tokens,
            (price_in * completion.prompt_tokens + price_out * completion.completion_tokens) / 1e6,
            completion.retries,
        )


class WrittenTurn:
    """A decision with its legal moves by their texts: as the game writes them, and as they are told."""

    def __init__(self, turn: Turn, usual: list[str], written: list[str]):
        self.turn, self.usual, self.written = turn, usual, written

    def read(self, text: str, prompts: Prompts) -> Reading:
        """Return the move that an answer names."""

        def parse(named: str) -> int | None:
            try:
                action = self.turn.parse(prompts.usual(named))
            except UsageError:
                return None
            return self.turn.legal.index(action) if action in self.turn.legal else -1

        return read_answer(text, self.written, parse)


def _shortened(text: str) -> str:
    """Return a text as it is kept: of a very long one, its end."""
    return text if len(text) <= KEPT else f"... {text[-KEPT:]}"


def _outcome(reading: Reading, completion: Completion, config: LLMConfig) -> tuple[str, str]:
    """Return what becomes of an answer, and what the model is told of it."""
    if completion.finish == "content_filter":
        return "refused", "Your answer was withheld by a filter."
    if reading.kind == "move":
        return "move", ""
    if completion.finish == "length":
        return "truncated", f"Your answer was cut off after {config.max_tokens} tokens. Answer more briefly."
    if reading.kind == "illegal":
        return "illegal", f"{reading.named[:QUOTED]!r} is not a legal move in this position."
    return "unreadable", "Your answer does not name one legal move."


def _failure(last: SpokenAnswer, count: int) -> Exception:
    """Return the error that says why there is no move, from the last of so many answers."""
    tries = f"in {count} answers; the last: " if count > 1 else ""
    if last.outcome == "timed out":
        return SilentError(last.remark)
    if last.outcome in ("refused", "failed") and not last.text:
        return ProgramError(last.remark)
    shown = message(last.text.strip())[-QUOTED:]
    if last.outcome == "illegal":
        return IllegalActionError(f"no legal move {tries}{shown!r}")
    return ProgramError(f"{last.outcome} {tries}{shown!r}")


def make(game: Game, argument: str) -> LLMPolicy:
    """Seat a language model; the argument is a URL, and after commas `model` and other options."""
    return LLMPolicy(game, parse_config(argument))
