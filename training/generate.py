"""Makes rows from the frames, clusters, pairs and lists of this folder. The same seed makes the same rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from training.corpus import HandPair, Row
from training.frame_rows import FrameRows
from training.labels import LABELS
from training.list_rows import ListRows
from training.material import Material
from training.wordings import capital, fill

_DEVELOPMENT_SEED: Final = 12
_DEVELOPMENT_ROWS: Final = 3000


class Generator(FrameRows, ListRows):
    """Rows out of the material and the lists."""

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
            say = lambda word, text=sentence: capital(text.replace("{C}", word))
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
