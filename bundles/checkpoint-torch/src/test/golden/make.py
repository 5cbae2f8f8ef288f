"""Writes the folders beside it as torch.distributed.checkpoint does, and what is in them as plain text.

Run with Debian's python3-torch 1.13.1, in this folder: /usr/bin/python3 make.py

The tensors in the .distcp files are torch.save's own. This build of PyTorch has no torch.distributed.checkpoint; the classes that
.metadata holds are therefore restated here, with the names, modules, fields and pickled states of version 2.7.
"""

import dataclasses
import enum
import io
import pathlib
import pickle
import shutil
import sys
import types
from typing import Any

import torch

V, C, F, L, H, G, D, EPS, THETA = 35, 16, 20, 2, 2, 1, 8, 1e-5, 10000.0
UNIT = 4096
TOKENS = [3, 17, 34, 0, 17, 8]


def module(name):
    made = types.ModuleType(name)
    sys.modules[name] = made
    return made


def declared(owner, cls):
    cls.__module__ = owner.__name__
    cls.__qualname__ = cls.__name__
    setattr(owner, cls.__name__, cls)
    return cls


module("torch.distributed.checkpoint")
METADATA = module("torch.distributed.checkpoint.metadata")
FILESYSTEM = module("torch.distributed.checkpoint.filesystem")
_MEM_FORMAT_ENCODING = declared(
    METADATA,
    enum.Enum("_MEM_FORMAT_ENCODING", {"TORCH_CONTIGUOUS_FORMAT": 0, "TORCH_CHANNELS_LAST": 1, "TORCH_PRESERVE_FORMAT": 2}),
)


def record(owner, name, fields, **more):
    return declared(owner, dataclasses.make_dataclass(name, fields, **more))


ChunkStorageMetadata = record(METADATA, "ChunkStorageMetadata", ["offsets", "sizes"])
TensorProperties = record(METADATA, "TensorProperties", ["dtype"])
TensorProperties.__getstate__ = lambda self: (
    self.dtype, torch.strided, False, _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT, False)
TensorStorageMetadata = record(METADATA, "TensorStorageMetadata", ["properties", "size", "chunks"])
BytesStorageMetadata = record(METADATA, "BytesStorageMetadata", [])
StorageMeta = record(METADATA, "StorageMeta", ["checkpoint_id", "save_id", "load_id", "modules"])
Metadata = record(
    METADATA, "Metadata",
    ["state_dict_metadata", ("planner_data", Any, None), ("storage_data", Any, None), ("storage_meta", Any, None)])
MetadataIndex = record(METADATA, "MetadataIndex", ["fqn", ("offset", Any, None), ("index", Any, None)], frozen=True)
_StorageInfo = record(FILESYSTEM, "_StorageInfo", ["relative_path", "offset", "length", ("transform_descriptors", Any, None)])
_StorageInfo.__getstate__ = lambda self: {name: value for name, value in self.__dict__.items() if value is not None}


