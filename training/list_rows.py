"""Rows out of the lists: likes, alternatives, states, traits, progress, rules, kinds, choices, things told apart."""

from __future__ import annotations

from training.draws import Draws
from training.wordings import fill


class ListRows(Draws):
    """Rows out of the lists."""

    def chosen(self) -> None:
        """One of several ways to have a thing."""
        subject = self.subject()
        again = self.same_subject(subject)
        head, ways = self.one_of(self.choices)
        one, other = self.choice.sample(ways, 2)
        text, text_too = self.choice.sample(self.lists["chooses"], 2)
        end = f" {self.one(self.lists['occasions'])}" if self.maybe(0.35) else ""
        say = lambda template, way=one, who=subject: fill(template, who, C=way, H=head, B=one) + end
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
        say = lambda text, word=one: fill(text, X=f"{owner} {word} {thing}")
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

    def preference(self) -> None:
        """Likes and dislikes, which stand beside one another, and their turns."""
        subject = self.subject()
        again = self.same_subject(subject)
        value, other = self.choice.sample(self.liked, 2)
        likes, dislikes = self.lists["likes"], self.lists["dislikes"]
        yes, no = self.choice.sample(likes, 2), self.choice.sample(dislikes, 2)
        say = lambda text, who=subject, what=value: fill(text, who, V=what)
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
        say = lambda text, who=subject, a=pair[0], b=pair[1]: fill(text, who, A=a, B=b)
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
        say = lambda text, what=thing, now=pair[0], before=pair[1]: fill(text, E=what, V=now, W=before)
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
        say = lambda text, who=subject, now=pair[0]: fill(text, who, V=now)
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
        say = lambda text, what=task: fill(text, T=what)
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
        say = lambda text, what=action: fill(text, A=what)
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
        say = lambda text, what, who=subject: fill(text, who, V=what)
        name = "kind"
        self.add("detail", "narrower", say(yes, kind), say(yes, value, again), name)
        self.add("duplicate", "wider", say(yes, value), say(yes, kind, again), name, {"duplicate": 0.85, "new": 0.15})
        self.add("conflict", "narrower denied", *self.either((say(no, kind), say(yes, value, again))), name)
        self.add("new", "wider beside a denied narrower", *self.either((say(no, value), say(yes, kind, again))), name)
        self.add("new", "two narrower", say(yes, value), say(yes, other, again), name)

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
