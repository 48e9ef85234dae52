"""The models agree with what was measured of torch: each row here is a measured row."""

from __future__ import annotations

import pytest

from pinlint.models.load import load_models
from pinlint.models.model import Effect, FunctionModel, Layout, Pin


def words(text: str) -> list[str]:
    return text.split()


PINNED_BY_KEYWORD = words("""
    torch.arange torch.bartlett_window torch.empty torch.empty_like torch.empty_permuted torch.empty_strided torch.eye
    torch.full torch.full_like torch.hamming_window torch.hann_window torch.kaiser_window torch.linspace torch.logspace
    torch.normal torch.ones torch.ones_like torch.rand torch.rand_like torch.randint torch.randint_like torch.randn
    torch.randn_like torch.randperm torch.scalar_tensor torch.tensor torch.tril_indices torch.triu_indices torch.zeros
    torch.zeros_like torch.Tensor.new_empty torch.Tensor.new_empty_strided torch.Tensor.new_full torch.Tensor.new_ones
    torch.Tensor.new_zeros
""")

REFUSED_BY = words("""
    torch.Tensor.new_tensor torch.as_strided torch.as_tensor torch.asarray torch.bernoulli torch.bincount
    torch.cartesian_prod torch.cat torch.combinations torch.complex torch.cumsum torch.diag torch.from_numpy
    torch.frombuffer torch.meshgrid torch.multinomial torch.polar torch.range torch.stack torch.vander torch.where
""")

SAME_MEMORY = words("""
    torch.Tensor.T torch.Tensor.as_strided torch.Tensor.broadcast_to torch.Tensor.chunk torch.Tensor.data
    torch.Tensor.detach torch.Tensor.diagonal torch.Tensor.expand torch.Tensor.expand_as torch.Tensor.hsplit
    torch.Tensor.mT torch.Tensor.movedim torch.Tensor.narrow torch.Tensor.permute torch.Tensor.real
    torch.Tensor.resize_ torch.Tensor.select torch.Tensor.split torch.Tensor.squeeze torch.Tensor.swapaxes
    torch.Tensor.t torch.Tensor.tensor_split torch.Tensor.transpose torch.Tensor.unbind torch.Tensor.unflatten
    torch.Tensor.unfold torch.Tensor.unsqueeze torch.Tensor.untyped_storage torch.Tensor.view torch.Tensor.view_as
    torch.Tensor.vsplit torch.atleast_2d torch.from_dlpack torch.ops.aten.alias torch.squeeze torch.view_as_real
    numpy.ndarray.data numpy.ndarray.view
""")

SAME_MEMORY_WHEN_DENSE = words("""
    torch.Tensor.contiguous torch.Tensor.flatten torch.Tensor.ravel torch.Tensor.reshape torch.reshape
    numpy.ndarray.reshape
""")

NEW_MEMORY = words("""
    torch.Tensor.clamp torch.Tensor.clone torch.Tensor.cumsum torch.Tensor.flip torch.Tensor.gather
    torch.Tensor.index_select torch.Tensor.masked_select torch.Tensor.repeat torch.Tensor.repeat_interleave
    torch.Tensor.roll torch.Tensor.share_memory_ torch.Tensor.sort torch.Tensor.sum torch.Tensor.tile torch.add
    torch.cat torch.nn.functional.pad torch.nn.utils.rnn.pad_sequence torch.stack torch.where copy.deepcopy
    numpy.ndarray.astype
""")

WRITTEN_IN_PLACE = words("""
    add_ fill_ index_fill_ masked_fill_ mul_ normal_ random_ scatter_ zero_
""")

CASTS = {
    "bfloat16": "bfloat16",
    "bool": "bool",
    "byte": "uint8",
    "char": "int8",
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
}

FRESH_FROM_A_TENSOR = words("empty_like full_like ones_like rand_like randint_like randn_like zeros_like")

DENSE_WHEN_PERMUTED = words("T mT movedim permute swapaxes t transpose")
DENSE_AS_BEFORE = words("detach squeeze unflatten unsqueeze view view_as")
ALWAYS_GAPPED = words("conj diagonal expand imag real")
DENSE_IN_THE_FIRST_DIMENSION = words("chunk narrow select split tensor_split unbind vsplit")


def model(name: str) -> FunctionModel:
    found = load_models().function(name)
    assert found is not None, f"{name} has no model"
    return found


