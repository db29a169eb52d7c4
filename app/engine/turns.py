"""Whose words the parts of a message are, where it is a transcript: only the user's are statements to remember.

A message is taken for a transcript when lines of it begin with the mark of the user and of an assistant ("User:",
"Assistant:"), or in the marks of chat templates. "System: Debian 12" alone is a line like any other, and so is
"Assistant: Maria". A line by which an agent is told what it is ("System: You are a helpful assistant.") states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_USER = frozenset("user human me benutzer nutzer usuario пользователь 用户".split())
_ASSISTANT = frozenset("assistant ai bot agent chatbot chatgpt gpt claude asistente ассистент 助手".split())
_OTHERS = frozenset("system developer tool система 系统".split())
_ROLE = re.compile(
    rf"^[ \t>*#_]*(?P<role>{'|'.join(sorted(_USER | _ASSISTANT | _OTHERS, key=len, reverse=True))})[*_]*[ \t]*[:：][*_]*[ \t]*",
    re.IGNORECASE,
)
_NAMED = "(user|assistant|system|developer|tool)"
_TEMPLATE_ROLE = re.compile(rf"<\|im_start\|>{_NAMED}|<\|start_header_id\|>{_NAMED}<\|end_header_id\|>|<\|{_NAMED}\|>", re.IGNORECASE)
_TEMPLATE_END = re.compile(r"<\|(?:im_end|eot_id|end|endoftext|end_of_text|begin_of_text)\|>", re.IGNORECASE)
_BRIEFING = re.compile(r"you are (?:an? |the )?(?:[\w-]+ ){0,6}?(?:assistant|model|chatbot|bot|agent|ai)\b", re.IGNORECASE)
_NOBODY = ""


def said_by_the_user(message: str) -> str:
    """The message without the turns of the agent and the system, and without the marks of the user's."""
    lines = list(_marked(message))
    roles = {role for role, _, template in lines if role and not template}
    transcript = bool(roles & _USER) and bool(roles & _ASSISTANT)
    kept: list[str] = []
    speaker = _NOBODY
    for role, (line, rest), template in lines:
        if role is not None and (template or transcript or (role in _OTHERS and _BRIEFING.match(rest))):
            speaker = role
            line = rest  # noqa: PLW2901 - the mark is no part of what was said
        if speaker in _USER or speaker == _NOBODY:
            kept.append(line)
        elif not transcript and not template and role is None and not line.strip():
            speaker = _NOBODY  # a briefing ends with its paragraph
    return "\n".join(kept)


def _marked(message: str) -> Iterator[tuple[str | None, tuple[str, str], bool]]:
    """Each line with the role whose turn it begins (or none), itself and without its mark, and whether a template's."""
    text = _TEMPLATE_END.sub(f"\n<|{_NOBODY}|>\n", _TEMPLATE_ROLE.sub(lambda mark: f"\n<|{mark[mark.lastindex or 0]}|>", message))
    fenced = False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if line.startswith("<|") and "|>" in line:
            role, _, rest = line[2:].partition("|>")
            yield role.casefold(), (line, rest), True
            continue
        mark = None if fenced else _ROLE.match(line)
        yield (mark["role"].casefold() if mark else None), (line, line[mark.end() :] if mark else line), False
