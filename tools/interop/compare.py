"""Differences between the committed goldens of a case and those that were made again."""

import json
import shutil

import safetensors.torch
import torch
import transformers

import models
from cases import FORM_4

# Sums may have another order on another machine. Rounding to F32 can then fall to the other side.
CLOSE, ROUNDED_CLOSE, FLOAT32_CLOSE = 1e-10, 1e-7, 1e-6


def form_5(committed, made):
    """With transformers 5, which made all but one file."""
    names = {path.name for folder in (committed, made) for path in (folder / "model").iterdir()} - {FORM_4}
    for name in sorted(names):
        one, other = committed / "model" / name, made / "model" / name
        if not one.exists() or not other.exists():
            yield f"model/{name} is only in one of both"
        elif name.endswith(".json") and described(one) != described(other):
            yield f"model/{name} has another content"
    yield from tensors("model", models.read(committed / "model"), models.read(made / "model"), 0)
    for name, tolerance in (("gradients.safetensors", ROUNDED_CLOSE), ("logits.safetensors", CLOSE)):
        yield from tensors(name, safetensors.torch.load_file(committed / name), safetensors.torch.load_file(made / name), tolerance)
    expected = values(committed)
    yield from fields(expected, values(made))
    plain = transformers.AutoModelForCausalLM.from_pretrained(committed / "model", dtype=torch.float32, attn_implementation="eager")
    yield from loss("the library's own float32", expected, plain, FLOAT32_CLOSE)


def form_4(committed, made):
    """With transformers 4: its configuration, and that the same model is made of it."""
    if described(committed / "model" / FORM_4) != described(made / "model" / FORM_4):
        yield f"model/{FORM_4} has another content"
    folder = made / "published"
    shutil.copytree(committed / "model", folder)
    (folder / FORM_4).replace(folder / "config.json")
    expected = values(committed)
    model = models.build(transformers.AutoConfig.from_pretrained(folder), models.read(folder))
    yield from loss("float64", expected, model, CLOSE)
    plain = transformers.AutoModelForCausalLM.from_pretrained(folder, torch_dtype=torch.float32, attn_implementation="eager")
    yield from loss("the library's own float32", expected, plain, FLOAT32_CLOSE)


def described(file):
    """But for the version that wrote it."""
    content = json.loads(file.read_text())
    content.pop("transformers_version", None)
    return content


def values(folder):
    return json.loads((folder / "expected.json").read_text())


def tensors(where, committed, made, tolerance):
    """Relative, in the Euclidean norm."""
    if committed.keys() != made.keys():
        yield f"{where}: other tensors: {sorted(committed.keys() ^ made.keys())}"
        return
    for name, tensor in committed.items():
        other = made[name]
        if tensor.shape != other.shape or tensor.dtype != other.dtype:
            yield f"{where}: {name} has another shape or type"
        elif not (tensor.double() - other.double()).norm() <= tolerance * tensor.double().norm():
            yield f"{where}: {name} differs by more than {tolerance}"


def fields(committed, made):
    for name in sorted(committed.keys() | made.keys()):
        one, other = committed.get(name), made.get(name)
        if isinstance(one, float) and isinstance(other, float):
            if not abs(one - other) <= CLOSE * abs(one):
                yield f"expected.json: {name} is {one}, now {other}"
        elif one != other:
            yield f"expected.json: {name} is {one}, now {other}"


def loss(what, expected, model, tolerance):
    tokens = torch.tensor(expected["tokens"])
    with torch.no_grad():
        if next(model.parameters()).dtype == torch.float64:
            found = models.losses(model, expected["tokens"])[0].item()
        else:
            logits = model(tokens[:, :-1]).logits.double()
            found = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).item()
    if not abs(found - expected["loss"]) <= tolerance * expected["loss"]:
        yield f"{what} has loss {found}, not {expected['loss']}"