def method(name: str) -> FunctionModel:
    found = load_models().method("torch.Tensor", name)
    assert found is not None, f"Tensor.{name} has no model"
    return found


@pytest.mark.parametrize("name", PINNED_BY_KEYWORD)
def test_a_factory_that_pins_by_keyword_says_so(name: str) -> None:
    assert (model(name).effect, model(name).pin) == (Effect.ALLOCATE, Pin.ACCEPTED)


@pytest.mark.parametrize("name", REFUSED_BY)
def test_a_function_that_refuses_the_keyword_says_so(name: str) -> None:
    assert model(name).pin is Pin.REFUSED


@pytest.mark.parametrize("name", ["torch.blackman_window", "torch.nested.nested_tensor", "torch.sparse_coo_tensor"])
def test_a_factory_that_takes_the_keyword_and_does_not_pin_says_so(name: str) -> None:
    assert model(name).pin is Pin.IGNORED


@pytest.mark.parametrize("name", SAME_MEMORY)
def test_a_view_keeps_the_memory_it_views(name: str) -> None:
    assert model(name).effect is Effect.VIEW


@pytest.mark.parametrize("name", SAME_MEMORY_WHEN_DENSE)
def test_a_reshape_keeps_the_memory_of_a_dense_tensor(name: str) -> None:
    assert model(name).effect is Effect.DENSE


@pytest.mark.parametrize("name", NEW_MEMORY)
def test_an_operator_allocates_pageable_memory(name: str) -> None:
    assert model(name).effect is Effect.COMPUTE


@pytest.mark.parametrize("name", WRITTEN_IN_PLACE)
def test_an_in_place_method_returns_the_memory_it_writes(name: str) -> None:
    assert method(name).effect is Effect.IN_PLACE


@pytest.mark.parametrize(("name", "dtype"), CASTS.items())
def test_a_cast_names_the_dtype_that_costs_nothing(name: str, dtype: str) -> None:
    assert (method(name).effect, method(name).dtype) == (Effect.CAST, dtype)


def test_a_cast_to_another_tensors_dtype_has_none_of_its_own() -> None:
    assert (method("type_as").effect, method("type_as").dtype) == (Effect.CAST, "")


@pytest.mark.parametrize("name", FRESH_FROM_A_TENSOR)
def test_a_like_factory_takes_the_device_and_not_the_pin(name: str) -> None:
    like = model(f"torch.{name}")
    assert (like.effect, like.device_from, like.default_device) == (Effect.ALLOCATE, "input", False)


@pytest.mark.parametrize("name", ["new_empty", "new_full", "new_ones", "new_tensor", "new_zeros"])
def test_a_new_method_takes_the_device_and_not_the_pin(name: str) -> None:
    assert (method(name).effect, method(name).device_from) == (Effect.ALLOCATE, "self")


@pytest.mark.parametrize(
    ("names", "layout"),
    [
        (DENSE_AS_BEFORE, Layout.KEEP),
        (DENSE_WHEN_PERMUTED, Layout.PERMUTE),
        (ALWAYS_GAPPED, Layout.GAP),
        (DENSE_IN_THE_FIRST_DIMENSION, Layout.SELECT),
    ],
)
def test_a_view_tells_what_becomes_of_the_layout(names: list[str], layout: Layout) -> None:
    assert {name: method(name).layout for name in names} == dict.fromkeys(names, layout)


@pytest.mark.parametrize("name", ["torch.from_numpy", "torch.frombuffer", "torch.Tensor.numpy"])
def test_a_bridge_shares_host_memory(name: str) -> None:
    assert model(name).effect is Effect.BRIDGE


@pytest.mark.parametrize("name", ["torch.as_tensor", "torch.asarray", "numpy.asarray", "numpy.ascontiguousarray"])
def test_a_conversion_shares_what_is_a_tensor_or_an_array_already(name: str) -> None:
    assert model(name).effect is Effect.CONVERT


@pytest.mark.parametrize("name", ["torch.tensor", "numpy.array"])
def test_a_constructor_copies_whatever_it_is_given(name: str) -> None:
    assert model(name).effect is Effect.ALLOCATE


