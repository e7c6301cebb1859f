"""Reading a language model's answer: every move in every game, and answers as models give them."""

import random

import pytest

from agents.outside.llm.reading import MoveTexts, read_answer
from tests.agents.outside.positions import catalogue, positions

PLAIN = (
    "{0}",
    "**{0}**",
    "`{0}`.",
    "Final Answer: {0}",
    "final answer: {0}",
    "**Final Answer:** {0}",
    "**Final Answer: {0}**",
    "Final Answer: **{0}**.",
    "Final answer is {0}.",
    "Final Answer:\n\n{0}",
    "### Final Answer: `{0}`",
    'Final Answer: "{0}"',
    '{{"final_answer": "{0}"}}',
    '{{"move": "{0}", "reason": "it is the best"}}',
    '```json\n{{\n  "answer": "{0}"\n}}\n```',
    'Sure! Here is my answer:\n```\n{{"action": "{0}"}}\n```\nGood luck!',
    "\\boxed{{{0}}}",
    "The answer is $\\boxed{{\\text{{{0}}}}}$.",
    "My move: {0}",
    "I play {0}.",
    "I'll play {0}!",
    "After some thought, my move is {0}.",
    "<think>This is hard, and time is short.</think>\n{0}",
    "<think>Let me see.\n\nFinal Answer: nothing yet</think>\nFinal Answer: {0}",
    "Final Answer: {0}\n",
    "2. Move {0}.",
    "Move {0}.",
    "1) {0}",
    "Let me think.\n\n1. The position is even.\n2. There is no threat.\n\nFinal Answer: {0}",
)
"""Answers that name one move."""
SEVERAL = (
    "I could play {1}, but {0} is stronger.\n\nFinal Answer: {0}",
    "Candidates: {1}, {0}.\nFinal Answer: {0}",
    "Final Answer: {1}\n\nWait, that loses.\n\nFinal Answer: {0}",
    "{1} looks natural. However, my move is {0}.",
    '{{"candidates": ["{1}", "{0}"], "move": "{0}"}}',
    "<think>{1}? Or {0}? Yes.</think>**{0}**",
    "- {1}: bad\n- {0}: good\n\n**Final Answer**: {0}",
    "Not {1}.\n\nI choose {0}.",
)
"""Answers that name several moves and commit to the first of the two."""
UNDECIDED = ("{0} or {1}", "Both {0} and {1} are fine.", "I would look at {1}, then at {0}, and decide.", "Hmm.", "")
"""Answers that commit to no move."""
BY_HAND = (
    ("Nf3", "The knight belongs on f3.\n\nFinal Answer: Nf3+!"),
    ("Nf3", "final answer: nf3"),
    ("Nf3", "Final Answer: NF3"),
    ("Nf3", "FINAL ANSWER: [Nf3]"),
    ("Nf3", "Final Answer: <Nf3>"),
    ("Nf3", "Final Answer: Nf3 (knight to f3)"),
    ("Nf3", "Final Answer: 1. Nf3"),
    ("Nf3", "Final Answer: 2... Nf3"),
    ("Nf3", "Final Answer: I play Nf3 because it develops a knight."),
    ("Nf3", "*Final Answer*: **Nf3**"),
    ("Nf3", "Answer: Nf3"),
    ("Nf3", "**Move:** Nf3"),
    ("Nf3", "My final move is **Nf3**."),
    ("Nf3", "The best move is Nf3, since e4 hangs a pawn."),
    ("Nf3", "The best move here is Nf3."),
    ("Nf3", "I would play Nf3 instead of e4."),
    ("Nf3", "I will go with Nf3"),
    ("Nf3", "Let's play Nf3."),
    ("Nf3", "Therefore I choose: Nf3"),
    ("Nf3", "I therefore play Nf3."),
    ("Nf3", "Nf3 develops a piece and controls the centre."),
    ("Nf3", "e4 weakens d4, and d4 weakens e4. So Nf3."),
    ("Nf3", '{"Final Answer": "Nf3"}'),
    ("Nf3", '{"FINAL_ANSWER":"Nf3","confidence":0.9}'),
    ("Nf3", 'Here: {"move":"e4"} - no, better {"move":"Nf3"}'),
    ("Nf3", '{"thoughts": {"e4": "bad"}, "move": "Nf3"}'),
    ("Nf3", '{"move": "Nf3"'),
    ("Nf3", "“Nf3”"),
    ("Nf3", "'Nf3'"),
    ("Nf3", "Nf3\n"),
    ("Nf3", "> Nf3"),
    ("Nf3", "# Nf3"),
    ("Nf3", "- Nf3"),
    ("Nf3", "```\nNf3\n```"),
    ("Nf3", "~~e4~~ **Nf3**"),
    ("Nf3", "<think>e4 e4 e4</think>Nf3"),
    ("Nf3", "<thinking>Final Answer: e4</thinking>\n\nFinal Answer: Nf3"),
    ("Nf3", "Final Answer – Nf3"),
    ("Nf3", "Final Answer → Nf3"),
    ("Nf3", "Final Answer:\r\nNf3\r\n"),
    ("Nf3", "\u200bFinal Answer: Nf3"),
    ("O-O", "Final Answer: 0-0"),
    ("O-O", "Final Answer: o-o"),
    ("O-O", "I castle: O-O"),
    ("O-O-O", "Final Answer: O-O-O"),
    ("O-O-O", "Final Answer: 0-0-0"),
    ("bxc3", "Final Answer: bxc3"),
    ("Bxc3", "Final Answer: Bxc3"),
    ("e8=Q", "Final Answer: e8=Q#"),
    ("e8=Q", "Final Answer: e8=q"),
    ("illegal", "Final Answer: Nf9"),
    ("illegal", "Final Answer: Qa8"),
    ("illegal", "Qa8"),
    ("illegal", "2. Move h7."),
    ("illegal", "Move Qa8."),
    ("illegal", "1) h7"),
    ("illegal", "The only legal move is h7."),
    ("Nf3", "2. Move Nf3."),
    ("e4", "So the only legal move is e4."),
    ("unreadable", "Player 2."),
    ("unreadable", "2. Move h7 or a8."),
    ("illegal", "Nf3 is good.\n\nFinal Answer: Bf1"),
    ("unreadable", "Final Answer: BXC3"),  # a pawn's move and a bishop's
    ("unreadable", "Final Answer: Nf3 or e4"),
    ("unreadable", "Final Answer: MOVE"),
    ("unreadable", "Final Answer: I resign."),
    ("unreadable", "Final Answer:"),
    ("unreadable", "I cannot help with that."),
    ("unreadable", "<think>Nf3 is the move, since"),
    ("unreadable", "e4, d4, Nf3"),
)
"""What a person reads in an answer in a position of chess where these are legal."""
CHESS = ["e4", "d4", "Nf3", "O-O", "O-O-O", "bxc3", "Bxc3", "e8=Q", "a3"]


