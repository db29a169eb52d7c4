"""Makes rows from the frames, clusters, numbers and lists of this folder. The same seed makes the same rows."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from training import numbers
from training.corpus import Cue, Frame, HandPair, Row, read_choices, read_cues, read_frames, read_lists, read_pairs, read_subjects
from training.labels import LABELS
from training.wordings import SPEAKER, USER, Subject, capital, fill, styled

_FEMALE: Final = frozenset("Amara Carla Elif Farah Hana Keiko Marta Nadia Priya Rosa Tara Vera Wanda Zoe Imani".split())
# Two undated statements of one value at a time: nothing tells whether the world changed or one of them is wrong.
_UNDATED: Final = {"conflict": 0.65, "change": 0.35}
_OPENERS: Final = frozenset(
    "The My Our We There It A An No Nobody All Every Both Neither Most Few Hardly Please Always Never Do Make".split()
)
_FRAMES: Final = (
    "frames.txt",
    "frames_facts.txt",
    "numbers.txt",
    "clusters.txt",
    "clusters_life.txt",
    "clusters_work.txt",
    "clusters_facts.txt",
)
_PAIRS: Final = ("pairs.txt", "pairs_more.txt")
_DEVELOPMENT_SEED: Final = 12
_DEVELOPMENT_ROWS: Final = 3000
_HELD_OUT: Final = 8  # one frame in so many is kept for development


@dataclass(frozen=True, slots=True)
class Material:
    """What rows are made from."""

    frames: list[Frame]
    pairs: list[HandPair]
    cues: list[Cue]
    choices: list[tuple[str, list[str]]]


def material() -> tuple[Material, Material]:
    """What to train on, and what is held out: every eighth frame of each file and every eighth pair."""
    train, held_out = Material([], [], [], []), Material([], [], [], [])
    for name in _FRAMES:
        for place, frame in enumerate(read_frames(name)):
            (held_out if place % _HELD_OUT == _HELD_OUT - 1 else train).frames.append(frame)
    for name in _PAIRS:
        for place, pair in enumerate(read_pairs(name)):
            (held_out if place % _HELD_OUT == _HELD_OUT - 1 else train).pairs.append(pair)
    for place, cue in enumerate(read_cues("cues.txt")):
        (held_out if place % _HELD_OUT == _HELD_OUT - 1 else train).cues.append(cue)
    for place, one in enumerate(read_choices("choices.txt")):
        (held_out if place % _HELD_OUT == _HELD_OUT - 1 else train).choices.append(one)
    return train, held_out


_AUXILIARY = re.compile(r" (is|are|can|will|must|should) (?!not\b)")
_VERB = re.compile(r"<(\w+)>")


def negated(template: str) -> str | None:
    """The template with "not" at its verb; None where there is a negation already or no verb that is sure."""
    if re.search(r"\b(?:not|no|never|without|nobody|cannot|none|nothing|few|rarely)\b", template):
        return None
    verb = _VERB.search(template)
    if verb is not None:
        return template.replace(verb[0], f"{verb[0]} not" if verb[1] == "am" else f"<do> not {verb[1]}", 1)
    found = _AUXILIARY.search(template)
    return f"{template[: found.end()]}not {template[found.end() :]}" if found else None


@dataclass(frozen=True, slots=True)
class _Saying:
    """One draw of a frame's slots: of whom or what it is said, with what value, and what the other value is."""

    frame: Frame
    subject: Subject
    again: Subject  # the same person, at times seen from the other side
    things: tuple[str, str]
    value: str
    other: str

    def __call__(self, template: str, who: Subject | None = None, *, now: str | None = None, thing: str | None = None) -> str:
        """The template said of the value, or of `now`."""
        subject = who or self.subject
        return fill(template, subject, V=self.value if now is None else now, W=self.other, X=self.things[0] if thing is None else thing)

    def swapped(self, template: str, who: Subject | None = None, *, thing: str | None = None) -> str:
        """The template said of the other value, with this one as the one before."""
        return fill(template, who or self.subject, V=self.other, W=self.value, X=self.things[0] if thing is None else thing)


