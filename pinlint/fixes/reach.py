"""Whether a copy certainly runs once an expression has run, so that pinning there fails only where the copy fails."""

from __future__ import annotations

from pinlint import ir
from pinlint.fixes.lookup import Block, Found, walk

_SCOPES = (ir.FunctionDef, ir.Lambda)
_JUMPS = (ir.Return, ir.Raise, ir.Break, ir.Continue)
_MAYBE = (ir.Conditional, ir.Boolean, ir.Comprehension)


def leads_to(place: Found, copy: Found) -> bool:
    """Whether the expression at `place` is in the function of `copy` and never runs without the copy."""
    depth = len(place.blocks) - 1
    if _scope(place) != _scope(copy) or len(copy.blocks) <= depth:
        return False
    own, other = place.blocks[depth], copy.blocks[depth]
    if own.statements != other.statements or other.index < own.index:
        return False
    may_leave = _jumps(own.statements[own.index + 1 : other.index])
    return not may_leave and _always_within(copy, depth, besides=place.chain)


def comes_after(place: Found, other: Found) -> bool:
    """Whether the expression at `place` is in the function of `other` and never runs before that has run."""
    depth = len(other.blocks) - 1
    if _scope(place) != _scope(other) or len(place.blocks) <= depth:
        return False
    own, earlier = place.blocks[depth], other.blocks[depth]
    in_order = earlier.index < own.index and own.statements == earlier.statements
    return in_order and not any(isinstance(node, _MAYBE) for node in other.chain)


def always_runs(copy: Found) -> bool:
    """Whether a call of the function of `copy` never returns without the copy."""
    inner = [number for number, block in enumerate(copy.blocks) if isinstance(_statement(block), ir.FunctionDef)]
    start = inner[-1] + 1 if inner else 0
    if isinstance(_scope(copy), ir.Lambda) or start >= len(copy.blocks):
        return False
    return not _jumps(copy.blocks[start].before) and _always_within(copy, start, besides=())


def _always_within(copy: Found, depth: int, besides: tuple[ir.Node, ...]) -> bool:
    """Whether the copy runs whenever its statement in the block at `depth` does."""
    outer = [_statement(block) for block in copy.blocks[depth:-1]]
    before = [block.before for block in copy.blocks[depth + 1 :]]
    maybe = [node for node in copy.chain if isinstance(node, _MAYBE) and node not in besides]
    if any(not isinstance(each, ir.With) for each in outer) or any(map(_jumps, before)):
        return False
    scope = _scope(copy)
    return all(_around(node, scope) for node in maybe)


def _around(node: ir.Node, scope: ir.Node | None) -> bool:
    """Whether a node stands around a lambda that holds both expressions, and so decides nothing between them."""
    return isinstance(scope, ir.Lambda) and node.span[:2] <= scope.span[:2] and node.span[2:] >= scope.span[2:]


def _scope(found: Found) -> ir.Node | None:
    return next((node for node in reversed(found.chain[:-1]) if isinstance(node, _SCOPES)), None)


def _statement(block: Block) -> ir.Statement:
    return block.statements[block.index]


def _jumps(statements: tuple[ir.Statement, ...]) -> bool:
    return any(isinstance(node, _JUMPS) for node in walk(statements, opaque=(*_SCOPES, ir.ClassDef)))