@pytest.mark.parametrize(
    ("name", "follows"),
    [
        ("torch.zeros", True),
        ("torch.arange", True),
        ("torch.tensor", True),
        ("torch.randperm", True),
        ("torch.as_tensor", True),
        ("torch.normal", False),
        ("torch.zeros_like", False),
        ("numpy.zeros", False),
    ],
)
def test_the_default_device_moves_only_the_factories_that_heed_it(name: str, follows: bool) -> None:  # noqa: FBT001 - a row
    assert model(name).default_device is follows


@pytest.mark.parametrize("name", ["torch.nn.Parameter", "copy.copy", "torch.Tensor.requires_grad_"])
def test_what_hands_back_its_argument_passes_it_through(name: str) -> None:
    assert model(name).effect is Effect.PASS_THROUGH


def test_set_takes_the_memory_of_its_argument() -> None:
    assert (method("set_").effect, method("set_").source) == (Effect.VIEW, "source")


@pytest.mark.parametrize(
    ("name", "effect", "parameters"),
    [
        ("torch.Tensor.to", Effect.TO, ("device", "dtype", "non_blocking", "copy")),
        ("torch.Tensor.cuda", Effect.MOVE, ("device", "non_blocking")),
        ("torch.Tensor.type", Effect.TYPE, ("dtype", "non_blocking")),
        ("torch.Tensor.copy_", Effect.COPY, ("source", "non_blocking")),
        ("torch.UntypedStorage.copy_", Effect.COPY, ("source", "non_blocking")),
        ("torch._foreach_copy_", Effect.COPY_LISTS, ("self", "src", "non_blocking")),
        ("torch.nn.Module.to", Effect.TO, ("device", "dtype", "non_blocking")),
    ],
)
def test_every_form_of_copy_is_known_with_its_positional_arguments(
    name: str, effect: Effect, parameters: tuple[str, ...]
) -> None:
    assert (model(name).effect, model(name).parameters) == (effect, parameters)


@pytest.mark.parametrize("name", ["cuda", "hpu", "ipu", "mlu", "mps", "mtia", "musa", "npu", "xpu"])
def test_a_method_named_after_an_accelerator_moves_there(name: str) -> None:
    assert (method(name).effect, method(name).device) == (Effect.MOVE, "accelerator")


def test_cpu_moves_to_the_host_and_takes_no_non_blocking() -> None:
    assert (method("cpu").device, method("cpu").parameters) == ("host", ())


@pytest.mark.parametrize(
    "name",
    [
        "torch.cuda.synchronize",
        "torch.accelerator.synchronize",
        "torch.xpu.synchronize",
        "torch.cuda.Stream.synchronize",
        "torch.cuda.Event.synchronize",
        "torch.cuda.current_stream.synchronize",
    ],
)
def test_a_synchronize_waits(name: str) -> None:
    assert model(name).effect is Effect.WAIT


@pytest.mark.parametrize("name", ["item", "tolist", "__bool__", "is_nonzero"])
def test_a_method_that_needs_the_values_reads(name: str) -> None:
    assert method(name).effect is Effect.READ


@pytest.mark.parametrize("name", ["shape", "dtype", "device", "is_cuda"])
def test_metadata_is_an_attribute_that_reads_nothing(name: str) -> None:
    assert (method(name).effect, method(name).attribute) == (Effect.QUERY, True)


@pytest.mark.parametrize("name", ["size", "numel", "dim", "is_contiguous", "data_ptr"])
def test_a_metadata_method_reads_nothing(name: str) -> None:
    assert (method(name).effect, method(name).attribute) == (Effect.QUERY, False)


def test_a_loader_knows_where_pin_memory_stands() -> None:
    loader = model("torch.utils.data.DataLoader")
    assert (loader.effect, loader.parameters.index("pin_memory")) == (Effect.LOADER, 7)


def test_only_lightnings_mover_is_non_blocking_by_itself() -> None:
    assert model("accelerate.utils.send_to_device").non_blocking is False
    assert model("lightning.fabric.utilities.move_data_to_device").non_blocking is True


def test_page_locking_in_place_is_known() -> None:
    assert model("torch.cuda.cudart.cudaHostRegister").effect is Effect.REGISTER


@pytest.mark.parametrize(
    "name", ["rand", "randint", "randn", "randperm", "normal", "rand_like", "bernoulli", "multinomial"]
)
def test_random_values_are_marked(name: str) -> None:
    assert model(f"torch.{name}").random
