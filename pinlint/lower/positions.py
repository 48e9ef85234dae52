"""Where the nodes of a LibCST tree stand in the source.

LibCST nodes do not know their places: they follow from rendering the tree. One rendering pass notes the tokens between
which each node stands; line and column are computed only for the nodes that are asked for. (LibCST's own
`PositionProvider` needs a deep copy of the tree and costs twice the parse.)
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TypeVar

import libcst as cst

from pinlint.ir import Comment, Span
from pinlint.lower.rendering import render, render_with_libcst

_NodeT = TypeVar("_NodeT", bound=cst.CSTNode)

_NEWLINE = re.compile(r"\r\n?|\n")
_BLANK = " \t\f\r\n\\"
_COMPOUND = (
    cst.FunctionDef,
    cst.ClassDef,
    cst.If,
    cst.For,
    cst.While,
    cst.Try,
    cst.TryStar,
    cst.With,
    cst.MatchCase,
    cst.Else,
    cst.Finally,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
)


class Places:
    """The places of a module's nodes and comments, in the coordinates of `pinlint.ir`.

    `text` is the source of a tree that comes from the parser. It makes the rendering fast and tells where that differs:
    LibCST drops a form feed at the start of a line, and the columns of that line are counted in the source.
    """

    def __init__(self, module: cst.Module, text: str | None = None) -> None:
        rendering = render_with_libcst(module) if text is None else render(module)
        rendered = "".join(rendering.tokens)
        if text is not None and rendered != text:
            rendering = render_with_libcst(module)
            rendered = "".join(rendering.tokens)
        self._records = rendering.records
        self._tokens = rendering.tokens
        self._comments = rendering.comments
        self._offsets = list(accumulate(map(len, rendering.tokens), initial=0))
        self._lines = [0, *(match.end() for match in _NEWLINE.finditer(rendered))]
        self._shifts = {} if text is None or text == rendered else _shifts(rendered, text)
        self._index: dict[Span, list[cst.CSTNode]] = {}

    def span(self, node: cst.CSTNode) -> Span:
        """The span of a statement or expression, as in the IR: the header of a compound statement, no parentheses.

        The parentheses that make a tuple or a generator do belong to it.
        """
        _, start, end = self._records[id(node)]
        if isinstance(node, cst.Tuple | cst.MatchTuple | cst.GeneratorExp) and node.lpar:
            start, end = self._backward(start, "("), self._forward(end, ")") + 1
        elif isinstance(node, cst.Match):
            end = self._forward(self._records[id(node.subject)][2], ":") + 1
        elif isinstance(node, _COMPOUND):
            end = self._backward(self._records[id(node.body)][1], ":") + 1
        elif isinstance(node, cst.SubscriptElement):  # a slice's last colon owns the blanks after it
            end = self._last_token(end) + 1
        elif isinstance(node, cst.TypeAlias):  # LibCST lets the semicolon belong to it, and to no other statement
            end = self._last_token(end, also=";") + 1
        return self._span(start, end)

    def plain_span(self, node: cst.CSTNode) -> Span:
        """The span of a node that is neither compound, a tuple nor a generator: the common case, faster."""
        _, start, end = self._records[id(node)]
        return self._span(start, end)

    def start(self, node: cst.CSTNode) -> tuple[int, int]:
        """Line and column at which `node` starts."""
        return self._position(self._offsets[self._records[id(node)][1]])

    def last_line(self, body: cst.BaseSuite) -> int:
        """The last line of the last statement of a body, without comments that follow it."""
        token = self._last_token(self._records[id(body)][2])
        return self._position(self._offsets[token + 1] - 1)[0]

    def comments(self) -> tuple[Comment, ...]:
        """All comments in the order of the source."""
        return tuple([Comment(*self._position(self._offsets[index]), self._tokens[index]) for index in self._comments])

    def locate(self, span: Span, kind: type[_NodeT]) -> _NodeT | None:
        """The node of the class `kind` that stands exactly at `span`, or None."""
        if not self._index:
            for node, _, _ in self._records.values():
                self._index.setdefault(self.span(node), []).append(node)
        return next((node for node in self._index.get(span, ()) if isinstance(node, kind)), None)

    def _span(self, start: int, end: int) -> Span:
        return (*self._position(self._offsets[start]), *self._position(self._offsets[end]))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._lines, offset)
        column = offset - self._lines[line - 1]
        return line, column + self._shifts.get(line, 0)

    def _backward(self, token: int, text: str) -> int:
        """The last token before `token` that reads `text`."""
        token -= 1
        while self._tokens[token] != text:
            token -= 1
        return token

    def _forward(self, token: int, text: str) -> int:
        """The first token from `token` on that reads `text`."""
        return self._tokens.index(text, token)

    def _last_token(self, end: int, also: str = "") -> int:
        """The last token before `end` that is neither white space nor a comment, nor reads `also`."""
        token = end - 1
        while self._tokens[token][:1] == "#" or not self._tokens[token].strip(_BLANK + also):
            token -= 1
        return token


def _shifts(rendered: str, text: str) -> dict[int, int]:
    """By how much the columns of each line that lost its first characters in rendering must be moved."""
    pairs = zip(_NEWLINE.split(rendered), _NEWLINE.split(text), strict=False)
    return {line: len(source) - len(shown) for line, (shown, source) in enumerate(pairs, 1) if shown != source}
