"""The type of a statement by the words that give it away, for statements that come without one.

The protected types are asked for first: a wrong guess among them costs one question to a person, a wrong guess the
other way would let a preference be rewritten silently (charter, C3: typing can only add protection).
"""

from __future__ import annotations

import re

from app.charter.model import MemoryType

_I = re.IGNORECASE


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), _I)


_GOAL = _any(
    r"\b(?:wants?|wanted|hop(?:es?|ed|ing)|plan(?:s|ned|ning)?|aim(?:s|ed|ing)?|intend(?:s|ed|ing)?|try(?:ing)?"
    r"|wish(?:es)?|would like|'d like|dreams? of|decided|determined|going)\b(?: \w+)?\s+to\b",
    r"\b(?:goals?|ambition|resolution|objective|bucket list)\b|\bdreams? (?:is|of)\b"
    r"|\b(?:saving|training) (?:up )?for\b",
    r"\b(?:хочу|хочет|хотим|планиру\w+|собира(?:юсь|ется|емся)|мечта\w*|надеюсь|намерен\w*|цель)\b",
    r"\b(?:möchte\w*|plane|plant|ziel|vorhaben|habe vor|hoffe|träume)\b",
    r"\b(?:quier[oe]s? \w+[aei]r|planeo|planea|meta|objetivo|espero|sueño con|pienso \w+[aei]r)\b",
    r"想要|打算|计划|計劃|希望|目标|目標|梦想",
)
_PREFERENCE = _any(
    r"\bprefer\w*\b|\bpreference\b|\b(?:dis)?lik(?:es?|ed|ing)\b|\blov(?:es?|ed|ing)\b|\bhat(?:es?|ed|ing)\b|\benjoy\w*\b",
    r"\bfavou?rites?\b|\badores?\b|\bdetests?\b|\bcan(?:not|'t|’t) stand\b|\bfan of\b|\b(?:fond|tired|sick) of\b",
    r"\bwants?\b|\brather\b|\b(?:keen|hooked) on\b|\bcrazy about\b|\bdon['’]?t care for\b|\bplease (?:always|never)\b"
    r"|\b(?:always|never) (?:use|call|send|write|answer|reply)\b",
    r"\b(?:предпочита\w+|нрав[ия]тся|нравятся|любл\w+|любит|любимы\w+|любимая|ненави\w+|обожа\w+)\b",
    r"\b(?:bevorzug\w*|mag|magst|mögen|liebe|liebt|liebling\w*|hasse|hasst|lieber|gern|gerne)\b",
    r"\b(?:prefier\w+|gustan?|encantan?|odi[oa]|favorit[oa]s?|amo|adoro|detesto)\b",
    r"喜欢|喜歡|偏好|更爱|讨厌|討厭|最爱|热爱|不爱|宁愿",
)
_OPINION = _any(
    r"\b(?:think|thinks|thought|believ\w+|reckon\w*|suppose|feels? (?:that|like)|find it"
    r"|consider\w*|agree\w*|disagree\w*)\b",
    r"\b(?:opinion|view is|as i see it|if you ask me|seems? to me|convinced|overrated|underrated)\b",
    r"\bthe (?:best|worst)\b",
    r"\b(?:считаю|считает|думаю|думает|полагаю|по-моему|мнени\w+|кажется|уверен\w*)\b",
    r"\b(?:glaube|glaubt|denke|denkt|meine,|meinung|finde|findet|überzeugt)\b",
    r"\b(?:creo|cree|pienso que|piensa que|opino|opinión|me parece|considero)\b",
    r"认为|認為|觉得|覺得|看法|我想是|相信",
)
_SKILL = _any(
    r"(?<!you )\bcan (?!not\b|be\b|have\b|also be\b)\w+",
    r"\b(?:knows? how to|am able to|is able to|fluent(?:ly)?|speaks?|proficient|expert|skilled|good at|certified"
    r"|experienced (?:in|with))\b",
    r"\b(?:умею|умеет|владею|владеет|говорю по|говорит по|разбираюсь)\b",
    r"\b(?:kann|spreche|spricht|beherrsch\w+)\b",
    r"\b(?:sé|sabe|puedo|hablo|habla|domino)\b",
    r"会说|会讲|擅长|精通|熟悉|我会|他会|她会",
)
_EXPERIENCE = _any(
    r"\b(?:visited|went|tried|experienced|travell?ed|attended|saw|watched|met|stayed|been to"
    r"|lived through|survived|suffered)\b",
    r"\b(?:посети\w+|ездил\w*|побывал\w*|пробовал\w*|попробовал\w*|видел\w*)\b",
    r"\b(?:besucht\w*|gereist|probiert\w*|erlebt\w*)\b",
    r"\b(?:visit[éó]|viaj[éó]|prob[éó]|viví|estuve)\b",
    r"去过|參觀|参观|尝过|经历|试过|见过",
)
_ACHIEVEMENT = _any(
    r"\b(?:won|finished|graduated|achieved|completed|passed|earned|awarded|promoted|published"
    r"|accomplished|broke the record)\b",
    r"\b(?:выиграл\w*|закончил\w*|окончил\w*|достиг\w*|сдал\w*|защитил\w*)\b",
    r"\b(?:gewonnen|gewann|abgeschlossen|bestanden|erreicht|geschafft)\b",
    r"\b(?:gan[éó]|termin[éó]|complet[éó]|aprob[éó]|me gradué|logr[éó])\b",
    r"赢了|赢得|完成|毕业|获得|通过了",
)
_ACTION = _any(
    r"\b(?:did|bought|sent|booked|sold|called|ordered|paid|wrote|built|fixed|made|signed|cancelled|canceled|created|moved"
    r"|started|stopped|deleted|deployed|installed|updated|added|removed|scheduled|submitted|ran|took|gave|put|switched)\b",
    r"\b(?:купил\w*|отправил\w*|забронировал\w*|сделал\w*|продал\w*|заказал\w*|написал\w*|переехал\w*)\b",
    r"\b(?:gekauft|gesendet|geschickt|gebucht|gemacht|bestellt|verkauft|bezahlt)\b",
    r"\b(?:compr[éó]|envi[éó]|reserv[éó]|hice|hizo|vend[íi]|pagu?[éó])\b",
    r"买了|发送了|发了|预订|做了|卖了|付了",
)

_ORDER: tuple[tuple[re.Pattern[str], MemoryType], ...] = (
    (_GOAL, MemoryType.GOAL),
    (_PREFERENCE, MemoryType.PREFERENCE),
    (_OPINION, MemoryType.OPINION),
    (_SKILL, MemoryType.SKILL),
    (_ACHIEVEMENT, MemoryType.ACHIEVEMENT),
    (_EXPERIENCE, MemoryType.EXPERIENCE),
    (_ACTION, MemoryType.ACTION),
)


def type_by_cue(text: str) -> MemoryType:
    """The first type whose cue stands in the text, protected types first; without any cue a fact."""
    return next((kind for cue, kind in _ORDER if cue.search(text)), MemoryType.FACT)
