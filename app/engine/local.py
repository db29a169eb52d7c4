"""The engine in the process: rules over words, deterministic and conservative, for a first start without a model.

It never drops a statement on a mere likeness (NOOP needs the same words), and whenever a rewrite is not said in so
many words its confidence stays under 70, so that the charter's C5 asks. What it does not understand it keeps beside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.charter.model import Operation
from app.charter.wording import is_number
from app.engine import lexicon
from app.engine.elsewhere import compare_elsewhere
from app.engine.findings import ASK, DOUBT, SURE, TOLD, Found
from app.engine.frames import Statement, base_form, contains_in_order, difference, read_statement
from app.engine.port import Candidate, Judgements, Proposal, Question

_DETAIL = 74
_LONGEST_VALUE = 6
_LONGEST_FRAME = 16


class LocalEngine:
    """Compares each new statement with its candidates, one by one, and proposes the strongest finding."""

    @property
    def name(self) -> str:
        """`local:rules-1`; the number changes with the rules."""
        return "local:rules-1"

    async def decide(self, questions: Sequence[Question]) -> Judgements:
        """One proposal a question, without any call."""
        return Judgements(tuple(_propose(question) for question in questions))

    async def close(self) -> None:
        """Nothing to close."""


def _propose(question: Question) -> Proposal:
    new = read_statement(question.content)
    found: list[tuple[tuple[int, int, float], Candidate, Found]] = []
    for candidate in question.candidates:
        finding = compare(read_statement(candidate.content), new)
        if candidate.owner == "other":
            finding = _across_users(finding, new)
        if finding.operation is not Operation.ADD:
            rank = (finding.operation in _SAYS_THE_SAME, finding.confidence, candidate.similarity)
            found.append((rank, candidate, finding))
    if not found:
        return Proposal(Operation.ADD, None, 72, "No stored statement says the same or speaks against it.")
    # max keeps the first of equals, and the candidates come best first.
    _, candidate, finding = max(found, key=lambda entry: entry[0])
    return Proposal(
        operation=finding.operation.value,
        target=candidate.ref,
        confidence=finding.confidence,
        reasoning=finding.reasoning,
        merged_content=question.content if finding.operation is Operation.UPDATE else None,
    )


_SAYS_THE_SAME = frozenset({Operation.NOOP, Operation.LINK_EXISTING})
_ADD = Found(Operation.ADD, 72, "")


def _across_users(finding: Found, new: Statement) -> Found:
    """The same finding about another user's memory: it may be linked or contradicted, never changed."""
    if new.first_person or finding.operation in {Operation.ADD, Operation.UPDATE}:
        return _ADD
    if finding.operation is Operation.NOOP:
        return Found(Operation.LINK_EXISTING, finding.confidence, "Another user's memory says the same.")
    return Found(Operation.CROSS_CONTRADICT, finding.confidence, f"Another user's memory differs. {finding.reasoning}")


def compare(old: Statement, new: Statement) -> Found:
    """What the first rule that understands a stored and a new statement makes of them; ADD where none does."""
    if old.words == new.words:
        return Found(Operation.NOOP, SURE, "The same words in the same order.")
    if not (old.english and new.english):
        return compare_elsewhere(old, new) or _ADD
    return next((finding for rule in _ENGLISH if (finding := rule(old, new)) is not None), _ADD)


def _flipped_negation(old: Statement, new: Statement) -> Found | None:
    """The same statement with and without "not"."""
    if old.negative == new.negative:
        return None
    same_subject = old.subject == new.subject and old.verb is not None
    values = set(old.value), set(new.value)
    same = [base_form(word) for word in old.lemmas] == [base_form(word) for word in new.lemmas]
    if not same and not (same_subject and (values[0] <= values[1] or values[1] <= values[0])):
        return None
    if new.cue:
        confidence = TOLD if same else ASK
        return Found(Operation.SUPERSEDE, confidence, "The new statement says that the stored one no longer holds.")
    return Found(Operation.CONTRADICT, TOLD, "One of the two statements denies the other.")


def _turned_antonym(old: Statement, new: Statement) -> Found | None:
    """The same statement with one word replaced by its opposite."""
    gap = difference(old.lemmas, new.lemmas)
    if old.negative != new.negative or len(gap.old) != 1 or len(gap.new) != 1:
        return None
    if not _opposite(gap.old[0], gap.new[0]) or (old.verb is not None and gap.start < old.verb):
        return None
    if new.cue:
        return Found(Operation.SUPERSEDE, TOLD, "The new statement reports the opposite as the present state.")
    return Found(Operation.CONTRADICT, TOLD, "The two statements say opposite things of the same subject.")


def _opposite(old: str, new: str) -> bool:
    prefixed = any(f"{prefix}{old}" == new or f"{prefix}{new}" == old for prefix in ("un", "in", "im", "dis", "non"))
    return prefixed or frozenset({old, new}) in lexicon.ANTONYMS


def _changed_number(old: Statement, new: Statement) -> Found | None:
    """The same statement with other numbers, in what is said and not in what it is said of."""
    if old.negative != new.negative or len(old.lemmas) != len(new.lemmas):
        return None
    changed = [place for place, pair in enumerate(zip(old.lemmas, new.lemmas, strict=True)) if pair[0] != pair[1]]
    if not changed or not all(is_number(old.lemmas[place]) and is_number(new.lemmas[place]) for place in changed):
        return None
    if old.verb is None or changed[0] < old.verb:
        return None
    confidence = TOLD if new.cue else ASK
    return Found(Operation.SUPERSEDE, confidence, "The same statement with another number.")


