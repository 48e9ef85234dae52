"""What the bytes of a file say before anything is parsed.

A byte search is a thousand times faster than LibCST, and almost no file of a project holds a copy. The answers may say
"perhaps" too often, which costs a parse; what is written in the usual ways they do not miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST_CALL = 2000
"""Bytes in which the arguments of a call are looked for."""
_FEW_NAMES = 8
"""So many names are looked for one by one; for more it is faster to list all that a file calls."""
_TAB_WIDTH = 8

_CANDIDATE = re.compile(
    rb"\.(?:(?P<method>copy_|cuda|hpu|mps|mtia|npu|to|type|xpu)\s*\((?![^()\[\]{},'\"#]*\))"
    rb"|_foreach_copy_|(?P<pin>pin_memory\(\))|is_pinned(?!\w|\s*\(|\s*=[^=]|\s*:\s*\w))"
)
"""Calls with more than one simple argument of the methods that take `non_blocking` by position, and the rest."""
_CALL_TOKEN = re.compile(
    rb"[()\[\]{},]|#[^\n]*|'''|\"\"\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"", re.DOTALL
)
_KEYWORD = re.compile(rb"\s*\w+\s*=(?!=)|\s*\*\*")
_STATEMENT_START = re.compile(rb"[;:][ \t]")
_VALUE = re.compile(
    rb"[ \t\f]*(?!(?:return|yield|await|assert|raise|del|if|elif|else|while|and|or|not|in|is)\b)[^\s#=][^=]*\Z"
)
_STATEMENT_END = re.compile(rb"[ \t\f]*(?:[;#\r\n]|\Z)")
_DEFINITION = re.compile(rb"^([ \t\f]*)(?:async[ \t]+)?(def|class)[ \t]+([^\W\d][\w\x80-\xff]*)", re.MULTILINE)
_WORDS_APART = bytes(
    code
    if not chr(code).isascii() or chr(code).isalnum() or chr(code) in "_("
    else ord(" " if chr(code) in " \t" else ".")
    for code in range(256)
)
"""Turns blanks into spaces and all that is not part of a word, but for opening parentheses, into dots."""

_CALLED_THROUGH_CLASS = frozenset({b"__call__", b"__init__", b"__new__", b"__post_init__", b"forward"})
"""Methods that run when a class or an instance is called, so that a call does not show their own name."""


def may_copy(data: bytes) -> bool:
    """Whether a file may hold anything that a rule is about."""
    return b"non_blocking" in data or next(_unnamed_places(data), None) is not None


def enclosing_definitions(data: bytes) -> frozenset[str]:
    """The names by which the code is called that holds a place `may_copy` looks for.

    They are the functions around such a place, by indentation alone, and the classes of those that are called through
    their class or an instance.
    """
    places = list(_places(data))
    if not places:
        return frozenset()
    definitions = [
        (match.start(), _width(match[1]), match[2] == b"class", match[3]) for match in _DEFINITION.finditer(data)
    ]
    names = {name for place in places for name in _names_around(data, place, definitions)}
    return frozenset(name.decode(errors="replace") for name in names)


def _names_around(data: bytes, place: int, definitions: list[tuple[int, int, bool, bytes]]) -> Iterator[bytes]:
    line = data[data.rfind(b"\n", 0, place) + 1 : place]
    width = _width(line[: len(line) - len(line.lstrip())])
    through_class = False
    for start, indent, is_class, name in reversed(definitions):
        if start < place and indent < width:
            width = indent
            if through_class or not is_class:
                yield name
            through_class = name in _CALLED_THROUGH_CLASS


def names_called(data: bytes, names: frozenset[str]) -> frozenset[str]:
    """Those of `names` that a file calls or defines: as a whole word with a parenthesis behind it."""
    if len(names) <= _FEW_NAMES:
        return frozenset(name for name in names if _is_called(data, name.encode()))
    called = _all_called(data)
    return frozenset(name for name in names if name.encode() in called)


def _is_called(data: bytes, name: bytes) -> bool:
    if name not in data:
        return False
    return re.search(rb"(?<![\w\x80-\xff])" + re.escape(name) + rb"[ \t]*\(", data) is not None


def _all_called(data: bytes) -> set[bytes]:
    """Every word with a parenthesis behind it."""
    before = data.translate(_WORDS_APART).split(b"(")[:-1]
    return {text.rstrip(b" ").rpartition(b" ")[2].rpartition(b".")[2] for text in before}


def _places(data: bytes) -> Iterator[int]:
    """The offsets of all that `may_copy` looks for."""
    place = data.find(b"non_blocking")
    while place >= 0:
        yield place
        place = data.find(b"non_blocking", place + 1)
    yield from _unnamed_places(data)


def _unnamed_places(data: bytes) -> Iterator[int]:
    """The offsets of what matters without the word `non_blocking`."""
    for match in _CANDIDATE.finditer(data):
        if match["method"]:
            matters = _passes_flag(data, match.end(), match["method"])
        elif match["pin"]:
            matters = _is_statement(data, match.start(), match.end())
        else:
            matters = True
        if matters:
            yield match.start()


def _passes_flag(data: bytes, start: int, method: bytes) -> bool:
    """Whether the call whose arguments start at `start` may pass `non_blocking` by position.

    It comes second, in `to` second or third, where a second argument may be a dtype as well.
    """
    after_first = [each for each in _arguments(data, start) if not _KEYWORD.match(each)][1:]
    if method == b"to":
        return any(b"True" in each for each in after_first) or bool(after_first[1:])
    return bool(after_first)


def _arguments(data: bytes, start: int) -> Iterator[bytes]:
    """The arguments of the call whose parenthesis opens before `start`, as far as they are not absurdly long."""
    depth = 0
    end = min(len(data), start + _LONGEST_CALL)
    for token in _CALL_TOKEN.finditer(data, start, end):
        text = token[0]
        if text in b"([{":
            depth += 1
        elif text == b"," and depth == 0:
            yield data[start : token.start()]
            start = token.end()
        elif text in b")]}":
            depth -= 1
            if depth < 0:
                end = token.start()
                break
    if data[start:end].strip():
        yield data[start:end]


def _is_statement(data: bytes, start: int, end: int) -> bool:
    """Whether an expression that ends with `data[start:end]` seems to be a statement, of its line or of its end."""
    before = _STATEMENT_START.split(data[data.rfind(b"\n", 0, start) + 1 : start])[-1]
    return _VALUE.match(before) is not None and _STATEMENT_END.match(data, end) is not None


def _width(blanks: bytes) -> int:
    """The column that white space at the start of a line leads to."""
    return len(blanks.expandtabs(_TAB_WIDTH))
