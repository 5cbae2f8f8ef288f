"""Counts the parameters of the published models of published-models.json with the transformers library, on the meta device.

    python tools/interop/sizes.py check      # exit code 1, and a line for each difference
    python tools/interop/sizes.py make       # writes `tensors` and `listing` again; `parameters` stay as published
"""

import hashlib
import json
import sys

import torch
import transformers

from cases import REPOSITORY

FILES = [REPOSITORY / "bundles" / name / "src/test/resources/published-models.json" for name in ("model-llama", "model-qwen", "model-gemma2")]


def counted(config):
    """Parameters, stored tensors, and the SHA-256 of a line `name [d0, d1]` for each stored tensor, in the order of the names."""
    kind = type(transformers.AutoConfig.for_model(config["model_type"]))
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(kind.from_dict(config), attn_implementation="eager")
    # A tied output projection is the same object as the embedding, and named once.
    shapes = {name: list(parameter.shape) for name, parameter in model.named_parameters()}
    listing = "".join(f"{name} {shapes[name]}\n" for name in sorted(shapes))
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()), "tensors": len(shapes),
        "listing": hashlib.sha256(listing.encode()).hexdigest()}


def text(models):
    """A line for each model's configuration."""
    return "[\n" + ",\n".join(" " + json.dumps(model) for model in models) + "\n]\n"


def main(command):
    if command not in ("make", "check"):
        sys.exit(f"sizes.py: {command} is neither make nor check")
    differences = 0
    for file in FILES:
        published = json.loads(file.read_text())
        for model in published:
            found = counted(model["config"])
            if command == "make":
                model.update({name: found[name] for name in ("tensors", "listing")})
            for name, value in found.items():
                if model[name] != value:
                    differences += 1
                    print(f"{model['name']}: {name} is {model[name]}, transformers {transformers.__version__} has {value}")
        if command == "make":
            file.write_text(text(published))
        print(f"{file.relative_to(REPOSITORY)}: {len(published)} models")
    if differences:
        sys.exit(1)


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["check"]))