def _added_detail(old: Statement, new: Statement) -> Found | None:
    """The new statement says all that the stored one says, in the same order, and more."""
    if old.negative != new.negative or not new.hedges <= old.hedges or new.cue or (new.ending and not old.ending):
        return None
    if not contains_in_order(new.words, old.words) or len(old.words) < 2:
        return None
    extra = new.words[len(old.words) :]
    appended = new.words[: len(old.words)] == old.words and extra[0] in lexicon.DETAIL_OPENERS
    confidence = _DETAIL if appended else ASK
    return Found(Operation.UPDATE, confidence, "The new statement holds the stored one and adds detail.")


def _other_value(old: Statement, new: Statement) -> Found | None:
    """The same subject and relation with another value, where one value at a time is likely."""
    if old.verb is None or new.verb is None or old.subject != new.subject or old.negative != new.negative:
        return None
    if old.lemmas[old.verb] != new.lemmas[new.verb]:
        return None
    gap = difference(old.value, new.value)
    if not gap.old or not gap.new or max(len(gap.old), len(gap.new)) > _LONGEST_VALUE:
        return None
    earlier = old.year is not None and new.year is not None and new.year < old.year
    likelihood = _single_valued(old, new)
    if likelihood == 0 or earlier or max(len(old.words), len(new.words)) > _LONGEST_FRAME:
        return None
    # "I moved to a bigger flat" does not end "I live in Lisbon"; a name for a name says in so many words what changed.
    named = all(_is_named(words, statement) for words, statement in ((gap.old, old), (gap.new, new)))
    confidence = TOLD if new.cue and likelihood == ASK and named else likelihood
    told = "and reports it as a change" if new.cue else "without saying whether it changed"
    return Found(Operation.SUPERSEDE, confidence, f"The same subject and relation with another value, {told}.")


def _is_named(words: tuple[str, ...], statement: Statement) -> bool:
    return all(word in statement.names or word in lexicon.PREPOSITIONS or is_number(word) for word in words)


def _single_valued(old: Statement, new: Statement) -> int:
    """How likely it is that two values of this relation exclude each other, as a confidence; 0 where they need not."""
    gap = difference(old.value, new.value)
    classes = {lexicon.CLASS_OF.get(word) for word in (gap.old[-1], gap.new[-1])}
    if len(classes) == 1 and None not in classes and len(gap.old) == len(gap.new):
        return ASK
    if old.relation == "many" and new.relation == "many":
        # "We use X for CI" and "We use Y for CI": the shared rest says that it is about one place of use.
        return DOUBT if old.lemmas[old.verb or 0] in {"use", "uses"} and old.value[-1] == new.value[-1] else 0
    if "single" in {old.relation, new.relation}:
        # "Works at Bosch" and "works from home" are about different things.
        return ASK if gap.start or not _other_preposition(gap.old, gap.new) else 0
    if old.value[0] == new.value[0] and old.value[0] in {"in", "at"}:
        return DOUBT
    attribute = set(old.subject) - lexicon.FIRST_PERSON
    return DOUBT if attribute and (len(old.subject) > 1) and not _other_preposition(gap.old, gap.new) else 0


def _other_preposition(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    # One moves *to* where one then lives *in*.
    first = [{"to": "in"}.get(words[0], words[0]) for words in (old, new)]
    return first[0] != first[1] and any(word in lexicon.PREPOSITIONS for word in first)


def _reported_end(old: Statement, new: Statement) -> Found | None:
    """The new statement says that something is over, and speaks of what the stored one is about."""
    if not new.ending or old.ending or old.negative:
        return None
    topics = [_topics(statement) for statement in (old, new)]
    if 3 * len(topics[0] & topics[1]) < max(1, len(topics[0])):
        return None
    return Found(Operation.SUPERSEDE, DOUBT, "The new statement reports that what the stored one says is over.")


def _topics(statement: Statement) -> set[str]:
    """The beginnings of the words that carry a topic, so that "smoke" and "smoking" are one."""
    light = lexicon.PREPOSITIONS | lexicon.WEIGHTLESS | lexicon.ENDINGS
    return {word[:4] for word in statement.lemmas if word not in light}


def _turned_around(old: Statement, new: Statement) -> Found | None:
    """The pair of "X is Y" and "Y is X"."""
    if old.relation != "be" or new.relation != "be" or old.negative != new.negative or not old.value:
        return None
    # The literal words: a past tense or a little word more is another statement.
    verb = {word for word in old.words if word in lexicon.RELATIONS} & set(new.words)
    same = (old.subject, old.value) == (new.value, new.subject) and sorted(old.words) == sorted(new.words)
    return Found(Operation.NOOP, TOLD, "The same statement turned around.") if same and verb else None


_Rule = Callable[[Statement, Statement], Found | None]
_ENGLISH: tuple[_Rule, ...] = (
    _turned_around,
    _flipped_negation,
    _turned_antonym,
    _changed_number,
    _added_detail,
    _other_value,
    _reported_end,
)