class Writer:
    """Two ranks, each with one file."""

    def __init__(self, folder, checkpoint_id):
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.streams = [open(self.folder / f"__{rank}_0.distcp", "wb") for rank in range(2)]
        self.metadata = Metadata({}, {}, {}, StorageMeta(checkpoint_id, "3c2f", None, []))

    def store(self, rank, index, write):
        stream = self.streams[rank]
        offset = stream.tell()
        data = io.BytesIO()
        write(data)
        stream.write(data.getvalue())
        self.metadata.storage_data[index] = _StorageInfo(f"__{rank}_0.distcp", offset, stream.tell() - offset)

    def value(self, name, value):
        """What is no tensor."""
        self.metadata.state_dict_metadata[name] = BytesStorageMetadata()
        self.store(0, MetadataIndex(name), lambda data: torch.save(value, data))

    def tensor(self, name, tensor, rows=1, columns=1):
        """In so many pieces along each dimension, dealt out to the ranks."""
        chunks = []
        pieces = [
            (row, column)
            for row in torch.arange(tensor.shape[0]).chunk(rows)
            for column in (torch.arange(tensor.shape[1]).chunk(columns) if tensor.dim() > 1 else [None])
        ]
        for number, piece in enumerate(pieces):
            index = [int(each[0]) for each in piece if each is not None]
            size = [len(each) for each in piece if each is not None]
            part = tensor
            for dim in range(tensor.dim() if len(pieces) > 1 else 0):
                part = part.narrow(dim, index[dim], size[dim])
            # As the writer's loader: what is not the whole of its storage is copied, what is stays as it lies.
            part = part if part.storage().size() == part.numel() else part.clone()
            chunks.append(ChunkStorageMetadata(torch.Size(index), torch.Size(size)))
            self.store(number % 2, MetadataIndex(name, torch.Size(index), number), lambda data: torch.save(part, data))
        properties = TensorProperties(tensor.dtype)
        self.metadata.state_dict_metadata[name] = TensorStorageMetadata(properties, tensor.size(), chunks)
        self.metadata.planner_data[name] = tuple(name.split(".", 1))

    def close(self, protocol):
        for stream in self.streams:
            stream.close()
        (self.folder / ".metadata").write_bytes(pickle.dumps(self.metadata, protocol))


def published():
    """Names and shapes as the Transformers library has them."""
    yield "model.embed_tokens.weight", (V, C)
    for layer in range(L):
        at = f"model.layers.{layer}."
        yield at + "input_layernorm.weight", (C,)
        yield at + "self_attn.q_proj.weight", (H * D, C)
        yield at + "self_attn.k_proj.weight", (G * D, C)
        yield at + "self_attn.v_proj.weight", (G * D, C)
        yield at + "self_attn.o_proj.weight", (C, H * D)
        yield at + "post_attention_layernorm.weight", (C,)
        yield at + "mlp.gate_proj.weight", (F, C)
        yield at + "mlp.up_proj.weight", (F, C)
        yield at + "mlp.down_proj.weight", (C, F)
    yield "model.norm.weight", (C,)
    yield "lm_head.weight", (V, C)


TITAN = {
    "model.embed_tokens": "tok_embeddings", "model.layers": "layers", "input_layernorm": "attention_norm",
    "self_attn.q_proj": "attention.wq", "self_attn.k_proj": "attention.wk", "self_attn.v_proj": "attention.wv",
    "self_attn.o_proj": "attention.wo", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "feed_forward.w1",
    "mlp.up_proj": "feed_forward.w3", "mlp.down_proj": "feed_forward.w2", "model.norm": "norm", "lm_head": "output",
}


def titan_name(name):
    for ours, theirs in TITAN.items():
        name = name.replace(ours, theirs)
    return name


