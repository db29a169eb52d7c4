"""From when a statement holds, where it says so for sure; to the day, the month or the year, in UTC.

Sure is: one date in the whole statement, behind a word that marks a beginning ("since", "as of", "starting"), or
"yesterday" and "n days ago" in a statement of what happened. "Recently", "last summer", 03/05/2026 and ranges are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

_I = re.IGNORECASE

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner enero январь января январе",
            "february feb februar febrero февраль февраля феврале",
            "march mar märz marzo март марта марте",
            "april apr abril апрель апреля апреле",
            "may mai mayo май мая мае",
            "june jun juni junio июнь июня июне",
            "july jul juli julio июль июля июле",
            "august aug agosto август августа августе",
            "september sep sept septiembre setiembre сентябрь сентября сентябре",
            "october oct oktober okt octubre октябрь октября октябре",
            "november nov noviembre ноябрь ноября ноябре",
            "december dec dezember dez diciembre декабрь декабря декабре",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATES = tuple(
    re.compile(pattern, _I)
    for pattern in (
        rf"\b{_YEAR}-(?P<month>[01]\d)-{_DAY}(?![\d-])(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?)?",
        rf"\b{_DAY}(?:st|nd|rd|th|\.|º)?(?: of| de)? {_MONTH},?(?: de| of)? {_YEAR}\b",
        rf"\b{_MONTH} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}\b",
        rf"(?<![\d.])(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.{_YEAR}(?!\.?\d)",
        rf"{_YEAR}年(?P<month>[01]?\d)月(?:{_DAY}[日号])?",
        rf"\b{_MONTH},?(?: de| of)? {_YEAR}\b",
        rf"{_YEAR}年",
        rf"(?<![\d.,/:$€£-]){_YEAR}(?![\d/:%])(?![.,-]\d)",
    )
)

_DAYS_BACK = {
    "yesterday": 1, "gestern": 1, "ayer": 1, "вчера": 1, "昨天": 1,
    "today": 0, "heute": 0, "hoy": 0, "сегодня": 0, "今天": 0,
    "tomorrow": -1, "morgen": -1, "mañana": -1, "завтра": -1, "明天": -1,
}  # fmt: skip
_RELATIVE = re.compile(rf"(?<!\w)(?:{'|'.join(_DAYS_BACK)})(?!['’\w])|昨天|今天|明天", _I)
_AGO = re.compile(
    r"\b(?P<n>\d{1,3}|one|two|three|four|five|six|seven) days? ago\b|\bvor (?P<n2>\d{1,3}) tagen\b|\bhace (?P<n3>\d{1,3}) días\b", _I
)
_COUNTS = {word: number for number, word in enumerate("one two three four five six seven".split(), start=1)}

# Behind one of these a date is a beginning; the last two stand behind it.
_BEGINS = re.compile(
    r"(?:\b(?:since|as of|as from|effective(?: from| as of)?|(?:starting|beginning)(?: on| from| in)?|valid from)"
    r"|\b(?:seit(?: dem)?|ab(?: dem)?)|\b(?:desde(?: el)?|a partir del?)|(?<!\w)(?:начиная )?(?:с|со)|自从?|从)\s*$",
    _I,
)
_FROM = re.compile(r"\b(?:from|von|vom)\s*$", _I)
_ONWARDS = re.compile(r"^\s*(?:on\b(?!\s+the)|onwards?\b|forward\b|an\b|起|开始|以来)", _I)
# What a year is of, or what it counts: "since 2000 people came", "seit 2000 Jahren", "since 2024 was dry".
_GOES_ON = re.compile(
    r"^\s*(?:$|[.,;:!?)\"'»”。，；！]|года?\b|году\b|起|开始|以来|[A-ZÀ-ÝА-Я](?!ahre|onate|age\b)|(?:i|we|my|our|you|he|she|it|they|the|this|in|at|with|as|and|for|on)\b"
    r"|(?:lebe|lebt|wohne|wohnt|arbeite|arbeitet|bin|ist|habe|hat|vivo|vive|trabajo|trabaja|soy|я|мы|он|она|они|живу|работаю)(?!\w))",
)
# With one of these in the statement nothing is sure.
_UNSURE = re.compile(
    r"\b(?:until|till|by|before|after|between|through|to (?:19|20)\d\d|expir\w*|ends?|ending|due|deadline|born|birthday)\b"
    r"|\b(?:about|around|roughly|maybe|perhaps|probably|if|would|might|should|told|said|heard|says|dreamt|dreamed)\b"
    r"|\b(?:bis|vor dem|nach|zwischen|geboren|vielleicht|wenn|hasta|antes|entre|nacid[oa]|quizás?|si)\b"
    r"|(?<!\w)(?:до|после|между|около|родил\w+|если|может)(?!\w)|之前|以前|直到|出生|如果|大概|左右",
    _I,
)


@dataclass(frozen=True, slots=True)
class _Mention:
    """A date in a text: where it stands, and its day (the first of the month or year where it names no more)."""

    start: int
    stop: int
    day: date
    year_only: bool = False


def begins_at(statement: str, accepted_at: datetime) -> datetime | None:
    """Midnight in UTC of the day from which the statement holds, or None where that is not sure."""
    dates = list(_dates(statement))
    relative = list(_days(statement, accepted_at.astimezone(UTC).date()))
    if len(dates) + len(relative) != 1 or _UNSURE.search(statement):
        return None
    (mention,) = dates or relative
    before, after = statement[: mention.start], statement[mention.stop :]
    marked = _BEGINS.search(before) or (_FROM.search(before) and _ONWARDS.match(after))
    past = mention.day < accepted_at.astimezone(UTC).date()
    happened = bool(relative) and past and not re.search(r"[?？]", statement)
    if mention.day == date.min or not (marked or happened) or (mention.year_only and not _GOES_ON.match(after)):
        return None
    return datetime(mention.day.year, mention.day.month, mention.day.day, tzinfo=UTC)


def names_a_date(text: str) -> bool:
    """True when a text holds a digit or a word for a day, so that a date taken out of it may stand in it."""
    return any(map(str.isdigit, text)) or bool(_RELATIVE.search(text))


def _dates(text: str) -> Iterator[_Mention]:
    """The dates of a text, the most exact reading of each place; a date that no calendar has is `date.min`."""
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if any(match.start() < stop and start < match.end() for start, stop in taken):
                continue
            taken.append(match.span())
            yield _Mention(match.start(), match.end(), _day(match), year_only=match[0].isdigit())


def _day(match: re.Match[str]) -> date:
    month = (_part(match, "month") or "1").casefold()
    try:
        return date(int(match["year"]), _MONTHS.get(month) or int(month), int(_part(match, "day") or 1))
    except ValueError:
        return date.min


def _part(match: re.Match[str], name: str) -> str | None:
    return match.groupdict().get(name)


def _days(text: str, today: date) -> Iterator[_Mention]:
    for match in _RELATIVE.finditer(text):
        yield _Mention(match.start(), match.end(), today - timedelta(days=_DAYS_BACK[match[0].casefold()]))
    for match in _AGO.finditer(text):
        count = next(filter(None, match.groups())).casefold()
        yield _Mention(match.start(), match.end(), today - timedelta(days=_COUNTS.get(count) or int(count)))
