"""The vocabulary in which torch, numpy and project functions are described.

The knowledge itself is data (`*.toml` beside this file, and `[[tool.pinlint.models]]` of a project): a table says of
some functions which of the effects below they have. The tracer knows the effects, never the names.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Effect(enum.Enum):
    """What a call does to memory."""

    ALLOCATE = "allocate"
    """New memory on the `device` argument; without one, on `device_from`'s device or the default device."""
    COMPUTE = "compute"
    """New memory on the device of the tensor arguments; `out=` gives that tensor instead."""
    VIEW = "view"
    """The memory of `source`, in another shape (`layout`)."""
    DENSE = "dense"
    """`source` itself when it is dense, otherwise new pageable memory (`contiguous`, `reshape`, `flatten`)."""
    CAST = "cast"
    """`source` itself when it has the dtype already, otherwise new pageable memory on the same device."""
    IN_PLACE = "in-place"
    """Writes the memory of `source` and returns it."""
    WRITE = "write"
    """Writes the memory of `source`, returns nothing of interest (`numpy.copyto`, `ndarray.fill`)."""
    BRIDGE = "bridge"
    """A tensor over the host memory of an array or the reverse (`from_numpy`, `Tensor.numpy`)."""
    CONVERT = "convert"
    """Shares memory when given a tensor or an array, allocates for Python data (`as_tensor`, `numpy.asarray`)."""
    PIN = "pin"
    """A pinned copy of `source`; `source` itself when already pinned."""
    TO = "to"
    """`Tensor.to` and `Module.to`, in all their signatures."""
    MOVE = "move"
    """A move to the device named by `device` in the model (`Tensor.cuda`, `Tensor.cpu`)."""
    COPY = "copy"
    """`destination.copy_(source, non_blocking)`."""
    COPY_LISTS = "copy-lists"
    """`_foreach_copy_(destinations, sources, non_blocking)`."""
    TYPE = "type"
    """`Tensor.type(dtype, non_blocking)`: the dtype's name may name a device."""
    MOVE_TREE = "move-tree"
    """Moves every tensor in a nested container (`send_to_device(batch, device, non_blocking)`)."""
    MAP_TREE = "map-tree"
    """Applies a function to every tensor in a nested container (`tree_map(function, tree)`)."""
    LOADER = "loader"
    """Builds a data loader whose batches are pinned by `pin_memory=True`."""
    COLLATE = "collate"
    """New pageable tensors in the structure of the samples (`default_collate`)."""
    LOAD = "load"
    """A mapping of tensors read from a file, pageable unless `map_location`/`device` says otherwise."""
    QUERY = "query"
    """Says something of a tensor without touching its memory (`size`, `dim`, `is_pinned`, `numel`)."""
    READ = "read"
    """Reads a tensor's values on the host (`item`, `tolist`): waits for an accelerator's tensor."""
    IS_PINNED = "is-pinned"
    AVAILABLE = "available"
    """Whether there is an accelerator to copy to (`torch.cuda.is_available`)."""
    DEVICE = "device"
    """Makes a device of its argument (`torch.device`), or returns the accelerator (`torch.accelerator...`)."""
    DEFAULT_DEVICE = "default-device"
    """Sets the default device (`torch.set_default_device`)."""
    WAIT = "wait"
    """Waits until the work queued before it is done (`torch.cuda.synchronize`, `Event.synchronize`)."""
    RECORD = "record"
    """Records an event (`Event.record`)."""
    CAPTURE = "capture"
    """A context in which a CUDA graph is captured."""
    REGISTER = "register"
    """Page-locks memory in place through its pointer (`cudaHostRegister`)."""
    PASS_THROUGH = "pass-through"
    """Returns `source` (or an iterator over it) unchanged: `tqdm(x)`, `copy.copy(x)`, `nn.Parameter(x)`."""
    WRAP = "wrap"
    """A decorator or wrapper that keeps the function it is given (`lru_cache`, `torch.no_grad()`)."""
    NOTHING = "nothing"
    """Has no effect on memory that matters here and returns no tensor."""


class Layout(enum.Enum):
    """What a view does to a dense layout."""

    KEEP = "keep"
    """Dense stays dense (`view`, `unsqueeze`, `detach`)."""
    PERMUTE = "permute"
    """Dense, but in another order of strides (`t`, `permute`)."""
    GAP = "gap"
    """Gapped, whatever the arguments (`expand`, `diagonal`, `real`)."""
    SELECT = "select"
    """Depends on the dimension and range (`narrow`, `select`, `split`): dense along the first dimension."""


class Pin(enum.Enum):
    """What a factory does with `pin_memory=`."""

    ACCEPTED = "accepted"
    IGNORED = "ignored"
    """Takes the keyword and returns pageable memory all the same."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class FunctionModel:
    """What is known of one function or method."""

    name: str
    """Dotted: `torch.zeros`, `torch.Tensor.view`, `numpy.ndarray.astype`, `torch.Tensor.T` (an attribute)."""
    effect: Effect
    parameters: tuple[str, ...] = ()
    """Names of the positional parameters in order, without `self`; only as far as they are needed."""
    source: str = "self"
    """The parameter the effect is about: `self` for a method, otherwise a name in `parameters`."""
    result: str = "same"
    """`tensor`, `array`, or `same` as the source (a computed result is an array if no argument is a tensor)."""
    several: bool = False
    """Returns a sequence of such results (`split`, `unbind`)."""
    layout: Layout = Layout.KEEP
    pin: Pin = Pin.REFUSED
    device: str = ""
    """For MOVE and DEVICE: `host`, `accelerator`, or `argument` (the `device` argument decides)."""
    device_from: str = ""
    """For ALLOCATE: the parameter whose device is taken when `device` is not given (`*_like`, `new_*`)."""
    default_device: bool = True
    """For ALLOCATE: whether `set_default_device` and `with torch.device(...)` move the result."""
    dtype: str = ""
    """The result's dtype when the function fixes it (`half` gives `float16`)."""
    non_blocking: bool = False
    """For copies: the value of `non_blocking` when it is not given."""
    random: bool = False
    """The values are drawn from a random generator, so building on the device would change them."""
    attribute: bool = False
    """Read as an attribute, not called (`Tensor.T`, `Tensor.data`)."""


@dataclass(frozen=True, slots=True)
class Models:
    """All models of one run, looked up by name."""

    functions: dict[str, FunctionModel]
    aliases: dict[str, str]
    """Another dotted name of the same function or class, such as `torch.utils.data.dataloader.DataLoader`."""
    dtypes: frozenset[str]
    """Dotted names of dtypes (`torch.float16`)."""

    def function(self, name: str) -> FunctionModel | None:
        """The model of the function, method or attribute called `name`, or None."""
        return self.functions.get(self.aliases.get(name, name))

    def method(self, owner: str, name: str) -> FunctionModel | None:
        """The model of `name` on a value of the class `owner` (`torch.Tensor`, `numpy.ndarray`), or None."""
        return self.functions.get(f"{owner}.{name}")
