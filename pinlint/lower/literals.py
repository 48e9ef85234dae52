"""The values of number and string literals."""

from __future__ import annotations

import ast
import re
import warnings

from pinlint import ir

_LARGEST_INTEGER = 2**63 - 1
_LONGEST_INTEGER = 100
"""Characters; a literal longer than this is not worth evaluating (Python itself refuses some thousands of digits)."""

_STRING = re.compile(r"""([A-Za-z]*)("{3}|'{3}|"|')""")
_LINE_END = re.compile(r"\r\n?")


def integer_constant(span: ir.Span, text: str) -> ir.Constant | ir.Opaque:
    """The integer literal `text`, opaque when it does not fit 64 bits."""
    value = int(text, 0) if len(text) <= _LONGEST_INTEGER else None
    return ir.Opaque(span, ()) if value is None or value > _LARGEST_INTEGER else ir.Constant(span, value)


def float_constant(span: ir.Span, text: str) -> ir.Constant:
    return ir.Constant(span, float(text))


def string_constant(span: ir.Span, text: str) -> ir.Constant | ir.Opaque:
    """One string literal with its quotes and prefix; bytes, and text that no encoding can hold, are opaque."""
    start = _STRING.match(text)
    if start is None or "b" in start[1].lower():
        return ir.Opaque(span, ())
    quote = start[2]
    if "\\" in text and "r" not in start[1].lower():
        return _escaped(span, text)
    value = text[start.end() : -len(quote)]
    return ir.Constant(span, _LINE_END.sub("\n", value) if "\r" in value else value)


def _escaped(span: ir.Span, text: str) -> ir.Constant | ir.Opaque:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of invalid escapes, which are the business of other linters
        try:
            value = ast.literal_eval(text)
        except SyntaxError:  # an unknown name in "\N{...}"
            return ir.Opaque(span, ())
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return ir.Opaque(span, ())
    return ir.Constant(span, value)
