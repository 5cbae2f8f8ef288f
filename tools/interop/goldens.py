"""Makes the goldens of the model families with the transformers library, or compares the committed ones with new ones.

    python tools/interop/goldens.py check [NAME ...]      # exit code 1, and a line for each difference
    python tools/interop/goldens.py make [NAME ...]       # writes them again

With transformers 5 (requirements.txt) both do all of it. With transformers 4.51.3 they do what belongs to that version: the configuration
in its form, and that it makes the same model of it.
"""

import json
import pathlib
import platform
import shutil
import sys
import tempfile

import numpy
import safetensors.torch
import torch
import transformers

import compare
import models
from cases import CASES, FORM_4, GREEDY, INPUTS, PROMPT, SEQUENCES, golden


def random_tensors(case, model):
    """Norms and biases too: ones and zeros hide mistakes. NumPy's, which are the same for all versions of PyTorch."""
    random = numpy.random.default_rng(case.seed)
    is_gemma = case.model == "gemma2"
    tensors = {}
    for name, parameter in model.named_parameters():
        drawn = torch.from_numpy(random.standard_normal(tuple(parameter.shape)))
        if name.endswith("norm.weight"):
            # Gemma adds 1. It scales embeddings up, so that layers have to add more before another token than the last one wins.
            is_post = is_gemma and ("post_attention" in name or "post_feedforward" in name)
            drawn = (0.0 if is_gemma else 1.0) + (1.0 if is_post else 0.0) + 0.3 * drawn
        elif name.endswith(".bias"):
            drawn = 0.3 * drawn
        elif "embed_tokens" in name or "lm_head" in name:
            drawn = (0.2 if is_gemma else 0.45) * drawn
        else:
            drawn = 1.3 * drawn / parameter.shape[-1] ** 0.5
        tensors[name] = drawn.to(getattr(torch, case.dtype))
    return tensors


def save(case, folder):
    """The folder as the library itself writes it."""
    config = models.configuration(case)
    model = transformers.AutoModelForCausalLM.from_config(config)
    tensors = random_tensors(case, model)
    model = model.to(getattr(torch, case.dtype))
    model.load_state_dict(tensors, strict=not config.tie_word_embeddings)
    model.save_pretrained(folder, max_shard_size=case.shard)


def expected(case, folder):
    """What the model of a folder computes: the contents of expected.json, gradients, and logits."""
    random = numpy.random.default_rng(case.seed + 1000)
    tokens = random.integers(3, case.sizes["vocab_size"], (SEQUENCES, INPUTS + 1)).tolist()
    model = models.build(transformers.AutoConfig.from_pretrained(folder), models.read(folder))
    loss, logits = models.losses(model, tokens)
    loss.backward()
    gradients = {name: parameter.grad.float().contiguous() for name, parameter in model.named_parameters()}
    prompt = tokens[0][:PROMPT]
    made, lead = models.greedy(model, prompt, GREEDY)
    found = {
        "tokens": tokens, "loss": loss.item(), "prompt": prompt, "greedy": made, "smallest_lead": lead,
        "parameters": sum(parameter.numel() for parameter in model.parameters())}
    return found, gradients, {"logits": logits[0].detach().contiguous()}


def make_5(case, target):
    folder = target / "model"
    save(case, folder)
    found, gradients, logits = expected(case, folder)
    models.write_json(target / "expected.json", found)
    safetensors.torch.save_file(gradients, target / "gradients.safetensors")
    safetensors.torch.save_file(logits, target / "logits.safetensors")


def make_4(case, target):
    """The configuration alone, as published folders have it."""
    config = models.configuration(case)
    config.architectures = [transformers.AutoModelForCausalLM._model_mapping[type(config)].__name__]
    config.torch_dtype = case.dtype
    (target / "model").mkdir(parents=True, exist_ok=True)
    (target / "model" / FORM_4).write_text(config.to_json_string())


def manifest(bundle):
    """Of all goldens of a bundle."""
    return {
        "made_by": "python tools/interop/goldens.py make",
        "versions": {
            "transformers": transformers.__version__, "torch": torch.__version__.split("+")[0], "numpy": numpy.__version__,
            "safetensors": safetensors.__version__, "python": platform.python_version()},
        "files": {
            "defaults.json": "next to this file: for each model_type what fields mean that a config.json leaves out",
            "model": "as save_pretrained writes it; " + FORM_4 + " is its config.json as transformers 4.51.3 writes it",
            "expected.json": "computed in float64 from the stored weights: tokens [B, T + 1], the mean loss over their B * T next tokens, "
            f"the {GREEDY} greedy tokens after the prompt, and the smallest difference between the two largest logits on the way",
            "gradients.safetensors": "of the mean loss by each tensor, computed in float64, rounded to F32",
            "logits.safetensors": "[T, V] of the first sequence, F64"},
        "cases": {case.name: {"model_type": case.model, "seed": case.seed, "dtype": case.dtype, "what": case.what}
                  for case in CASES if case.bundle == bundle}}


def defaults(bundle):
    """What fields mean that a config.json leaves out, for each model_type of a bundle."""
    types = dict.fromkeys(case.model for case in CASES if case.bundle == bundle)
    found = {name: transformers.AutoConfig.for_model(name).to_dict() for name in types}
    for fields in found.values():
        fields.pop("transformers_version")
    # As a file has them: keys of JSON are texts, and some of the library's are numbers.
    return json.loads(json.dumps(found))


def make(cases):
    for case in cases:
        if models.VERSION >= 5:
            kept = case.folder / "model" / FORM_4
            form_4 = kept.read_bytes() if kept.exists() else None
            shutil.rmtree(case.folder, ignore_errors=True)
            make_5(case, case.folder)
            if form_4:
                kept.write_bytes(form_4)
            (golden(case.bundle) / "manifest.json").write_text(json.dumps(manifest(case.bundle), indent=1) + "\n")
            models.write_json(golden(case.bundle) / "defaults.json", defaults(case.bundle))
        else:
            make_4(case, case.folder)
        print("made", case.name)


def check(cases):
    failures = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder)
            if models.VERSION >= 5:
                make_5(case, made)
                found = list(compare.form_5(case.folder, made))
                if json.loads((golden(case.bundle) / "defaults.json").read_text()) != defaults(case.bundle):
                    found.append(f"{case.bundle}: the library has other defaults than defaults.json")
            else:
                make_4(case, made)
                found = list(compare.form_4(case.folder, made))
        for line in found:
            print(f"{case.name}: {line}")
        failures += len(found)
        print(f"{case.name}: {'differs' if found else 'same'}, transformers {transformers.__version__}")
    return failures


def main(command, *names):
    unknown = set(names) - {case.name for case in CASES}
    if unknown or command not in ("make", "check"):
        sys.exit(f"goldens.py: unknown: {', '.join(sorted(unknown)) or command} (make or check, then names of tools/interop/cases.py)")
    cases = [case for case in CASES if (not names or case.name in names) and (models.VERSION >= 5 or case.form_4)]
    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    if command == "make":
        make(cases)
    elif check(cases):
        sys.exit(1)


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["check"]))
