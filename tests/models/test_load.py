"""What `load_models` makes of the built-in tables and of a project's own."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from pinlint.models.load import ModelError, load_models, read_models
from pinlint.models.model import Effect, Pin

FILES = sorted(entry.name for entry in resources.files("pinlint.models").iterdir() if entry.name.endswith(".toml"))


def test_the_built_in_models_are_read_once() -> None:
    assert load_models() is load_models()


def test_the_built_in_models_reach_over_torch_and_numpy() -> None:
    names = load_models().functions
    assert sum(name.startswith("torch.Tensor.") for name in names) > 500
    assert sum(name.startswith("numpy.") for name in names) > 500


def test_an_alias_finds_the_function_it_stands_for() -> None:
    models = load_models()
    loader = models.function("torch.utils.data.DataLoader")
    assert models.function("torch.utils.data.dataloader.DataLoader") is loader


def test_a_method_is_found_by_its_owner() -> None:
    view = load_models().method("torch.Tensor", "view")
    assert view is not None
    assert view.name == "torch.Tensor.view"


def test_an_unknown_name_has_no_model() -> None:
    assert load_models().function("torch.no_such_function") is None
    assert load_models().method("torch.Tensor", "no_such_method") is None


def test_dtypes_of_both_libraries_are_known() -> None:
    assert {"torch.float16", "torch.half", "torch.int64", "numpy.int64"} <= load_models().dtypes


def test_a_function_that_is_no_method_names_the_parameter_it_is_about() -> None:
    owners = ("torch.Tensor.", "torch.nn.Module.", "torch.TypedStorage.", "torch.UntypedStorage.", "numpy.ndarray.")
    about_memory = (Effect.VIEW, Effect.DENSE, Effect.CAST, Effect.IN_PLACE, Effect.BRIDGE, Effect.CONVERT)
    wrong = [
        model.name
        for model in load_models().functions.values()
        if model.effect in about_memory and model.source == "self" and not model.name.startswith(owners)
    ]
    assert wrong == []


@pytest.mark.parametrize("file", FILES)
def test_the_tables_are_sorted_and_fit_the_line(file: str) -> None:
    text = resources.files("pinlint.models").joinpath(file).read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if len(line) > 120] == []
    for listed in re.findall(r"^(?:names|owners|dtypes) = \[(.*?)\]", text, flags=re.DOTALL | re.MULTILINE):
        names = re.findall(r'"([^"]+)"', listed)
        assert names == sorted(set(names))


def test_a_project_adds_a_function_of_its_own() -> None:
    models = load_models(
        [{"names": ["ours.pinned"], "effect": "allocate", "parameters": ["size"], "pin": "accepted"}],
    )
    added = models.function("ours.pinned")
    assert added is not None
    assert (added.effect, added.parameters, added.pin) == (Effect.ALLOCATE, ("size",), Pin.ACCEPTED)
    assert load_models().function("ours.pinned") is None


def test_a_project_may_name_its_methods_under_their_class() -> None:
    models = load_models([{"owners": ["ours.Buffer", "ours.Ring"], "names": ["gpu"], "effect": "view"}])
    assert models.method("ours.Ring", "gpu") is not None


def test_a_project_has_the_last_word_on_a_built_in_function() -> None:
    models = load_models([{"names": ["torch.zeros"], "effect": "nothing"}])
    zeros = models.function("torch.zeros")
    assert zeros is not None
    assert zeros.effect is Effect.NOTHING


def test_a_project_has_the_last_word_on_an_alias() -> None:
    name = "torch.utils.data.dataloader.DataLoader"
    changed = load_models([{"names": [name], "effect": "nothing"}]).function(name)
    assert changed is not None
    assert changed.effect is Effect.NOTHING


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"effect": "view"}, "tool.pinlint.models[0]: `names` is missing"),
        ({"names": ["f"]}, "tool.pinlint.models[0]: `effect` is missing"),
        ({"names": [], "effect": "view"}, "tool.pinlint.models[0]: names no function"),
        ({"names": "f", "effect": "view"}, "tool.pinlint.models[0].names: must be a list of strings, not `'f'`"),
        (
            {"names": ["f"], "effect": "allocate", "pin_memory": True},
            "tool.pinlint.models[0]: unknown key `pin_memory` (known keys: owners, names, parameters, effect,",
        ),
        (
            {"names": ["f"], "effect": "view", "layuot": "gap"},
            "tool.pinlint.models[0]: unknown key `layuot`; did you mean `layout`?",
        ),
        (
            {"names": ["f"], "effect": "allocat"},
            "tool.pinlint.models[0].effect: `allocat` is not known; did you mean `allocate`?",
        ),
        (
            {"names": ["f"], "effect": "view", "layout": "zzz"},
            "tool.pinlint.models[0].layout: `zzz` is not known (one of: keep, permute, gap, select)",
        ),
        (
            {"names": ["f"], "effect": "view", "result": "tensors"},
            "tool.pinlint.models[0].result: `tensors` is not known; did you mean `tensor`?",
        ),
        ({"names": ["f"], "effect": 3}, "tool.pinlint.models[0].effect: must be a string, not `3`"),
        (
            {"names": ["f"], "effect": "view", "dtype": True},
            "tool.pinlint.models[0].dtype: must be a string, not `true`",
        ),
        (
            {"names": ["f"], "effect": "view", "several": "yes"},
            "tool.pinlint.models[0].several: must be true or false, not `'yes'`",
        ),
        (
            {"names": ["f"], "effect": "view", "parameters": ["tensor"], "source": "tensr"},
            "tool.pinlint.models[0].source: `tensr` is neither `self` nor one of `parameters`; did you mean `tensor`?",
        ),
        (
            {"names": ["f"], "effect": "allocate", "device_from": "other"},
            "tool.pinlint.models[0].device_from: `other` is neither `self` nor one of `parameters`",
        ),
        (
            {"names": ["f"], "effect": "move"},
            "tool.pinlint.models[0]: `device` is missing: effect `move` needs `host`, `accelerator` or `argument`",
        ),
        (
            {"names": ["f"], "effect": "view", "device": "host"},
            "tool.pinlint.models[0].device: has no meaning for effect `view`, only for `move`, `move-tree`, ",
        ),
        ({"names": ["f", "f"], "effect": "view"}, "tool.pinlint.models[0].names: `f` is described twice"),
    ],
)
def test_a_wrong_table_of_a_project_is_named_with_its_key(table: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError) as error:
        load_models([table])
    assert str(error.value).startswith(message)


def test_the_second_table_is_counted_from_zero() -> None:
    with pytest.raises(ModelError, match=re.escape("tool.pinlint.models[1]: `effect` is missing")):
        load_models([{"names": ["f"], "effect": "view"}, {"names": ["g"]}])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("names = [", "a.toml: not valid TOML: "),
        ("function = []", "a.toml: unknown key `function`; did you mean `functions`?"),
        ("functions = 3", "a.toml: functions: must be an array of tables"),
        ('[[functions]]\nnames = ["f"]', "a.toml: functions[0]: `effect` is missing"),
        ('aliases = "f"', "a.toml: aliases: must be a table of names"),
        ("[aliases]\nf = 1", "a.toml: aliases.f: must be a string, not `1`"),
        ('[aliases]\nf = "g"', "aliases: `f` stands for `g`, which is not described"),
        (
            '[aliases]\nf = "g"\n[[functions]]\nnames = ["f", "g"]\neffect = "view"',
            "aliases: `f` is also described as a function",
        ),
        ("dtypes = [1]", "a.toml: dtypes: must be a list of strings, not `[1]`"),
    ],
)
def test_a_wrong_file_is_named(text: str, message: str) -> None:
    with pytest.raises(ModelError) as error:
        read_models([("a.toml", text)])
    assert str(error.value).startswith(message)


def test_a_name_described_in_two_files_is_refused() -> None:
    table = '[[functions]]\nnames = ["f"]\neffect = "view"\n'
    with pytest.raises(ModelError, match=re.escape("b.toml: functions[0].names: `f` is described twice")):
        read_models([("a.toml", table), ("b.toml", table)])
