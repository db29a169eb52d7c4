"""The extractor in the process: a message into its sentences, without those that state nothing, dated where that is sure."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime

from app.engine.answers import MAX_CONTENT, clean
from app.engine.cues import type_by_cue
from app.engine.dates import begins_at
from app.engine.port import Atom
from app.engine.sentences import split_sentences
from app.engine.turns import said_by_the_user

MAX_ATOMS = 50

_I = re.IGNORECASE
_OPENERS = r"hi|hello|hey|hiya|dear|greetings|good (?:morning|afternoon|evening|day|night)|hallo|hola|buenas (?:tardes|noches)"
_OPENERS += r"|guten (?:morgen|tag|abend)|buenos días|привет\w*|здравствуйте?|добрый (?:день|вечер)|доброе утро"
_COURTESY = re.compile(
    rf"(?:(?:{_OPENERS})(?:[ ,]+(?:there|all|everyone|team|again|[^\W\d]+))?"
    r"|(?:(?:many|so many) )?(?:thanks|thank you|thx|cheers)(?: (?:a lot|so much|very much|again))?"
    r"(?: in advance| for .{1,60})?"
    r"|(?:ok|okay|sure|great|perfect|cool|nice|yes|no|yep|nope|alright|got it|sounds good|no problem|you're welcome)"
    r"|(?:bye|goodbye|see you(?: \w+)?|take care|best(?: regards| wishes)?|kind regards|regards|sincerely)"
    r"|how are you(?: \w+)?|nice to meet you|please"
    r"|(?:vielen )?(?:danke|dank)(?: schön| sehr)?|tschüss|bitte|(?:muchas )?gracias|adiós|por favor"
    r"|(?:большое )?спасибо(?: большое)?|пока|пожалуйста|до свидания"
    r"|你好|您好|谢谢|謝謝|谢谢你|再见|早上好)",
    _I,
)
_LEAD = re.compile(rf"^(?:{_OPENERS})(?: (?:there|all|everyone|team|again))?\s*[,!.:—–-]\s*(?=\S)", _I)
# A question that still tells something: "I moved to Lisbon, right?"
_TELLING = re.compile(r"^(?:i|i'm|i’m|i've|i’ve|my|we|our|я|мой|моя|ich|mein\w*|yo|mi|我)\b.*,", _I | re.DOTALL)

# A request to the agent, which says nothing about anybody: "Please write a poem", "Tell me a joke.", "Can you fix it".
# What is not sure to be one is kept: "Remind me to call Bob", "Please always answer in French", "Send invoices to Anna".
_VERBS = (
    r"write|show|tell|give|explain|translate|summari[sz]e|rewrite|generate|create|list|find|search|look up|fix|check|draft|compare|suggest"
    r"|recommend|describe|define|calculate|convert|proofread|help"
)
_REQUEST = re.compile(
    rf"^(?:(?:please|pls|kindly|now|and|then|ok|okay)[ ,]+)*(?:(?:can|could|would|will) you (?:please )?(?:{_VERBS})"
    rf"|(?:please|pls|kindly) (?:{_VERBS})|(?:write|show|tell|give|explain|find|draft|recommend|suggest) me)\b"
    r"|^(?:bitte )?(?:schreib|schreibe|zeig|zeige|erklär|erkläre|übersetze?|hilf|sag|nenne?) (?:mir|uns|bitte)\b"
    r"|^(?:por favor,? )?(?:escríbeme|muéstrame|explícame|tradúceme|dime|ayúdame|dame)\b"
    r"|^(?:пожалуйста,? )?(?:напиши|покажи|объясни|переведи|расскажи|помоги|скажи|дай)(?:те)? (?:мне|нам|пожалуйста)(?!\w)"
    r"|^请(?:你|您)?(?:帮我|给我|告诉我|写|翻译|解释)",
    _I,
)
_GOES_ON = re.compile(r"[:：`]\s*\S")  # what is to be worked on stands behind it
_ABOUT_ONESELF = re.compile(
    r"\b(?:i|i'm|i’m|i've|i’ve|my|mine|we|our|always|never|from now on|in future)\b"
    r"|\b(?:ich|mein\w*|wir|unser\w*|immer|nie|yo|mis?|soy|siempre|nunca)\b"
    r"|(?<!\w)(?:я|мой|моя|моё|мои|моей|моего|моему|мою|мы|наш\w*|всегда|никогда)(?!\w)|我(?!写|翻|解|们?说)|总是|永远",
    _I,
)


class LocalExtractor:
    """Deterministic and conservative: every sentence that may state something is kept, in its own words."""

    @property
    def name(self) -> str:
        """`local:sentences`."""
        return "local:sentences"

    async def extract(self, message: str, accepted_at: datetime) -> list[Atom]:
        """The statements of the message in its order, at most 50; `valid_from` only where a statement is sure of it."""
        # In a thread: a message of 100,000 characters would hold up every other request for most of a second.
        return await asyncio.to_thread(split_message, message, accepted_at)

    async def close(self) -> None:
        """Nothing to close."""


def split_message(message: str, accepted_at: datetime) -> list[Atom]:
    """What `LocalExtractor.extract` answers."""
    sentences = split_sentences(said_by_the_user(clean(message)))
    statements = [statement for sentence in sentences if (statement := _statement(sentence))]
    return [Atom(text, type_by_cue(text), begins_at(text, accepted_at)) for text in _pack(_cut(statements))]


def _statement(sentence: str) -> str | None:
    """The sentence without a greeting before it, or None for a greeting, thanks, a pure question or a pure request."""
    text = _LEAD.sub("", sentence)
    bare = text.strip(" .!,…。！\"'")
    if not bare or _COURTESY.fullmatch(bare):
        return None
    if text.rstrip("\"')”»").endswith(("?", "？")) and not _TELLING.match(text):
        return None
    if _REQUEST.match(text) and not _ABOUT_ONESELF.search(text) and not _GOES_ON.search(text):
        return None
    return text


def _cut(statements: list[str]) -> list[str]:
    """Statements longer than a memory may be, cut at a space near the limit."""
    pieces: list[str] = []
    for statement in statements:
        rest = statement
        while len(rest) > MAX_CONTENT:
            space = rest.rfind(" ", MAX_CONTENT // 2, MAX_CONTENT)
            stop = space if space > 0 else MAX_CONTENT
            pieces.append(rest[:stop].strip())
            rest = rest[stop:].strip()
        pieces.append(rest)
    return [piece for piece in pieces if piece]


def _pack(statements: list[str]) -> list[str]:
    """At most 50 texts. Of a longer message neighbouring statements are joined: dropping the rest would lose it."""
    if len(statements) <= MAX_ATOMS:
        return statements
    # Two neighbours that were not joined are together longer than the budget, so at most half of the places are used
    # up to the budget below; it stays within the length of a memory for the longest message allowed.
    budget = min(MAX_CONTENT, 4 * sum(len(statement) + 1 for statement in statements) // MAX_ATOMS)
    packed: list[str] = []
    for statement in statements:
        if packed and len(packed[-1]) + 1 + len(statement) <= budget:
            packed[-1] = f"{packed[-1]} {statement}"
        else:
            packed.append(statement)
    return packed[:MAX_ATOMS]
