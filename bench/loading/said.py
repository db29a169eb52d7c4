"""What the owners of the load say: sentences that agree, repeat, change and speak against each other, by chance of one seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

_VALUES: Final[Mapping[str, Sequence[str]]] = {
    "city": ("Lisbon", "Turin", "Bergen", "Graz", "Ghent", "Porto", "Malmo", "Leipzig", "Cork", "Split", "Tartu", "Bilbao"),
    "drink": ("tea", "coffee", "cocoa", "water", "cider", "juice", "milk", "lemonade"),
    "food": ("rice", "pasta", "lentils", "salmon", "tofu", "bread", "mushrooms", "cheese"),
    "tool": ("Vim", "Emacs", "Zed", "Helix", "Kakoune", "Nano"),
    "project": ("Atlas", "Borealis", "Cobalt", "Dune", "Ember", "Fjord", "Garnet", "Harbor"),
    "language": ("Rust", "Python", "Go", "Kotlin", "Swift", "Elixir", "Zig"),
    "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    "animal": ("cat", "dog", "rabbit", "parrot", "tortoise"),
    "sport": ("rowing", "chess", "climbing", "cycling", "fencing", "sailing"),
}

# What changes is said again with another value: of a protected type it is asked about, of a fact it may run alone.
_FACTS: Final[Sequence[tuple[str, str]]] = (
    ("preference", "{name} prefers {drink} in the morning"),
    ("preference", "{name} prefers {tool} for editing code"),
    ("preference", "{name} likes to eat {food}"),
    ("opinion", "{name} thinks that {language} is the best language for services"),
    ("goal", "{name} wants to learn {language} this year"),
    ("fact", "{name} lives in {city}"),
    ("fact", "{name} now lives in {city}"),
    ("fact", "The deploy window of {project} is now {number} minutes"),
    ("fact", "The team of {project} meets on {day}"),
    ("fact", "The budget of {project} is {number} thousand euros"),
    ("fact", "{name} has a {animal}"),
    ("skill", "{name} is good at {sport}"),
    ("action", "{name} sent the report on {project} to {city} on {day}"),
    ("experience", "{name} spent a week in {city} with {number} friends"),
)
_MESSAGES: Final = (
    "Hi! I moved to {city} last month. I prefer {drink}. Thanks!",
    "We talked about {project} on {day}. The budget is {number} thousand euros. I want to learn {language}.",
    "I have a {animal}. I am good at {sport}. Could you remind me of the meeting?",
)
_QUERIES: Final = (
    "what does {name} drink?",
    "where does {name} live?",
    "deploy window of {project}",
    "which language does {name} want to learn?",
    "{project} meeting",
    "{animal}",
)
_NAMES: Final = ("Alice", "Bob", "Carla", "Dimitri", "Erin", "Farid", "Greta", "Hugo", "Ines", "Jonas")

_A_MESSAGE, _SEVERAL, _SHARED = 0.15, 0.15, 0.05


@dataclass(slots=True)
class Owner:
    """One user of the load. `memories` are some of its memories' ids, for reads."""

    user_id: str
    name: str
    memories: list[str]


def owners_of(run: str, count: int) -> list[Owner]:
    """The users of one run, apart from those of every other run."""
    return [Owner(f"load-{run}-{number:04}", _NAMES[number % len(_NAMES)], []) for number in range(count)]


def first_body(chance: Random, owner: Owner) -> dict[str, Any]:
    """What an owner brings along before anything is measured."""
    return {"user_id": owner.user_id, "facts": [_fact(chance, owner) for _ in range(5)]}


def write_body(chance: Random, owner: Owner) -> dict[str, Any]:
    """One write: mostly one fact, now and then several, or a message."""
    kind = chance.random()
    if kind < _A_MESSAGE:
        return {"user_id": owner.user_id, "message": _said(chance, owner, chance.choice(_MESSAGES))}
    facts = 3 if kind < _A_MESSAGE + _SEVERAL else 1
    return {"user_id": owner.user_id, "facts": [_fact(chance, owner) for _ in range(facts)], "shared": chance.random() < _SHARED}


def search_body(chance: Random, owner: Owner) -> dict[str, Any]:
    """One search, a third of them over what others share, too."""
    scope = "collective" if chance.random() < 1 / 3 else "personal"
    return {"user_id": owner.user_id, "query": _said(chance, owner, chance.choice(_QUERIES)), "scope": scope}


def answer_body(chance: Random, question: Mapping[str, Any]) -> dict[str, Any]:
    """One of the answers that the question offers."""
    resolution = chance.choice(question["resolutions"])
    body = {"resolution": resolution, "version": question["version"], "answered_by": "the load"}
    if resolution == "amend":
        body["content"] = f"{question['new_content']}, said on {chance.choice(_VALUES['day'])}"
    if resolution == "coexist":
        body["contexts"] = {"new": "at home", "existing": "at work"}
    return body


def _fact(chance: Random, owner: Owner) -> dict[str, Any]:
    memory_type, frame = chance.choice(_FACTS)
    return {"content": _said(chance, owner, frame), "memory_type": memory_type}


def _said(chance: Random, owner: Owner, frame: str) -> str:
    values = {name: chance.choice(values) for name, values in _VALUES.items()}
    return frame.format(name=owner.name, number=5 * chance.randint(1, 12), **values)
