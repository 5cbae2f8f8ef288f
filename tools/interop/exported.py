"""What the test of exported folders (InteropIT) needs of Python.

    python tools/interop/exported.py prepare VOCABULARY FOLDER      # writes FOLDER/tokenizer and a dataset FOLDER/tokens.bin and .idx
    python tools/interop/exported.py measure FOLDER SEQUENCE PROMPT COUNT MODEL ...

`measure` loads Hugging Face folders with the transformers library. Of each it prints a line with a JSON object: the mean loss over the
sequences of the dataset, and the greedy text after the prompt, prompt included.
"""

import json
import pathlib
import string
import struct
import sys

import numpy
import tokenizers

SEQUENCES = 8


def prepare(vocabulary, folder):
    """A token is a character, so that texts show tokens one by one."""
    letters = string.ascii_letters + string.digits
    made = tokenizers.Tokenizer(tokenizers.models.BPE({letter: token for token, letter in enumerate(letters[:vocabulary])}, []))
    made.decoder = tokenizers.decoders.Fuse()
    (folder / "tokenizer").mkdir()
    made.save(str(folder / "tokenizer/tokenizer.json"))
    tokens = numpy.random.default_rng(vocabulary).integers(3, vocabulary, 1 + SEQUENCES * 12).astype("<u2")
    tokens.tofile(folder / "tokens.bin")
    # Megatron's index, of one document: version 1, elements of type 8 (uint16).
    (folder / "tokens.idx").write_bytes(
        b"MMIDIDX\x00\x00" + struct.pack("<QBQQ", 1, 8, 1, 2) + struct.pack("<i", len(tokens)) + struct.pack("<q", 0)
        + struct.pack("<qq", 0, 1))


def measure(folder, sequence, prompt, count, model):
    # Here, because they take seconds to load, and `prepare` needs neither.
    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    tokens = torch.from_numpy(numpy.fromfile(folder / "tokens.bin", "<u2").astype("int64"))
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer/tokenizer.json"))
    dtype = {"dtype" if int(transformers.__version__.split(".")[0]) >= 5 else "torch_dtype": torch.float64}
    loaded = transformers.AutoModelForCausalLM.from_pretrained(model, attn_implementation="eager", **dtype)
    begins = range(0, len(tokens) - sequence, sequence)
    with torch.no_grad():
        logits = loaded(torch.stack([tokens[begin : begin + sequence] for begin in begins])).logits
        labels = torch.stack([tokens[begin + 1 : begin + sequence + 1] for begin in begins])
        loss = torch.nn.functional.cross_entropy(logits.double().flatten(0, 1), labels.flatten())
        ids = torch.tensor([tokenizer.encode(prompt).ids])
        made = loaded.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=count, pad_token_id=0)[0].tolist()
    ends = loaded.generation_config.eos_token_id
    if made[-1] in (ends if isinstance(ends, list) else [ends]):
        made.pop()
    return {"loss": loss.item(), "tokens": labels.numel(), "text": tokenizer.decode(made)}


def main(command, *arguments):
    if command == "prepare":
        vocabulary, folder = arguments
        prepare(int(vocabulary), pathlib.Path(folder))
    elif command == "measure":
        folder, sequence, prompt, count, *folders = arguments
        for model in folders:
            print(json.dumps(measure(pathlib.Path(folder), int(sequence), prompt, int(count), model)))
    else:
        sys.exit(f"exported.py: {command} is neither prepare nor measure")


if __name__ == "__main__":
    main(*sys.argv[1:])
