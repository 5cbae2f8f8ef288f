"""The small random models that the goldens are made of: a name, the bundle that keeps it, and its configuration.

Sizes are odd wherever a layout allows it. Tokens are drawn from 3 on: row `pad_token_id` of an embedding gets no gradient in PyTorch.
"""

import dataclasses
import pathlib

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SEQUENCES, INPUTS = 2, 12
PROMPT, GREEDY = 5, 50
# The name of a second config.json.
FORM_4 = "config.transformers4.json"


@dataclasses.dataclass(frozen=True)
class Case:
    """model: model_type; sizes: fields of config.json that both forms share; rope: rotary settings, named as transformers 5 does."""

    name: str
    bundle: str
    model: str
    seed: int
    what: str
    sizes: dict
    rope: dict
    dtype: str = "float32"
    shard: str = "1GB"
    # Whether there is a config.json in the form of transformers 4.
    form_4: bool = True

    @property
    def folder(self):
        return golden(self.bundle) / self.name


def golden(bundle):
    """Of a bundle, or of a project that an integration test builds as a third party does."""
    parent = REPOSITORY / ("itests/src/test/projects" if bundle == "olmo2" else "bundles")
    return parent / bundle / "src/test/resources/golden"


def sizes(vocab, hidden, inner, layers, heads, shared, head_dim, tied, **more):
    return dict(
        vocab_size=vocab, hidden_size=hidden, intermediate_size=inner, num_hidden_layers=layers, num_attention_heads=heads,
        num_key_value_heads=shared, tie_word_embeddings=tied, max_position_embeddings=128,
        **({} if head_dim is None else {"head_dim": head_dim}), **more)


def rope(theta, **scaling):
    return {"rope_type": "default", "rope_theta": theta, **scaling}


LLAMA_3_1 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64)
# As published, without a window: transformers 4 writes the unused window all the same.
NO_WINDOW = dict(use_sliding_window=False, max_window_layers=2)
IDS = dict(bos_token_id=1, eos_token_id=2)
GEMMA_IDS = dict(pad_token_id=0, eos_token_id=1, bos_token_id=2)

CASES = [
    Case("llama-sharded", "model-llama", "llama", 101, "plain, in several files",
         sizes(62, 24, 38, 2, 4, 2, None, False, rms_norm_eps=1e-5, **IDS), rope(10000.0), shard="20KB"),
    Case("llama-tied", "model-llama", "llama", 102, "tied, three heads without sharing, odd sizes",
         sizes(61, 18, 31, 3, 3, 3, None, True, rms_norm_eps=1e-6, **IDS), rope(500000.0)),
    Case("llama-head-dim-bf16", "model-llama", "llama", 103, "head dimension apart from hidden, one key head, weights in bf16",
         sizes(61, 20, 39, 2, 4, 1, 10, False, rms_norm_eps=1e-5, **IDS), rope(10000.0), dtype="bfloat16"),
    Case("llama-3.1-scaling", "model-llama", "llama", 104, "rotary scaling of Llama 3.1; frequencies in all of its three ranges",
         sizes(62, 24, 36, 2, 2, 1, None, False, rms_norm_eps=1e-5, **IDS), rope(10000.0, **LLAMA_3_1)),
    Case("llama-biases", "model-llama", "llama", 105, "biases in attention and MLP",
         sizes(62, 24, 38, 2, 4, 2, None, False, rms_norm_eps=1e-5, attention_bias=True, mlp_bias=True, **IDS), rope(10000.0)),
    Case("mistral", "model-llama", "mistral", 106, "Mistral without a window, head dimension apart from hidden",
         sizes(62, 20, 36, 2, 4, 2, 6, False, rms_norm_eps=1e-5, sliding_window=None, **IDS), rope(1000000.0)),
    Case("qwen2", "model-qwen", "qwen2", 201, "biases of q, k, v; untied",
         sizes(62, 24, 38, 2, 4, 2, None, False, rms_norm_eps=1e-6, **NO_WINDOW, **IDS), rope(1000000.0)),
    Case("qwen2.5-tied", "model-qwen", "qwen2", 202, "biases of q, k, v; tied; seven query heads to one key head",
         sizes(61, 28, 37, 2, 7, 1, None, True, rms_norm_eps=1e-6, **NO_WINDOW, **IDS), rope(1000000.0)),
    Case("qwen3", "model-qwen", "qwen3", 203, "norms of q and k heads; untied; head dimension apart from hidden",
         sizes(62, 20, 38, 2, 4, 2, 8, False, rms_norm_eps=1e-6, attention_bias=False, **NO_WINDOW, **IDS), rope(1000000.0)),
    Case("qwen3-tied-bf16", "model-qwen", "qwen3", 204, "norms of q and k heads; tied; odd sizes; weights in bf16, in several files",
         sizes(61, 21, 37, 2, 3, 1, 12, True, rms_norm_eps=1e-6, attention_bias=False, **NO_WINDOW, **IDS), rope(1000000.0),
         dtype="bfloat16", shard="9KB"),
    Case("qwen2-window", "model-qwen", "qwen2", 208, "window 5 in layers 1 and 2, none in layer 0",
         sizes(62, 24, 38, 3, 4, 2, None, False, rms_norm_eps=1e-6, use_sliding_window=True, sliding_window=5, max_window_layers=1, **IDS),
         rope(1000000.0), form_4=False),
    Case("qwen3-window", "model-qwen", "qwen3", 212, "window 4 in layer 2; norms of q and k heads; tied; odd sizes",
         sizes(61, 21, 37, 3, 3, 1, 12, True, rms_norm_eps=1e-6, attention_bias=False, use_sliding_window=True, sliding_window=4,
               max_window_layers=2, **IDS), rope(1000000.0), form_4=False),
    Case("gemma2", "model-gemma2", "gemma2", 301, "window 5 in layers 0 and 2, strong soft caps, query scale apart from head dimension",
         sizes(62, 20, 30, 4, 4, 2, 8, True, rms_norm_eps=1e-6, query_pre_attn_scalar=11, sliding_window=5, attn_logit_softcapping=1.5,
               final_logit_softcapping=2.0, hidden_activation="gelu_pytorch_tanh", **GEMMA_IDS), rope(10000.0)),
    Case("gemma2-bf16", "model-gemma2", "gemma2", 302, "odd sizes, window 4, soft caps as published, weights in bf16",
         sizes(61, 21, 37, 3, 3, 1, 8, True, rms_norm_eps=1e-6, query_pre_attn_scalar=8, sliding_window=4, attn_logit_softcapping=50.0,
               final_logit_softcapping=30.0, hidden_activation="gelu_pytorch_tanh", **GEMMA_IDS), rope(10000.0), dtype="bfloat16"),
    Case("olmo2", "olmo2", "olmo2", 301, "norms of all queries and all keys; queries share keys, odd vocabulary",
         sizes(61, 24, 40, 3, 6, 2, None, False, rms_norm_eps=1e-5, **IDS), rope(10000.0), form_4=False),
    Case("olmo2-tied-bf16", "olmo2", "olmo2", 302, "tied, three heads without sharing",
         sizes(63, 18, 31, 2, 3, 3, None, True, rms_norm_eps=1e-6, **IDS), rope(500000.0), dtype="bfloat16", form_4=False),
]
