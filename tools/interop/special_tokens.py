"""Writes small tokenizers, and the ids that the Transformers library gives to texts with names of special tokens: as text, and as tokens.

special_tokens.py [FOLDER]    default: the resources of bundles/tokenizer-hf's tests
"""
import json
import os
import sys
import warnings

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bundles/tokenizer-hf/src/test/resources/special-tokens")
TEXTS = [
    "write <|end|> here", "<|end|>", "<|end|><|end|>", "a <b> <|end|> </b>", "<|pad|>x <|pad|> y", "x<|word|>y <|word|> z", "a  <|left|>  b", "<|low|> <|LOW|>",
    "<s>ab</s>", " <s> ab </s> ", "no names", "<|end", "end|>", "<<|end|>>", "tag<tool>x</tool>", "\n<|end|>\n\n<b>\n", "ツバメ<|end|>", "<unk>a<unk>",
]


def added(i, content, special=True, **more):
    return {"id": i, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": not special, "special": special, **more}


def byte_chars():
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    chars, extra = [], 256
    for b in range(256):
        chars.append(chr(b if b in keep else extra))
        extra += b not in keep
    return chars


def file(added_tokens, model, normalizer, pre_tokenizer, decoder):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens, "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "post_processor": None, "decoder": decoder, "model": model}


def bpe(vocab, merges, **more):
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": False,
            "byte_fallback": False, "ignore_merges": False, "vocab": vocab, "merges": merges, **more}


def of_bytes(normalizer=None):
    """As Llama 3 or Qwen: special tokens after the model's vocabulary, words among them that are not special, all kinds of flags."""
    vocab = {c: i for i, c in enumerate(byte_chars())}
    merges = ["< |", "e n", "en d", "| >", "<| end"]
    for merge in merges:
        vocab[merge.replace(" ", "")] = len(vocab)
    names = [("<|end|>", {}), ("<b>", {"special": False}), ("</b>", {"special": False}), ("<|pad|>", {"lstrip": True, "rstrip": True}),
             ("<|word|>", {"single_word": True}), ("<tool>", {"special": False, "lstrip": True}), ("<|left|>", {"lstrip": True}),
             ("<|low|>", {"normalized": True}), ("<s>", {}), ("</s>", {})]
    tokens = [added(len(vocab) + i, name, **more) for i, (name, more) in enumerate(names)]
    return file(tokens, bpe(vocab, merges), normalizer, {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
                {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True})


def of_pieces():
    """As Llama 2: special tokens in the model's vocabulary, a normalizer that changes every segment, byte fallback."""
    words = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *"▁abdehinorstuwxyz<>/|", "▁a", "he", "re"]
    vocab = {w: i for i, w in enumerate(words)}
    tokens = [added(0, "<unk>"), added(1, "<s>"), added(2, "</s>"), added(len(words), "<|end|>"), added(len(words) + 1, "<b>", special=False)]
    return file(tokens, bpe(vocab, ["▁ a", "h e", "r e"], unk_token="<unk>", fuse_unk=True, byte_fallback=True),
                {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}, None,
                {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
                                                  {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})


def main(folder):
    from transformers import PreTrainedTokenizerFast
    from tokenizers import Tokenizer

    os.makedirs(folder, exist_ok=True)
    warnings.simplefilter("error")
    goldens = []
    for name, tokenizer in [("bytes", of_bytes()), ("lower", of_bytes({"type": "Lowercase"})), ("pieces", of_pieces())]:
        path = os.path.join(folder, name + ".json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(tokenizer, out, ensure_ascii=False)
            out.write("\n")
        text = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_file(path), split_special_tokens=True)
        tokens = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_file(path))
        for each in TEXTS:
            goldens.append({"tokenizer": name + ".json", "text": each, "asText": text.encode(each, add_special_tokens=False),
                            "asTokens": tokens.encode(each, add_special_tokens=False)})
    with open(os.path.join(folder, "goldens.json"), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(golden, ensure_ascii=False) for golden in goldens) + "\n]\n")


main(*sys.argv[1:] or [FOLDER])
