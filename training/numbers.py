"""Values of number slots: for each kind a drawn number, and the ways to write it that mean the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

_WORDS: Final = "zero one two three four five six seven eight nine ten eleven twelve".split()
_MONTHS: Final = "January February March April May June July August September October November December".split()
# Other units that the same number may be given, so that 5 km and 5 miles are told apart.
_OTHER_UNITS: Final = {
    "euros": ("dollars", "pounds", "francs"),
    "seconds": ("minutes", "milliseconds", "hours"),
    "minutes": ("hours", "seconds"),
    "gigabytes": ("TB", "MB"),
    "megabytes": ("GB", "KB"),
    "kilometres": ("miles", "metres"),
    "kilos": ("pounds", "stone"),
    "days": ("weeks", "months", "hours"),
    "degrees": ("degrees Fahrenheit",),
    "grams": ("kilos", "ounces"),
    "milligrams": ("grams", "micrograms"),
    "rate": ("calls a second", "calls a day"),
}


def draw(kind: str, choice: random.Random) -> list[str]:
    """The forms of one number, the plainest first."""
    return _KINDS[kind](choice)


def draw_other(kind: str, forms: list[str], choice: random.Random) -> list[str]:
    """Another number of the kind; at times the same digits with another unit, two digits swapped, or a near number."""
    if kind in _OTHER_UNITS and choice.random() < 0.2:
        digits = forms[0].split(" ", maxsplit=1)[0]
        return [f"{digits} {choice.choice(_OTHER_UNITS[kind])}"]
    swapped = _swapped(forms[0])
    if swapped and choice.random() < 0.15:
        return [swapped]
    while True:
        other = draw(kind, choice)
        if not set(other) & set(forms):
            return other


def _swapped(text: str) -> str | None:
    digits = [place for place in range(len(text) - 1) if text[place : place + 2].isdigit() and text[place] != text[place + 1]]
    if not digits or not text.isdigit():
        return None
    place = digits[-1]
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def _pick(numbers: str, unit: str, *shorts: str) -> Callable[[random.Random], list[str]]:
    values = [int(number) for number in numbers.split()]

    def drawn(choice: random.Random) -> list[str]:
        number = choice.choice(values)
        forms = [f"{number} {unit}", *(short.replace("#", str(number)) for short in shorts)]
        return forms + ([f"{_WORDS[number]} {unit}"] if number < len(_WORDS) else [])

    return drawn


def _minutes(choice: random.Random) -> list[str]:
    number = choice.choice([5, 10, 12, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 120, 180])
    forms = [f"{number} minutes", f"{number} min"]
    extra = {30: "half an hour", 60: "one hour", 90: "an hour and a half", 120: "two hours", 180: "three hours"}
    return forms + ([extra[number]] if number in extra else [])


def _euros(choice: random.Random) -> list[str]:
    number = choice.choice([choice.randint(10, 99), choice.randint(100, 999), choice.randint(10, 99) * 100])
    forms = [f"{number} euros", f"€{number}", f"EUR {number}", f"{number} EUR"]
    return forms + ([f"{number // 1000},{number % 1000:03d} euros"] if number >= 1000 else [])


def _date(choice: random.Random) -> list[str]:
    day, month = choice.randint(1, 28), choice.randrange(12)
    ending = "th" if 3 < day < 21 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    name = _MONTHS[month]
    return [f"{day} {name}", f"{name} {day}", f"the {day}{ending} of {name}", f"{name} {day}{ending}", f"{day} {name[:3]}"]


def _time(choice: random.Random) -> list[str]:
    hour, minute = choice.randint(6, 21), choice.choice([0, 0, 15, 30, 45])
    half, suffix = (hour - 1) % 12 + 1, "am" if hour < 12 else "pm"
    forms = [f"{hour}:{minute:02d}", f"{half}:{minute:02d} {suffix}" if minute else f"{half} {suffix}"]
    return forms + ([f"{half}{suffix}"] if not minute else [])


def _version(choice: random.Random) -> list[str]:
    number = f"{choice.randint(0, 6)}.{choice.randint(0, 15)}"
    number += f".{choice.randint(0, 9)}" if choice.random() < 0.6 else ""
    return [number, f"v{number}"]


def _plain(low: int, high: int) -> Callable[[random.Random], list[str]]:
    return lambda choice: [str(choice.randint(low, high))]


def _count(choice: random.Random) -> list[str]:
    number = choice.choice([*range(2, 13), choice.randint(13, 60)])
    return [str(number), *([_WORDS[number]] if number < len(_WORDS) else [])]


_KINDS: Final[dict[str, Callable[[random.Random], list[str]]]] = {
    "port": lambda choice: [str(choice.choice([80, 443, 3000, 5000, 8000, 8080, 8443, 9090, choice.randint(1024, 65000)]))],
    "seconds": _pick("5 10 15 20 30 45 60 90 120", "seconds", "#s", "# sec"),
    "minutes": _minutes,
    "euros": _euros,
    "percent": _pick("1 2 5 7 10 12 15 20 25 30 40 50 60 75 80 90", "percent", "#%", "# %"),
    "date": _date,
    "time": _time,
    "version": _version,
    "major": _plain(8, 24),
    "gigabytes": _pick("2 4 8 16 32 64 128 256", "GB", "# gigabytes", "#GB"),
    "megabytes": _pick("1 2 5 10 20 50 100 500", "MB", "# megabytes", "#MB"),
    "count": _count,
    "kilometres": _pick("3 4 5 7 8 10 12 15 18 21 25 30 42", "kilometres", "# km"),
    "kilos": _pick("54 58 61 63 67 70 72 75 78 81 84 88 92", "kilos", "# kg"),
    "centimetres": _pick("158 162 165 168 171 174 177 180 183 188 192", "centimetres", "# cm"),
    "degrees": _pick("4 6 18 19 20 21 22 24 26 150 180 200 220", "degrees", "# °C"),
    "big": _plain(13, 950),
    "year": _plain(1890, 2024),
    "age": _plain(13, 79),
    "days": _pick("7 10 12 14 15 18 20 21 25 28 30 35 40 45 60 90", "days"),
    "rate": _pick("5 10 20 50 60 100 200 300 500 1000 5000", "requests an hour", "# calls an hour"),
    "grams": _pick("50 100 150 200 250 300 350 400 500 750", "grams", "# g"),
    "metres": _pick("28 35 42 50 58 63 70 78 85 96 110", "square metres", "# sqm"),
    "milligrams": _pick("5 10 20 25 40 50 100 200 400 500", "milligrams", "# mg"),
}
