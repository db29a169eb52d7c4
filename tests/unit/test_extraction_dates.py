"""From when a statement holds: only where it says so for sure."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from app.engine.dates import begins_at, names_a_date

NOW = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("statement", "day"),
    [
        ("I have lived in Lisbon since 2024", "2024-01-01"),
        ("Since 2024, my office is in Porto", "2024-01-01"),
        ("I have been vegan since May 2024.", "2024-05-01"),
        ("I work at Acme since March 3, 2025", "2025-03-03"),
        ("As of 3 May 2026 the port is 5433", "2026-05-03"),
        ("The limit is 5 MB effective 2026-05-03", "2026-05-03"),
        ("Since 2024-05-03T10:00:00Z the server runs", "2024-05-03"),
        ("From 3 May 2026 on I work from home", "2026-05-03"),
        ("Starting tomorrow I work from home", "2026-05-02"),
        ("As of today I am vegan", "2026-05-01"),
        ("I moved to Lisbon yesterday", "2026-04-30"),
        ("Yesterday I moved to Lisbon.", "2026-04-30"),
        ("I quit smoking 3 days ago", "2026-04-28"),
        ("I quit smoking two days ago", "2026-04-29"),
        ("Ich wohne seit 2024 in Berlin", "2024-01-01"),
        ("Ich wohne seit dem 3.5.2025 in Berlin", "2025-05-03"),
        ("Ab 3. Mai 2026 arbeite ich bei Acme", "2026-05-03"),
        ("Seit gestern bin ich krank", "2026-04-30"),
        ("Vivo en Madrid desde 2020", "2020-01-01"),
        ("Trabajo aquí desde el 3 de mayo de 2025", "2025-05-03"),
        ("Я живу в Москве с 2019 года", "2019-01-01"),
        ("С 3 мая 2025 года я работаю в Казани", "2025-05-03"),
        ("Вчера я переехал в Казань", "2026-04-30"),
        ("我从2024年5月3日起住在北京", "2024-05-03"),
        ("自2020年我住在上海", "2020-01-01"),
        ("昨天我搬到北京了", "2026-04-30"),
    ],
)
def test_a_beginning_that_is_said_is_taken(statement: str, day: str) -> None:
    found = begins_at(statement, NOW)
    assert found is not None
    assert found.isoformat() == f"{day}T00:00:00+00:00"


@pytest.mark.parametrize(
    "statement",
    [
        "I recently moved to Lisbon",
        "I moved last summer",
        "I lived there from 2019 to 2023",
        "I live in Lisbon since 2019 and in Porto since 2024",
        "My passport expires 2027-05-03",
        "The meeting is on 2026-05-03",
        "My birthday is 3 May 1990",
        "I was born on 1990-05-03",
        "Until yesterday I lived in Lisbon",
        "I will move tomorrow",
        "Today I prefer tea",
        "Bob told me yesterday that he left",
        "yesterday's meeting was long",
        "Was it yesterday?",
        "since 2000 people came",
        "Since 2024 was dry we moved",
        "seit 2000 Jahren",
        "I earn since 2024 euros",
        "I am here since 03/05/2026",
        "I am here since 31 February 2025",
        "I am here since 2024-13-45",
        "since May I am here",
        "Since 1850 it stands",
        "Version 2024.1 is out since 2024.2",
        "I know her since about 2010",
        "If I live here since 2010 I may vote",
        "Guten Morgen",
        "",
    ],
)
def test_what_is_not_sure_has_no_date(statement: str) -> None:
    assert begins_at(statement, NOW) is None


def test_yesterday_is_the_day_before_in_utc() -> None:
    found = begins_at("I moved yesterday", datetime.fromisoformat("2026-05-01T01:00:00+03:00"))
    assert found == datetime(2026, 4, 29, tzinfo=UTC)


@pytest.mark.parametrize("unit", ["since ", "2024 ", "since 2024 ", "yesterday ", "3 days ago ", "1.2.", "  ", "2024年", "may "])
def test_the_time_stays_bounded(unit: str) -> None:
    started = time.process_time()
    begins_at(unit * (8000 // len(unit)), NOW)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("text", ["I live here since 2020", "I moved yesterday", "昨天我搬了", "seit gestern"])
def test_a_text_that_can_hold_a_date(text: str) -> None:
    assert names_a_date(text)


def test_a_text_that_can_not() -> None:
    assert not names_a_date("I moved to Lisbon in May")