@pytest.mark.full
@pytest.mark.parametrize("name", catalogue())
def test_every_legal_action_is_read_back_from_its_text(name):
    stream, ends = positions(name, 420), 0  # 10,000 positions of all games
    for game, state, legal, texts, last in stream:
        ends += last
        assert len(set(texts)) == len(texts), texts
        moves = MoveTexts(texts, lambda text: None)
        assert [moves.read(text).index for text in texts] == list(range(len(legal)))
        some = texts[len(texts) // 2]
        assert read_answer(f"Final Answer: {some}", texts).index == texts.index(some)
        assert game.parse_action(state, some) == legal[texts.index(some)]
    assert ends, "no game came to its end"


def messy_answers(count, seed=0):
    """Yield answers with the place of the move that a person reads in them, -1 for none, and the legal moves."""
    draw = random.Random(seed)
    names = catalogue()
    streams = {name: positions(name, 10**6, seed=1) for name in names}
    for number in range(count):
        _, _, _, texts, _ = next(streams[names[number % len(names)]])
        while len(texts) < 2:
            _, _, _, texts, _ = next(streams[names[number % len(names)]])
        meant, other = draw.sample(range(len(texts)), 2)
        kind = draw.choice((PLAIN, PLAIN, SEVERAL, UNDECIDED) if number % 2 else (PLAIN, SEVERAL))
        text = draw.choice(kind).format(texts[meant], texts[other])
        if kind is PLAIN and number % 5 == 0 and len({one.lower() for one in texts}) == len(texts):
            text = text.replace(texts[meant], texts[meant].lower())
        yield text, -1 if kind is UNDECIDED else meant, texts


@pytest.mark.full
def test_messy_answers_are_read_as_a_person_would():
    answers = list(messy_answers(1000))
    wrong = [(text, texts) for text, meant, texts in answers if read_answer(text, texts).index != meant]
    assert len(wrong) <= 10, wrong[:10]


@pytest.mark.parametrize(("meant", "text"), BY_HAND, ids=range(len(BY_HAND)))
def test_answers_by_hand(meant, text):
    reading = read_answer(text, CHESS)
    assert (reading.kind if reading.index < 0 else CHESS[reading.index]) == meant


def test_another_notation_of_the_game_is_read():
    def parse(text):
        return {"g1f3": 2, "a1a8": -1}.get(text)

    assert read_answer("Final Answer: g1f3", CHESS, parse).index == 2
    assert read_answer("Final Answer: a1a8", CHESS, parse).kind == "illegal"
    assert read_answer("Final Answer: h9h9", CHESS, parse).kind == "unreadable"