class Generator:
    """Rows out of the material and the lists."""

    def __init__(self, seed: int, given: Material) -> None:
        self.choice = random.Random(seed)  # noqa: S311 - rows, no secrets
        self.frames = list(given.frames)
        self.pairs, self.cues, self.choices = given.pairs, given.cues, given.choices
        self.chatter = read_lists("chatter.txt", "|")
        self.values = read_lists("values.txt", ",") | read_lists("values_facts.txt", ",")
        self.lists = read_lists("lists.txt", "|")
        kin = [Subject(*entry) for entry in read_subjects()]
        named = [Subject(name, *(("her", "she") if name in _FEMALE else ("his", "he"))) for name in self.values["name"]]
        self.kin, self.named = kin, named
        self.liked = [value for name in ("food", "drink", "hobby", "genre", "media", "thing") for value in self.values[name]]
        self.rows: list[Row] = []

    # Small helpers

    def subject(self) -> Subject:
        """I, the user, somebody named, or a relation of the speaker."""
        chance = self.choice.random()
        if chance < 0.36:
            return SPEAKER
        if chance < 0.54:
            return USER
        return self.choice.choice(self.named if chance < 0.74 else self.kin)

    def other_subject(self, subject: Subject) -> Subject:
        """Somebody else; most often of the same sort, where telling them apart is hardest."""
        while True:
            near = self.named if subject in self.named else self.kin
            other = self.choice.choice(near) if self.choice.random() < 0.6 else self.subject()
            same = other.name == subject.name or {other, subject} == {SPEAKER, USER}
            nested = other.name.lower() in subject.name.lower() or subject.name.split()[-1] == other.name.split()[-1]
            if not same and not (nested and self.choice.random() < 0.5):
                return other

    def same_subject(self, subject: Subject) -> Subject:
        """The same person, at times seen from the other side."""
        if self.choice.random() < 0.2:
            return {SPEAKER: USER, USER: SPEAKER}.get(subject, subject)
        return subject

    def add(self, label: str, kind: str, stored: str, new: str, frame: str, soft: dict[str, float] | None = None) -> None:
        """One row, styled."""
        openings = self.lists["openings"]
        old, other = styled(stored, self.choice, openings), styled(new, self.choice, openings)
        if stored.lower() == new.lower() and label != "duplicate":
            return
        shares = soft or {label: 1.0}
        self.rows.append(Row(old, other, tuple(shares.get(name, 0.0) for name in LABELS), kind, frame))

    def one(self, texts: Sequence[str]) -> str:
        """One of them."""
        return self.choice.choice(texts)

    def maybe(self, chance: float) -> bool:
        """True as often as that."""
        return self.choice.random() < chance

    def two_values(self, frame: Frame) -> tuple[list[str], list[str]]:
        """The forms of two values of a slot."""
        if frame.kind == "number":
            first = numbers.draw(frame.slot, self.choice)
            return first, numbers.draw_other(frame.slot, first, self.choice)
        if frame.kind == "plain":
            return [""], [""]
        one, other = self.choice.sample(self.values[frame.slot], 2)
        return [one], [other]

    def statement(self, avoid: Frame | None = None, subject: Subject | None = None) -> str:
        """Any statement of another frame."""
        frame = self.choice.choice([frame for frame in self.frames if frame is not avoid])
        value, _ = self.two_values(frame)
        thing = self.one(frame["@"]) if frame["@"] else ""
        return fill(self.one(frame["="]), subject or self.subject(), V=self.one(value), X=thing)

    # Makers

    def from_frame(self, frame: Frame) -> None:
        """All relations that one frame can show, for one draw of its slots."""
        says, choice = frame["="], self.choice
        subject = self.subject() if frame.personal else SPEAKER
        again = self.same_subject(subject)
        things = choice.sample(frame["@"], 2) if frame["@"] else ["", ""]
        values, others = self.two_values(frame)
        say = _Saying(frame, subject, again, (things[0], things[1]), self.one(values), self.one(others))
        first = self.one(says)
        second = self.one([text for text in says if text != first] or says)
        self._repeated(say, first, second, values)
        self._details(say)
        self._spoken_against(say)
        self._denied(say, first)
        if frame["x"]:
            self.add("change", "ended", say(first), say(self.one(frame["x"]), again), frame.name)
        if frame["<"] and frame["!"]:
            self.add("change", "reported", say(self.one(frame["!"])), say(self.one(frame["<"]), again), frame.name)
        if frame["<"] and self.maybe(0.4):
            soft = {"duplicate": 0.5, "detail": 0.3, "change": 0.2}
            self.add("duplicate", "state", say(first), say(self.one(frame["<"]), again), frame.name, soft)
        self._other_value(say, first, second)
        self._compatible(say, first)
        self._other_subject(say, first)
        if self.maybe(0.25) and frame.kind == "one":
            self._dated(say, first)

    def _repeated(self, say: _Saying, first: str, second: str, values: list[str]) -> None:
        """The same thing in other words, or with its number in another form."""
        says, plain = say.frame["="], say.frame.kind == "plain"
        for _ in range(2 if plain else 1):
            again_value = self.one(values)
            if second != first or again_value != say.value:
                self.add("duplicate", "paraphrase", say(first), say(second, say.again, now=again_value), say.frame.name)
            first_too, second_too = self.choice.sample(says, 2) if len(says) > 1 else (first, first)
            if plain and first_too != second_too:
                self.add("duplicate", "paraphrase", say(first_too), say(second_too, say.again), say.frame.name)
        if len(values) > 1 and self.maybe(0.5):
            forms = self.choice.sample(values, 2)
            self.add("duplicate", "form", say(first, now=forms[0]), say(first, say.again, now=forms[1]), say.frame.name)

    def _details(self, say: _Saying) -> None:
        frame = say.frame
        if self.maybe(0.6):
            text = self.one(frame["="])
            more = self.one(self.lists["more"])
            longer = say(text, say.again) + (more if more.startswith(",") else f" {more}")
            self.add("detail", "more of any kind", say(text), longer, frame.name)
        if not frame["+"] or self.maybe(0.15):
            return
        opening, detail = frame["="][0], self.one(frame["+"]).removeprefix("...")
        longer = opening + (detail if detail.startswith((" ", ",")) else f" {detail}")
        self.add("detail", "more", say(opening), say(longer, say.again), frame.name)
        if self.maybe(0.3) and len(frame["="]) > 1:
            self.add("detail", "more in other words", say(self.one(frame["="][1:])), say(longer, say.again), frame.name)
        if self.maybe(0.3):
            self.add("duplicate", "less", say(longer), say(opening, say.again), frame.name, {"duplicate": 0.9, "new": 0.1})

    def _spoken_against(self, say: _Saying) -> None:
        """What cannot be true beside it, and what reports that it has changed."""
        frame, says, again = say.frame, say.frame["="], say.again
        plain = frame.kind == "plain"
        for _ in range(2 if plain else 1):
            if frame["!"]:
                pair = say(self.one(says)), say(self.one(frame["!"]), again)
                self.add("conflict", "denied", *(pair if self.maybe(0.65) else pair[::-1]), frame.name)
            if len(frame["!"]) > 1 and self.maybe(0.25) and not plain:
                left, right = self.choice.sample(frame["!"], 2)
                self.add("duplicate", "denied twice", say(left), say(right, again), frame.name)
            if frame[">"]:
                self.add("change", "reported", say.swapped(self.one(says)), say(self.one(frame[">"]), again), frame.name)

    def _other_value(self, say: _Saying, first: str, second: str) -> None:
        frame, again = say.frame, say.again
        if frame.kind == "plain":
            return
        base, swapped = say(first), say.swapped(self.one([first, first, second]), again)
        if frame.kind != "many":
            self.add("conflict", "other value", base, swapped, frame.name, _UNDATED)
            if frame.kind == "number":
                self.add("conflict", "other number", base, say.swapped(first, again), frame.name, _UNDATED)
            return
        self.add("new", "another value", base, swapped, frame.name)
        for text in frame["&"][:2]:
            self.add("new", "one more value", base, say.swapped(text, again), frame.name)
        for sign, kind in (("!", "another value denied"), ("x", "another value ended")):
            if frame[sign] and self.maybe(0.4):
                self.add("new", kind, base, say.swapped(self.one(frame[sign]), again), frame.name)

    def _denied(self, say: _Saying, first: str) -> None:
        """Denials that need no line of their own: "not" at the verb, "it is not true that", "Hana, not Otto,"."""
        base, subject, name = say(first), say.subject, say.frame.name
        denied = negated(first)
        if denied is not None and self.maybe(0.45):
            pair = base, say(denied, say.again)
            self.add("conflict", "negated", *(pair if self.maybe(0.6) else pair[::-1]), name)
        elif self.maybe(0.12):
            opening = self.one(["It is not true that", "It is wrong that", "It is not the case that", "It is false that"])
            self.add("conflict", "called false", base, f"{opening} {self.lowered(base)}", name)
        if subject in self.named and base.startswith(subject.name + " ") and self.maybe(0.6):
            other = self.choice.choice([one for one in self.named if one is not subject])
            self.add("conflict", "somebody else", base, f"{other.name}, not {subject.name},{base.removeprefix(subject.name)}", name)

    def _compatible(self, say: _Saying, first: str) -> None:
        frame = say.frame
        beside = frame["~"] + frame["^"]
        for text in self.choice.sample(beside, min(len(beside), 2 if frame.kind != "number" and self.maybe(0.6) else 1)):
            pair = say(first), say(text, say.again)
            self.add("new", "compatible", *(pair[::-1] if frame.kind == "plain" and self.maybe(0.3) else pair), frame.name)
        if self.maybe(0.35):
            self.add("new", "same subject", say(first), self.statement(frame, say.again), frame.name)

    def _other_subject(self, say: _Saying, first: str) -> None:
        frame = say.frame
        text = self.one([first, first, self.one(frame["="]), *frame[">"][:1], *frame["!"][:1], *frame["x"][:1]])
        said = say if self.maybe(0.5) else say.swapped
        if frame.personal:
            self.add("new", "other subject", say(first), said(text, self.other_subject(say.subject)), frame.name)
        elif say.things[1]:
            self.add("new", "other subject", say(first), said(text, thing=say.things[1]), frame.name)

    def _dated(self, say: _Saying, first: str) -> None:
        early, late = sorted(self.choice.sample(range(1950, 2026), 2))
        months = self.maybe(0.4)
        dates = [f"{self.one(self.values['month'])} {year}" if months else str(year) for year in (early, late)]
        opening = self.one(["As of {D}", "As of {D}", "In {D}", "Since {D}"])
        told = [[f"{opening.replace('{D}', date)}, {self.lowered(text)}" for date in dates] for text in (say(first), say.swapped(first))]
        name = say.frame.name
        self.add("change", "dated later", told[0][0], told[1][1], name)
        if self.maybe(0.5):
            self.add("new", "dated earlier", told[0][1], told[1][0], name)
        if self.maybe(0.5):
            self.add("conflict", "same date", told[0][0], told[1][0], name)

    def lowered(self, text: str) -> str:
        """The text as it goes on after an opening: its first letter small, unless it is a name or "I"."""
        first = text.split(maxsplit=1)[0].split("'", maxsplit=1)[0]
        common = first in _OPENERS
        return text[:1].lower() + text[1:] if common else text

    def hand_pair(self) -> None:
        """Pairs written by hand, each for one subject; with another subject it says something new."""
        for pair in self.choice.sample(self.pairs, 5):
            self._hand_pair(pair)

    def _hand_pair(self, pair: HandPair) -> None:
        subject = self.subject()
        again = self.same_subject(subject)
        stored, new = fill(pair.stored, subject), fill(pair.new, again)
        if pair.label in {"conflict", "duplicate", "new"} and self.maybe(0.4):
            stored, new = new, stored
        self.add(pair.label, "by hand", stored, new, pair.name)
        if pair.personal and self.maybe(0.35):
            self.add("new", "other subject", fill(pair.stored, subject), fill(pair.new, self.other_subject(subject)), pair.name)

    def cue(self) -> None:
        """A longer sentence with a word that turns it, exchanged for one that says the same or the opposite."""
        for cue in self.choice.sample(self.cues, min(3, len(self.cues))):
            sides = list(cue.sides)
            self.choice.shuffle(sides)
            sentence, unlike = self.choice.sample(cue.sentences, 2)
            say = lambda word, text=sentence: capital(text.replace("{C}", word))  # noqa: E731
            one, other = self.choice.sample(sides[0], 2)
            name = f"cue {cue.sides[0][0]}"
            self.add("duplicate", "cue exchanged", say(one), say(other), name)
            self.add("conflict", "cue turned", say(one), say(self.one(sides[1])), name)
            if self.maybe(0.5):
                self.add("duplicate", "cue exchanged", *(say(word) for word in self.choice.sample(sides[1], 2)), name)
            if self.maybe(0.5):
                self.add("new", "cue elsewhere", say(one), say(self.one([one, other]), unlike), name)
            if self.maybe(0.3):
                self.add("new", "cue elsewhere", say(one), self.statement(), name)

    def chosen(self) -> None:
        """One of several ways to have a thing."""
        subject = self.subject()
        again = self.same_subject(subject)
        head, ways = self.one_of(self.choices)
        one, other = self.choice.sample(ways, 2)
        text, text_too = self.choice.sample(self.lists["chooses"], 2)
        end = f" {self.one(self.lists['occasions'])}" if self.maybe(0.35) else ""
        say = lambda template, way=one, who=subject: fill(template, who, C=way, H=head, B=one) + end  # noqa: E731
        name = f"choice {head}"
        self.add("duplicate", "chosen", say(text), say(text_too, who=again), name)
        self.add("conflict", "chosen otherwise", say(text), say(text, other, again), name, {"conflict": 0.75, "change": 0.25})
        if self.maybe(0.5):
            self.add("conflict", "chosen otherwise", say(text), say(text_too, other, again), name, {"conflict": 0.75, "change": 0.25})
        self.add("change", "chosen anew", say(text), say(self.one(self.lists["chooses now"]), other, again), name)
        self.add("new", "other subject", say(text), say(text, self.one([one, other]), self.other_subject(subject)), name)
        unlike, its_ways = self.one_of([entry for entry in self.choices if entry[0] != head])
        self.add("new", "another choice", say(text), fill(self.one([text, text_too]), again, C=self.one(its_ways), H=unlike, B=one), name)

    def first_and_second(self) -> None:
        """Two things of one sort, told apart by a word."""
        one, other = self.choice.sample(self.lists["first words"], 2)
        thing = self.one(self.lists["second words"])
        said = self.one(self.lists["said of many things"]).split("/")
        self.choice.shuffle(said)
        owner = self.one(["the", "the", "my", "our"])
        say = lambda text, word=one: fill(text, X=f"{owner} {word} {thing}")  # noqa: E731
        name = "first and second"
        self.add("new", "other subject", say(said[0]), say(self.one([*said, said[1]]), other), name)
        self.add("conflict", "same subject", say(said[0]), say(said[1]), name, {"conflict": 0.8, "change": 0.2})
        if self.maybe(0.3):
            self.add(
                "new",
                "other said",
                say(said[0]),
                say(self.one([t for t in self.lists["said of many things"] if said[0] not in t]).split("/")[0]),
                name,
            )

    def one_of(self, entries: Sequence[tuple[str, list[str]]]) -> tuple[str, list[str]]:
        """One of them."""
        return self.choice.choice(entries)

    def in_context(self, row: Row) -> Row:
        """The row as it stands in longer texts: within chatter, in a setting, beside a second statement, with more said."""
        chance = self.choice.random()
        stored, new = row.stored.rstrip(".!"), row.new.rstrip(".!")
        before, after = self.one(self.chatter["before"]), self.one(self.chatter["after"])
        if chance < 0.3:
            return replace(row, new=f"{before} {self.lowered(new)}{after if self.maybe(0.6) else ''}")
        if chance < 0.45:
            return replace(row, stored=stored + after, new=f"{before} {self.lowered(new)}")
        if chance < 0.65:
            opening = self.one(self.chatter["setting"])
            return replace(row, stored=f"{opening} {self.lowered(stored)}", new=f"{opening} {self.lowered(new)}")
        if chance < 0.8:
            end = self.one(self.chatter["clause"])
            return replace(row, stored=stored + end, new=new + end)
        end = f", and {self.lowered(self.statement())}"
        if chance < 0.92 or row.label not in {"duplicate", "detail"}:
            return replace(row, stored=stored + end, new=new + end)
        return replace(row, new=new + end, target=tuple(float(name == "detail") for name in LABELS), kind="more said")

    def preference(self) -> None:
        """Likes and dislikes, which stand beside one another, and their turns."""
        subject = self.subject()
        again = self.same_subject(subject)
        value, other = self.choice.sample(self.liked, 2)
        likes, dislikes = self.lists["likes"], self.lists["dislikes"]
        yes, no = self.choice.sample(likes, 2), self.choice.sample(dislikes, 2)
        say = lambda text, who=subject, what=value: fill(text, who, V=what)  # noqa: E731
        name = "preference"
        self.add("duplicate", "liked", say(yes[0]), say(yes[1], again), name)
        if self.maybe(0.7):
            self.add("duplicate", "disliked", say(no[0]), say(no[1], again), name)
        self.add("conflict", "turned", say(yes[0]), say(no[0], again), name)
        self.add("conflict", "turned", say(no[1]), say(yes[1], again), name)
        self.add("change", "grown tired", say(yes[0]), say(self.one(self.lists["grows tired"]), again), name)
        if self.maybe(0.6):
            self.add("change", "grown fond", say(no[0]), say(self.one(self.lists["grows fond"]), again), name)
        self.add("new", "another liked", say(yes[0]), say(self.one([yes[0], yes[1]]), again, other), name)
        self.add("new", "another disliked", say(yes[0]), say(no[0], again, other), name)
        self.add("new", "liked by another", say(yes[0]), say(self.one([yes[0], *yes, *no]), self.other_subject(subject)), name)
        if self.maybe(0.6):
            detail = self.one(self.lists["contexts"] + self.lists["reasons"])
            self.add("detail", "more", say(yes[0]), f"{say(yes[0], again)} {detail}", name)

    def alternative(self) -> None:
        """One of two preferred."""
        subject = self.subject()
        again = self.same_subject(subject)
        pair = self.one(self.lists["alternatives"]).split("/")
        self.choice.shuffle(pair)
        ways = self.choice.sample(self.lists["prefers"], 2)
        say = lambda text, who=subject, a=pair[0], b=pair[1]: fill(text, who, A=a, B=b)  # noqa: E731
        name, turned = "alternative", {"a": pair[1], "b": pair[0]}
        self.add("duplicate", "preferred", say(ways[0]), say(ways[1], again), name)
        self.add("conflict", "turned", say(ways[0]), say(self.one(ways), again, **turned), name, {"conflict": 0.8, "change": 0.2})
        self.add("change", "reported", say(ways[0]), say(self.one(self.lists["now prefers"]), again, **turned), name)
        one, other = self.choice.sample(self.lists["contexts"], 2)
        self.add("detail", "more", say("{S} <prefer> {A}"), say("{S} <prefer> {A} " + one, again), name)
        if self.maybe(0.5):
            self.add("new", "contexts", say("{S} <prefer> {A} " + one), say("{S} <prefer> {A} " + other, again, **turned), name)
        unlike = self.one([text for text in self.lists["alternatives"] if pair[0] not in text and pair[1] not in text]).split("/")
        self.add("new", "another choice", say(ways[0]), say(self.one(ways), again, *unlike), name)
        if self.maybe(0.6):
            self.add("new", "other subject", say(ways[0]), say(ways[0], self.other_subject(subject), **self.one([turned, {}])), name)

    def state(self) -> None:
        """Things that are on or off."""
        thing, unlike = self.choice.sample(self.lists["entities"], 2)
        pair = self.one(self.lists["states"]).split("/")
        self.choice.shuffle(pair)
        ways = self.choice.sample(self.lists["says state"], 2)
        say = lambda text, what=thing, now=pair[0], before=pair[1]: fill(text, E=what, V=now, W=before)  # noqa: E731
        name = "state"
        self.add("conflict", "antonym", say(ways[0]), say(self.one(["the {E} is {V}", ways[0]]), now=pair[1]), name)
        denied = say(ways[0]), say("the {E} is not {V}")
        self.add("conflict", "denied", *(denied if self.maybe(0.6) else denied[::-1]), name)
        self.add("change", "reported", say(ways[0]), say(self.one(self.lists["new state"]), now=pair[1], before=pair[0]), name)
        self.add("new", "other thing", say(ways[0]), say(ways[0], unlike, self.one(pair)), name)
        self.add("duplicate", "state", say(ways[0]), say(ways[1]), name)
        if self.maybe(0.5):
            self.add("duplicate", "double negation", say(ways[0]), say("the {E} is not {V}", now=pair[1]), name)
        if self.maybe(0.6):
            self.add("detail", "more", say("the {E} is {V}"), f"{say('the {E} is {V}')} {self.one(self.lists['state details'])}", name)
        unlike_state = self.one([text for text in self.lists["states"] if pair[0] not in text]).split("/")[0]
        if self.maybe(0.6):
            self.add("new", "other state", say(ways[0]), say("the {E} is {V}", now=unlike_state), name)

    def trait(self) -> None:
        """What people are."""
        subject = self.subject()
        again = self.same_subject(subject)
        pair = self.one(self.lists["traits"]).split("/")
        self.choice.shuffle(pair)
        say = lambda text, who=subject, now=pair[0]: fill(text, who, V=now)  # noqa: E731
        name = "trait"
        self.add("conflict", "antonym", say("{S} <am> {V}"), say("{S} <am> {V}", again, pair[1]), name)
        now = self.one(["{S} <am> {V} now", "{S} <have> become {V}", "since last month {S} <am> {V}", "{S} <am> no longer {W}"])
        self.add("change", "reported", say("{S} <am> {V}"), fill(now, again, V=pair[1], W=pair[0]), name)
        self.add("conflict", "denied", say("{S} <am> {V}"), say("{S} <am> not {V}", again), name)
        self.add("new", "other subject", say("{S} <am> {V}"), say("{S} <am> {V}", self.other_subject(subject), self.one(pair)), name)
        unlike = self.one([text for text in self.lists["traits"] if pair[0] not in text]).split("/")[0]
        self.add("new", "other trait", say("{S} <am> {V}"), say("{S} <am> {V}", again, unlike), name)

    def progress(self) -> None:
        """Work that goes on and ends."""
        task, unlike = self.choice.sample(self.lists["tasks"], 2)
        before, *after = self.one(self.lists["progress"]).split("/")
        say = lambda text, what=task: fill(text, T=what)  # noqa: E731
        name = "progress"
        self.add("change", "progress", say(before), say(self.one(["", "", "update: "]) + self.one(after)), name)
        self.add("new", "other task", say(before), say(self.one([before, *after]), unlike), name)
        self.add("duplicate", "progress", say(after[0]), say(after[1]), name)
        if self.maybe(0.5):
            self.add("detail", "more", say(before), f"{say(before)} {self.one(self.lists['progress details'])}", name)

    def rule(self) -> None:
        """What is always and never to be done."""
        action, unlike = self.choice.sample(self.lists["actions"], 2)
        do, do_not = self.choice.sample(self.lists["do"], 2), self.choice.sample(self.lists["do not"], 2)
        say = lambda text, what=action: fill(text, A=what)  # noqa: E731
        name = "rule"
        self.add("duplicate", "rule", say(do[0]), say(do[1]), name)
        if self.maybe(0.5):
            self.add("duplicate", "rule", say(do_not[0]), say(do_not[1]), name)
        turned = say(do[0]), say(do_not[0])
        self.add("conflict", "turned", *(turned if self.maybe(0.5) else turned[::-1]), name)
        if self.maybe(0.6):
            self.add("change", "rule dropped", say(do[0]), say(self.one(self.lists["now do not"])), name)
        else:
            self.add("change", "rule made", say(do_not[0]), say(self.one(self.lists["now do"])), name)
        self.add("new", "other rule", say(self.one([do[0], do_not[0]])), say(self.one([do[0], do_not[0]]), unlike), name)
        if self.maybe(0.6):
            self.add("detail", "more", say(do[0]), f"{say(do[0])} {self.one(self.lists['rule details'])}", name)

    def kind_of(self) -> None:
        """A dog and a beagle: the narrower word is a detail, the wider one says nothing new."""
        kind, narrower = self.one(self.lists["kinds"]).split("/")
        value, other = self.choice.sample(narrower.split(","), 2)
        subject = self.subject()
        again = self.same_subject(subject)
        place = self.choice.randrange(len(self.lists["has kind"]))
        yes, no = self.lists["has kind"][place], self.lists["has no kind"][place]
        say = lambda text, what, who=subject: fill(text, who, V=what)  # noqa: E731
        name = "kind"
        self.add("detail", "narrower", say(yes, kind), say(yes, value, again), name)
        self.add("duplicate", "wider", say(yes, value), say(yes, kind, again), name, {"duplicate": 0.85, "new": 0.15})
        self.add("conflict", "narrower denied", *self._either((say(no, kind), say(yes, value, again))), name)
        self.add("new", "wider beside a denied narrower", *self._either((say(no, value), say(yes, kind, again))), name)
        self.add("new", "two narrower", say(yes, value), say(yes, other, again), name)

    def _either(self, pair: tuple[str, str]) -> tuple[str, str]:
        return pair if self.maybe(0.5) else (pair[1], pair[0])

    def two_things(self) -> None:
        """Two things that are easily mistaken for one another."""
        pair = self.one(self.lists["things in pairs"]).split("/")
        said = self.one(self.lists["said of things"]).split("/")
        self.choice.shuffle(pair)
        self.choice.shuffle(said)
        name = "two things"
        self.add("new", "other subject", fill(said[0], X=pair[0]), fill(self.one([said[0], said[1], said[1]]), X=pair[1]), name)
        if self.maybe(0.6):
            self.add("conflict", "same subject", fill(said[0], X=pair[0]), fill(said[1], X=pair[0]), name)

    def unrelated(self) -> None:
        """Any two statements; and one that is repeated in almost the same letters."""
        stored = self.statement()
        self.add("new", "unrelated", stored, self.statement(), "unrelated")
        if self.maybe(0.3):
            self.add(
                "duplicate",
                "same",
                stored,
                self.one([stored, stored.lower(), f"Note that {stored[:1].lower()}{stored[1:]}", capital(stored) + "."]),
                "same",
            )

    def run(self, wanted: int, *, lists: bool = True) -> list[Row]:
        """At least `wanted` rows, no pair twice, in random order."""
        of_lists = [(self.preference, 9), (self.alternative, 7), (self.state, 8), (self.trait, 5), (self.progress, 4), (self.rule, 5)]
        of_lists += [(self.kind_of, 4), (self.two_things, 5), (self.first_and_second, 14), (self.unrelated, 6)]
        of_lists = of_lists if lists else []
        of_lists += [(self.hand_pair, 20), (self.cue, 16), (self.chosen, 12)]
        weights = {"plain": 0.5, "one": 1.0, "many": 1.2, "number": 1.0}
        frame_weights = [weights[frame.kind] for frame in self.frames]
        while len(self.rows) < wanted:
            if self.maybe(0.58):
                self.from_frame(self.choice.choices(self.frames, frame_weights)[0])
            else:
                makers, shares = zip(*of_lists, strict=True)
                self.choice.choices(makers, shares)[0]()
        self.rows = [self.in_context(row) if self.maybe(0.1) else row for row in self.rows]
        rows = list({(row.stored.casefold(), row.new.casefold()): row for row in self.rows}.values())
        self.choice.shuffle(rows)
        return rows


def development(held_out: Material) -> list[Row]:
    """The rows that seeds, temperature and thresholds are chosen by; `held_out` is what `material` keeps back."""
    return Generator(_DEVELOPMENT_SEED, held_out).run(_DEVELOPMENT_ROWS, lists=False)
