"""What an agent that thinks in words was asked and answered for a move, as JSON: kept beside the game, and counted."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from arena.base.errors import UsageError

OUTCOMES = ("move", "unreadable", "illegal", "truncated", "refused", "timed out", "failed")
"""What may become of an answer; `failed` are those that never came, after all tries."""


@dataclass(frozen=True, slots=True)
class SpokenAnswer:
    """One answer of a model, or why there is none."""

    outcome: str
    """One of `OUTCOMES`."""
    text: str = ""
    reasoning: str = ""
    """Reasoning that came besides the answer."""
    move: str = ""
    """The move that was read in it; "" for none."""
    remark: str = ""
    """What is wrong with it, as the model was told; or why there is none."""
    vote: int = 0
    """Number of the conversation, of several about one move."""
    ms: int = 0
    """Milliseconds until it came."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    """By the prices in the agent's spec."""
    retries: int = 0
    """Requests that failed or were to wait before."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """All that was asked and answered for one move."""

    system: str
    """The rules, as they were told."""
    prompt: str
    """The position, as it was told."""
    answers: tuple[SpokenAnswer, ...]
    move: str = ""
    """The move that was played by it; "" for none."""

    def without_texts(self) -> "Transcript":
        """Return its figures alone."""
        bare = tuple(replace(answer, text="", reasoning="", remark="") for answer in self.answers)
        return Transcript("", "", bare, self.move)

    def to_json(self) -> str:
        """Return it as a line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """Return the transcript of an object of JSON; `UsageError` if it is none."""
        if not isinstance(content, dict) or content.keys() != {field.name for field in fields(cls)}:
            raise UsageError("a transcript is an object with system, prompt, answers and move")
        texts = [content[name] for name in ("system", "prompt", "move")]
        answers = content["answers"]
        if not all(isinstance(text, str) for text in texts) or not isinstance(answers, list):
            raise UsageError("a transcript has texts as system, prompt and move, and a list of answers")
        return cls(texts[0], texts[1], tuple(map(_answer, answers)), texts[2])


TEXTS = ("outcome", "text", "reasoning", "move", "remark")
COUNTS = ("vote", "ms", "prompt_tokens", "completion_tokens", "retries")
MOST = 2**53
"""Largest number in a transcript."""


def _answer(content: Any) -> SpokenAnswer:
    if not isinstance(content, dict) or content.keys() != {*TEXTS, *COUNTS, "cost"}:
        raise UsageError(f"an answer in a transcript is an object with {', '.join((*TEXTS, *COUNTS))} and cost")
    if not all(isinstance(content[name], str) for name in TEXTS) or content["outcome"] not in OUTCOMES:
        raise UsageError(f"an answer in a transcript has texts, and an outcome of {', '.join(OUTCOMES)}")
    numbers = [content[name] for name in COUNTS]
    if not all(type(number) is int and 0 <= number < MOST for number in numbers):
        raise UsageError("an answer in a transcript has whole numbers from 0 as its counts")
    if type(content["cost"]) not in (int, float) or not 0 <= content["cost"] < MOST:
        raise UsageError("an answer in a transcript has a number from 0 as its cost")
    return SpokenAnswer(**content)


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """Sums over moves."""

    moves: int = 0
    """Moves that were asked for."""
    outcomes: tuple[int, ...] = (0,) * len(OUTCOMES)
    """Number of answers by outcome, in the order of `OUTCOMES`."""
    ms: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    retries: int = 0
    """Requests sent again."""

    @property
    def answers(self) -> int:
        """Number of answers, those that never came included."""
        return sum(self.outcomes)

    @property
    def further_answers_per_move(self) -> float:
        """Mean number of answers to a move after the first, votes included."""
        return self.answers / self.moves - 1 if self.moves else 0.0

    @property
    def seconds_per_answer(self) -> float:
        """Mean time of an answer that came."""
        came = self.answers - self["timed out"] - self["failed"]
        return self.ms / 1000 / came if came else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return them as JSON values."""
        return {
            "moves": self.moves,
            "answers": self.answers,
            **{outcome.replace(" ", "_"): self[outcome] for outcome in OUTCOMES[1:]},
            "further_answers_per_move": round(self.further_answers_per_move, 4),
            "requests_sent_again": self.retries,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "seconds_per_answer": round(self.seconds_per_answer, 3),
            "cost": round(self.cost, 6),
        }

    def __getitem__(self, outcome: str) -> int:
        """Return the number of answers of an outcome."""
        return self.outcomes[OUTCOMES.index(outcome)]


def counted(transcripts: Iterable[Transcript]) -> AnswerCounts:
    """Return the sums over transcripts."""
    every = list(transcripts)
    answers = [answer for one in every for answer in one.answers]
    return AnswerCounts(
        len(every),
        tuple(sum(answer.outcome == outcome for answer in answers) for outcome in OUTCOMES),
        sum(answer.ms for answer in answers),
        sum(answer.prompt_tokens for answer in answers),
        sum(answer.completion_tokens for answer in answers),
        sum(answer.cost for answer in answers),
        sum(answer.retries for answer in answers),
    )
