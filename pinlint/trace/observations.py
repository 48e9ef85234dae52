"""What the callers in view pass to the functions and constructors that are followed."""

from __future__ import annotations

from pinlint.trace.declarations import ClassDeclaration, Declaration, FunctionDeclaration
from pinlint.trace.joins import join, summarised, union
from pinlint.trace.values import NOTHING, Device, Origin, Tensor, Unknown, Value, alternatives, walk


class Observations:
    """What was passed for each parameter, or put into each field of a dataclass, so far."""

    def __init__(self) -> None:
        self._seen: dict[tuple[Declaration, str], Value] = {}

    def observe(self, declaration: Declaration, bound: dict[str, Value]) -> None:
        """Remember what a caller in view passes."""
        receiver = declaration.receiver_name if isinstance(declaration, FunctionDeclaration) else ""
        for name, value in bound.items():
            if name == receiver:
                continue
            key = (declaration, name)
            own = Origin(declaration, name)
            # What was read from there before says nothing new.
            seen = union(item for item in alternatives(value) if not _is_only(item, own))
            self._seen[key] = summarised(join(self._seen.get(key, NOTHING), summarised(seen)))

    def observed_value(self, declaration: FunctionDeclaration, name: str) -> Value | None:
        """What all callers of a constructor in view pass for a parameter; None when that is not known."""
        if declaration.name != "__init__":
            return None
        value = self._seen.get((declaration, name))
        if value is None or any(isinstance(item, Unknown) for item in walk(value)):
            return None
        return value

    def missing_origins(self, declaration: ClassDeclaration, name: str) -> frozenset[Origin]:
        """The parameters because of which it is not known what the constructions put into a field."""
        value = self._seen.get((declaration, name), NOTHING)
        return frozenset(
            origin
            for item in walk(value)
            if isinstance(item, Unknown) or (isinstance(item, Tensor) and item.device is Device.UNKNOWN)
            for origin in item.origins
        )

    def observed_field(self, declaration: ClassDeclaration, name: str) -> Value | None:
        """What a dataclass field holds where every construction in view agrees on the device; None otherwise."""
        value = self._seen.get((declaration, name))
        if value is None:
            return None
        found = [item for item in walk(value) if isinstance(item, Tensor)]
        devices = {item.device for item in found}
        if any(isinstance(item, Unknown) for item in walk(value)) or Device.UNKNOWN in devices:
            return None
        if Device.HOST in devices and len(devices) > 1:
            return None
        return value


def _is_only(value: Value, origin: Origin) -> bool:
    """Whether a value is unknown only because the parameter itself is."""
    return (
        isinstance(value, Unknown | Tensor)
        and value.origins == frozenset({origin})
        and (isinstance(value, Unknown) or value.device is Device.UNKNOWN)
    )
