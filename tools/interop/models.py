"""Models of the transformers library, version 5 or 4, computed in float64 throughout."""

import json

import safetensors.torch
import torch
import transformers
from torch.overrides import TorchFunctionMode

VERSION = int(transformers.__version__.split(".")[0])


class Float64(TorchFunctionMode):
    """Makes float64 of what the library rounds to float32: norms, softmax, rotary angles.

    It asks for float32 by name (`.float()`, `.to(torch.float32)`, `softmax(dtype=torch.float32)`), for models in 16 bits. A model in
    float64 loses half of its digits by that.
    """

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.Tensor.float:
            function = torch.Tensor.double
        widened = {name: self.wide(value) for name, value in (kwargs or {}).items()}
        return function(*[self.wide(value) for value in args], **widened)

    @staticmethod
    def wide(value):
        return torch.float64 if value is torch.float32 else value


def configuration(case):
    """In the form of the installed version."""
    kind = transformers.AutoConfig.for_model(case.model).__class__
    if VERSION >= 5:
        return kind(**case.sizes, rope_parameters=dict(case.rope))
    scaling = {name: value for name, value in case.rope.items() if name != "rope_theta"}
    return kind(
        **case.sizes, rope_theta=case.rope["rope_theta"], rope_scaling=None if scaling["rope_type"] == "default" else scaling)


def build(config, tensors):
    """A model in float64 with these tensors, by name. Eager attention: others skip Gemma's soft cap, or round."""
    # The type has to be said: by that of the configuration, Gemma's embedding scale would be rounded to bf16 first.
    dtype = {"dtype" if VERSION >= 5 else "torch_dtype": torch.float64}
    with Float64():
        model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager", **dtype)
    rounded = [name for name, tensor in (*model.named_parameters(), *model.named_buffers()) if tensor.dtype != torch.float64]
    assert not rounded, rounded
    model.config.use_cache = False
    wide = {name: tensor.double() for name, tensor in tensors.items()}
    missing, unexpected = model.load_state_dict(wide, strict=False)
    tied = ["lm_head.weight"] if config.tie_word_embeddings else []
    assert missing == tied and not unexpected, (missing, unexpected)
    model.tie_weights()
    return model.eval()


def read(folder):
    """All tensors of a Hugging Face folder, by name."""
    tensors = {}
    for file in sorted(folder.glob("*.safetensors")):
        tensors.update(safetensors.torch.load_file(file))
    return tensors


def losses(model, tokens):
    """The mean over all next tokens, and logits [B, T, V]. Not the library's own loss, which rounds logits to float32."""
    tokens = torch.tensor(tokens)
    with Float64():
        logits = model(tokens[:, :-1]).logits
    assert logits.dtype == torch.float64
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()), logits


def greedy(model, prompt, count):
    """Tokens that follow the prompt, by the library's `generate` with its cache, and the smallest lead of a winner over the next."""
    model.generation_config.eos_token_id = None
    with Float64(), torch.no_grad():
        made = model.generate(
            torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), do_sample=False, max_new_tokens=count,
            use_cache=True, pad_token_id=0)[0].tolist()
        assert len(made) == len(prompt) + count, len(made)
        # Without the cache: the same tokens.
        best = model(torch.tensor([made[:-1]])).logits[0, len(prompt) - 1 :].topk(2)
    assert best.indices[:, 0].tolist() == made[len(prompt) :]
    return made[len(prompt) :], float((best.values[:, 0] - best.values[:, 1]).min())


def write_json(file, value):
    """A line for each field."""
    file.write_text("{\n" + ",\n".join(f' "{name}": {json.dumps(field)}' for name, field in value.items()) + "\n}\n")