def titan_rows(name, tensor):
    """Pairs of channels that rotate together, beside each other."""
    if not name.endswith(("q_proj.weight", "k_proj.weight")):
        return tensor
    heads = tensor.view(-1, D, C)
    return torch.stack((heads[:, : D // 2], heads[:, D // 2 :]), 2).reshape(-1, C)


def normed(x, weight):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPS) * weight


def logits(weights):
    """By Meta's definition: pairs of neighbouring channels as complex numbers. With torchtitan's names, in double precision."""
    w = {name: tensor.double() for name, tensor in weights.items()}
    x = w["tok_embeddings.weight"][TOKENS]
    angles = torch.outer(torch.arange(len(TOKENS)).double(), THETA ** (-torch.arange(0, D, 2).double() / D))
    turns = torch.polar(torch.ones_like(angles), angles)[:, None]

    def turned(y):
        return torch.view_as_real(torch.view_as_complex(y.reshape(len(TOKENS), -1, D // 2, 2)) * turns).flatten(2)

    for layer in range(L):
        at = f"layers.{layer}."
        h = normed(x, w[at + "attention_norm.weight"])
        q = turned(h @ w[at + "attention.wq.weight"].T)
        k = turned(h @ w[at + "attention.wk.weight"].T).repeat_interleave(H // G, 1)
        v = (h @ w[at + "attention.wv.weight"].T).view(-1, G, D).repeat_interleave(H // G, 1)
        scores = torch.einsum("qhd,khd->hqk", q, k) / D**0.5
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), float("-inf"))
        x = x + torch.einsum("hqk,khd->qhd", scores.softmax(-1), v).flatten(1) @ w[at + "attention.wo.weight"].T
        h = normed(x, w[at + "ffn_norm.weight"])
        gated = torch.nn.functional.silu(h @ w[at + "feed_forward.w1.weight"].T) * (h @ w[at + "feed_forward.w3.weight"].T)
        x = x + gated @ w[at + "feed_forward.w2.weight"].T
    return normed(x, w["norm.weight"]) @ w["output.weight"].T


def expect(file, weights):
    """Whole numbers of 1/4096, under the names and in the order of rows of the Transformers library."""
    with open(file, "w") as out:
        for name, tensor in weights.items():
            out.write(name + " " + " ".join(str(int(value)) for value in (tensor.double() * UNIT).flatten()) + "\n")


def main():
    torch.manual_seed(5)
    # More bits than bfloat16 has, fewer than binary32.
    weights = {name: torch.randint(-UNIT // 2, UNIT // 2, shape) / UNIT for name, shape in published()}

    titan = Writer("torchtitan", pathlib.Path("outputs/step-10"))
    titan.value("train_state", {"step": 10})
    stored = {titan_name(name): titan_rows(name, tensor) for name, tensor in weights.items()}
    for name, tensor in stored.items():
        pieces = (2, 2) if ".w2." in name or ".wq." in name else (3, 1) if "tok" in name else (2, 1)
        titan.tensor("model." + name, tensor, *pieces)
    titan.tensor("optimizer.state.model.norm.weight.exp_avg", torch.zeros(C), 2)
    titan.tensor("optimizer.state.model.norm.weight.step", torch.tensor([10]))
    titan.close(4)
    expect("torchtitan.txt", weights)
    with open("torchtitan-logits.txt", "w") as out:
        out.writelines(" ".join(repr(float(value)) for value in row) + "\n" for row in logits(stored))

    # What bfloat16 holds too; no negative zeros, which the text does not tell.
    rounded = {name: (tensor * 64).round() / 64 + 0.0 for name, tensor in weights.items()}
    folder = Writer("huggingface", "outputs/step-10")
    for name, tensor in rounded.items():
        if name == "lm_head.weight":
            # Not contiguous, and a parameter.
            folder.tensor(name, torch.nn.Parameter(tensor.bfloat16().t().contiguous().t(), requires_grad=False))
        elif name == "model.norm.weight":
            folder.tensor(name, tensor.double())
        elif name.endswith("input_layernorm.weight"):
            folder.tensor(name, tensor.half())
        elif name.endswith("norm.weight"):
            folder.tensor(name, tensor)
        else:
            folder.tensor(name, tensor.bfloat16(), 1, 4 if "o_proj" in name else 2)
    folder.close(5)
    expect("huggingface.txt", rounded)

    # A folder that is rejected: its metadata without complete data.
    rejected = Writer("rejected", "outputs/step-10")
    rejected.tensor("compressed", torch.ones(16))
    rejected.metadata.storage_data[MetadataIndex("compressed", torch.Size([0]), 0)].transform_descriptors = ["stream.zstd"]
    rejected.tensor("overlapping", torch.ones(16), 4)
    rejected.metadata.state_dict_metadata["overlapping"].chunks[2].offsets = torch.Size([6])
    rejected.tensor("incomplete", torch.ones(16), 4)
    rejected.metadata.state_dict_metadata["incomplete"].chunks.pop()
    rejected.tensor("nowhere", torch.ones(16), 2)
    del rejected.metadata.storage_data[MetadataIndex("nowhere", torch.Size([8]), 1)]
    rejected.tensor("elsewhere", torch.ones(16))
    rejected.metadata.storage_data[MetadataIndex("elsewhere", torch.Size([0]), 0)].relative_path = "absent.distcp"
    rejected.close(4)
    (rejected.folder / "__1_0.distcp").unlink()


main()
