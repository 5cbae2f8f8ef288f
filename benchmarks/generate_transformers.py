"""The other side of generate-versus: ROUNDS of 200 greedy tokens by random weights, or MODEL PROMPT for a text."""
import resource
import sys
import time

import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

TOKENS = 200


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def generate(model, tokens):
    with torch.no_grad():
        return model.generate(tokens, max_new_tokens=TOKENS, do_sample=False, use_cache=True)


def text(folder, prompt):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokens = tokenizer(prompt, return_tensors="pt").input_ids
    made = generate(model, tokens)[0, tokens.shape[1]:]
    print(prompt + tokenizer.decode(made, skip_special_tokens=True))


def speed(rounds):
    torch.manual_seed(1)
    sizes = LlamaConfig(
        vocab_size=8192, hidden_size=128, intermediate_size=384, num_hidden_layers=4, num_attention_heads=2, num_key_value_heads=2,
        max_position_embeddings=256, tie_word_embeddings=True, bos_token_id=None, eos_token_id=None, pad_token_id=0)
    model = LlamaForCausalLM(sizes).eval()
    for number in range(1, rounds + 1):
        cpu, began = cpu_seconds(), time.perf_counter()
        generate(model, torch.tensor([[1, 2, 3]]))
        seconds = time.perf_counter() - began
        print(f"RESULT round {number}: {TOKENS} tokens in {seconds:.2f} s = {TOKENS / seconds:.0f} tok/s; {cpu_seconds() - cpu:.2f} s of CPU time")


if len(sys.argv) > 2:
    text(sys.argv[1], sys.argv[2])
else:
    speed(int(sys.argv[1]))
