"""The divergence guard in five languages: whatever an embedding says, two texts that differ in meaning are no duplicate.

Each pair below differs in one small thing that an embedding hardly sees. The cosine is set to 1.0: only the guard is left.
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.charter.defaults import Neighbour, tier_of
from app.charter.model import Incoming, Kind, MemoryType, Operation, Source, Status, Target, Thresholds
from app.charter.wording import agree, fold

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
THRESHOLDS = Thresholds(duplicate_at=0.98, new_below=0.33, low_confidence=70, origin="test")


def verdict_on(stored: str, new: str, cosine: float = 1.0) -> Operation | str | None:
    """What the tiers say of a fact beside another one that embeds the same; None where the engine decides."""
    incoming = Incoming(
        content=new,
        memory_type=MemoryType.FACT,
        user_id="alice",
        source=Source.AGENT,
        accepted_at=NOON,
        valid_from=None,
    )
    target = Target(
        memory_id=UUID(int=1),
        user_id="alice",
        content=stored,
        kind=Kind.ATOM,
        memory_type=MemoryType.FACT,
        status=Status.ACTIVE,
        immutable=False,
        source=Source.AGENT,
        recorded_at=NOON,
        valid_from=None,
        disputed=False,
    )
    verdict = tier_of(incoming, None, [Neighbour(target, cosine)], THRESHOLDS)
    return None if verdict is None else verdict.operation


NUMBERS = [
    ("The dose is 5 mg", "The dose is 50 mg"),
    ("The dose is 5 mg", "The dose is 5 ml"),
    ("The line carries 100 Mb a second", "The line carries 100 MB a second"),
    ("The plant makes 5 MW at noon", "The plant makes 5 mW at noon"),
    ("It is –5 °C in the store", "It is 5 °C in the store"),
    ("The score was 3:1", "The score was 31"),
    ("Standup is at 10:30", "Standup is at 10, 30"),
    ("Доза 5 мг", "Доза 5 мкг"),
    ("Встреча в 15:30", "Встреча в 15:50"),
    ("Комната на 3-м этаже", "Комната на 4-м этаже"),
    ("Die Miete beträgt 1.200 Euro", "Die Miete beträgt 1,200 Euro"),
    ("Der Akku hält 8 Stunden", "Der Akku hält 8 Tage"),
    ("Das Paket wiegt 2,5 kg", "Das Paket wiegt 25 kg"),
    ("El piso mide 80 m²", "El piso mide 80 m"),
    ("La caja pesa 3 kilos", "La caja pesa 13 kilos"),
    ("房租是3000元", "房租是8000元"),
    ("他跑了5公里", "他跑了5英里"),
    ("他有三个孩子", "他有五个孩子"),
]
DATES = [
    ("The wedding is on 2026-05-01", "The wedding is on 2026-01-05"),
    ("The wedding is on 1 May", "The wedding is on 1 March"),
    ("The lease ends on Monday", "The lease ends on Tuesday"),
    ("Свадьба 3 мая", "Свадьба 3 июня"),
    ("Договор до 2027 года", "Договор до 2028 года"),
    ("Die Frist endet am 01.05.2026", "Die Frist endet am 01.06.2026"),
    ("Der Termin ist am Montag", "Der Termin ist am Dienstag"),
    ("La cita es el 3 de mayo", "La cita es el 3 de marzo"),
    ("La cita es el martes", "La cita es el jueves"),
    ("会议在五月三日", "会议在三月五日"),
    ("会议在星期一", "会议在星期二"),
]
VERSIONS = [
    ("We run Postgres 16.3", "We run Postgres 16.4"),
    ("The API is at v1.2.3", "The API is at v1.23"),
    ("The API is at v1.2.3", "The API is at v1.2.3-rc1"),
    ("The address is alice.smith@example.org", "The address is alice-smith@example.org"),
    ("The config lies in ./etc/app", "The config lies in ../etc/app"),
    ("The rule is a != b", "The rule is a = b"),
    ("Alice knows C++ well", "Alice knows C# well"),
    ("Сервер на Python 3.11", "Сервер на Python 3.12"),
    ("Der Server läuft mit Version 2.10", "Der Server läuft mit Version 2.1"),
    ("El servidor usa la versión 4.0", "El servidor usa la versión 4.0.1"),
    ("服务器用的是3.1版", "服务器用的是3.11版"),
]
PERCENTAGES = [
    ("Growth is 5 %", "Growth is 5 points"),
    ("Growth is 5%", "Growth is 15%"),
    ("Growth is 5 percent", "Growth is 5 per mille"),
    ("Скидка 10%", "Скидка 10"),
    ("Der Zins liegt bei 3 %", "Der Zins liegt bei 3 ‰"),
    ("El descuento es del 10 %", "El descuento es del 20 %"),
    ("折扣是百分之十", "折扣是百分之二十"),
    ("成功率为5%", "成功率为5‰"),
]
NEGATIONS = [
    ("Alice eats meat", "Alice does not eat meat"),
    ("Alice takes coffee with milk", "Alice takes coffee without milk"),
    ("Alice works at Bosch", "Alice no longer works at Bosch"),
    ("Alice can swim", "Alice can't swim"),
    ("Everybody came", "Nobody came"),
    ("The plan is safe", "The plan is unsafe"),
    ("No, Alice wants more tea", "No Alice wants more tea"),
    ("Алиса ест мясо", "Алиса не ест мясо"),
    ("Кофе с молоком", "Кофе без молока"),
    ("Алиса работает в банке", "Алиса больше не работает в банке"),
    ("Казнить нельзя, помиловать", "Казнить, нельзя помиловать"),
    ("Er isst Fleisch", "Er isst kein Fleisch"),
    ("Er kommt heute", "Er kommt heute nicht"),
    ("Kaffee mit Zucker", "Kaffee ohne Zucker"),
    ("Er arbeitet bei Bosch", "Er arbeitet nicht mehr bei Bosch"),
    ("Er will, sie nicht", "Er will sie nicht"),
    ("Quiero más té", "No quiero más té"),
    ("No, quiero más té", "No quiero más té"),
    ("Café con leche", "Café sin leche"),
    ("Ya trabaja en Madrid", "Ya no trabaja en Madrid"),
    ("Siempre llega tarde", "Nunca llega tarde"),
    ("我喜欢喝茶", "我不喜欢喝茶"),
    ("他去过北京", "他没去过北京"),
    ("他在银行工作", "他不再在银行工作"),
    ("不，要加糖", "不要加糖"),
]
ORDER = [
    ("Bob manages Alice", "Alice manages Bob"),
    ("Tea is better than coffee", "Coffee is better than tea"),
    ("Анна старше Марии", "Марии старше Анна"),
    ("Мама любит папу больше, чем сына", "Мама любит сына больше, чем папу"),
    ("Der Hund jagt die Katze", "Die Katze jagt der Hund"),
    ("Bier ist teurer als Wein", "Wein ist teurer als Bier"),
    ("Ana llama a Luis", "Luis llama a Ana"),
    ("猫比狗大", "狗比猫大"),
    ("小王给小李写信", "小李给小王写信"),
]
NAMES = [
    ("The project is called “Aurora”", "The project is called “Auriga”"),
    ("Her favourite book is 'Emma'", "Her favourite book is 'Erma'"),
    ("Alice has hepatitis A", "Alice has hepatitis"),
    ("The team chose plan A in March", "The team chose plan in March"),
    ("Проект называется «Заря»", "Проект называется «Буря»"),
    ("Das Projekt heißt „Adler“", "Das Projekt heißt „Amsel“"),
    ("El proyecto se llama «Faro»", "El proyecto se llama «Foro»"),
    ("这本书叫《活着》", "这本书叫《活下》"),
    ("Is Alice at home?", "Is Alice at home"),
]
DIFFERENT = [
    pytest.param(one, other, id=f"{kind}: {one} / {other}")
    for kind, pairs in {
        "number": NUMBERS,
        "date": DATES,
        "version": VERSIONS,
        "percentage": PERCENTAGES,
        "negation": NEGATIONS,
        "order": ORDER,
        "name": NAMES,
    }.items()
    for one, other in pairs
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_a_cosine_of_one_drops_nothing_that_says_something_else(one: str, other: str) -> None:
    assert verdict_on(one, other) is None
    assert verdict_on(other, one) is None


SAME = [
    ("Alice has a dog", "Alice has the dog."),
    ("Alice, Bob and Carol play chess", "Alice, Bob, and Carol play chess"),
    ("Алиса живёт в Казани", "Алиса живёт в Казани!"),
    ("Er wohnt in Köln, seit Mai", "Er wohnt in Köln seit Mai."),
    ("Ana vive en Madrid", "ANA VIVE EN MADRID…"),
    ("我住在北京，喜欢喝茶。", "我住在北京喜欢喝茶"),
    ("Alice does not eat meat", "Alice does not eat meat!"),
    ("Not today, said Bob", "Not today; said Bob"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_words_are_a_duplicate_still(one: str, other: str) -> None:
    assert verdict_on(one, other) == Operation.NOOP


def test_two_ends_of_one_long_text_are_seen() -> None:
    prefix = "and so the long report went on without a word that mattered " * 60
    assert verdict_on(prefix + "the code is 4711", prefix + "the code is 4712") is None
    assert verdict_on(prefix + "the code is 4711", prefix + "the code is 4711!") == Operation.NOOP


WORDS = st.sampled_from(
    "Alice 5 6 10:30 2026-05-01 v1.2 % kg km not never без не kein ohne no sin 不 没 茶 水 tea Bob «Заря» C++ € -3 старше als".split()
)
TEXTS = st.lists(WORDS, min_size=1, max_size=8)


@given(TEXTS, st.data(), st.floats(0.98, 1.0))
def test_a_text_with_one_weighty_word_changed_is_never_dropped(words: list[str], data: st.DataObject, cosine: float) -> None:
    place = data.draw(st.integers(0, len(words) - 1))
    other = data.draw(st.one_of(WORDS.filter(lambda word: word != words[place]), st.just("")))
    changed = [*words[:place], *([other] if other else []), *words[place + 1 :]]
    assert verdict_on(" ".join(words), " ".join(changed), cosine) != Operation.NOOP


@given(TEXTS, st.randoms(use_true_random=False))
def test_another_order_is_never_dropped(words: list[str], chance: object) -> None:
    turned = list(words)
    chance.shuffle(turned)  # type: ignore[attr-defined] # hypothesis's own Random
    if turned != words:
        assert verdict_on(" ".join(words), " ".join(turned)) != Operation.NOOP


@given(st.text(max_size=60))
def test_a_text_agrees_with_itself_and_with_its_folded_form(text: str) -> None:
    assert agree(text, text)
    assert agree(text, fold(text, keep_case=True))


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_guard_has_no_sides(one: str, other: str) -> None:
    assert agree(one, other) == agree(other, one)
