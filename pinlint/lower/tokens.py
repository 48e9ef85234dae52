"""The tokens that decide how deeply code is nested, as regular expressions over text whose lines end with a line feed.

Each pattern matches at every position of every text, so a scan never goes back and its time is linear. What could
repeat without end is bounded, because `re` remembers every repetition: then the next match goes on in the same place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_KEYWORD = r"(?:and|or|not|if|else|for|in|is|lambda|await|yield)\b"
_WORD = rf"(?!{_KEYWORD}|[A-Za-z]{{0,2}}['\"])[^\W\d]\w*"
_NUMBER = r"0[xX][\da-fA-F_]+|\d[\d_]*(?:[eE][-+]?\d[\d_]*)?[jJ]?"
_QUOTE = r"(?:'''|\"\"\"|'|\")"
_STRING = (
    r"(?:'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*){0,500}'''"
    r'|"""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*){0,500}"""'
    r"|'(?!'')[^'\\\n]*(?:\\[\s\S][^'\\\n]*){0,500}'"
    r'|"(?!"")[^"\\\n]*(?:\\[\s\S][^"\\\n]*){0,500}")'
)
"""A string that is not absurdly long, without its prefix."""

OUTLINE = re.compile(
    r"[^()\[\]{}'\"#\\]*"
    r"(?:(?P<flat>\([^()\[\]{}'\"#\\]*\))"
    r"|(?P<open>[(\[{])"
    r"|(?P<close>[)\]}])"
    rf"|(?P<string>{_STRING})"
    rf"|(?P<string_start>{_QUOTE})"
    r"|(?P<other>\#[^\n]*|\\[\s\S]|[\s\S]|\Z))"
)
"""What tells where statements end: brackets, strings, comments and backslashes, with the text before them."""

CODE = re.compile(
    rf"(?:[ \t\f]+|{_WORD}|{_NUMBER}){{0,50}}"
    r"(?:(?P<link>\.)"
    r"|(?P<open>[(\[{])"
    r"|(?P<close>[)\]}])"
    r"|(?P<separator>[,;])"
    r"|(?P<colon>:)"
    rf"|(?P<operator>[-+~%@&|^]|\*+|/+|<+|>+|[!=]=|{_KEYWORD})"
    rf"|(?!(?:[fFtT][rR]?|[rR][fFtT])['\"])(?P<string>[A-Za-z]{{0,2}}{_STRING})"
    rf"|(?P<string_start>[A-Za-z]{{0,2}}{_QUOTE})"
    r"|\#[^\n]*|\\[\s\S]|[\s\S]|\Z)"
)
"""Everything that adds to the depth of an expression. A string that may hold code is told by its start alone."""

FORMATTED_PREFIX = re.compile(r"(?<![^\W\d])(?:[fFtT][rR]?|[rR][fFtT])\Z")
"""At the end of the text before a quote: the string is an f-string or a t-string."""


class Inside(NamedTuple):
    """How to go on after the start of a string, by what it is."""

    plain: re.Pattern[str]
    formatted: re.Pattern[str]
    specification: re.Pattern[str]
    """The format specification of a replacement field."""


def _inside(quote: str) -> Inside:
    first = quote[0]
    if len(quote) == 1:
        other, end = rf"[^{first}\\{{}}\n]+", rf"(?P<string_end>{first}|(?=\n)|\Z)"
    else:
        other, end = rf"[^{first}\\{{}}]+|{first}(?!{first}{first})", rf"(?P<string_end>{quote}|\Z)"
    escape = r"\\[^{]|\\(?=\{)|\\\Z"
    return Inside(
        re.compile(rf"(?:{other}|[{{}}]|{escape}){{0,500}}(?:{end}|)"),
        re.compile(rf"(?:{other}|{escape}|\{{\{{|\}}\}}?){{0,500}}(?:(?P<open>\{{)|{end}|)"),
        re.compile(rf"(?:{other}|{escape}){{0,500}}(?:(?P<open>\{{)|(?P<close>\}})|{end}|)"),
    )


INSIDE = {quote: _inside(quote) for quote in ("'", '"', "'''", '"""')}
"""By the quote that ends the string."""
