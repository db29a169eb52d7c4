"""Rows out of frames and clusters: all relations that one of them can show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from training.corpus import Frame
from training.draws import Draws
from training.wordings import SPEAKER, Subject, fill

# Two undated statements of one value at a time: nothing tells whether the world changed or one of them is wrong.
_UNDATED: Final = {"conflict": 0.65, "change": 0.35}
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


class FrameRows(Draws):
    """Rows out of frames and clusters."""

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
