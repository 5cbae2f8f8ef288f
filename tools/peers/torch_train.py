"""PyTorch as its users run it, at the sizes of llama-a.yaml, llama-b.yaml and llama-3.2-1b-16gb.yaml: bf16 is autocast with FP32 parameters,
except that 1b has BF16 parameters, gradients and moments, so that it fits the same machine. Attention and AdamW are the fused ones. Prints a
RESULT line for benchmarks/versus; with --profile, time by operator of a step as lines KERNEL."""
import argparse
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SIZES = {
    "a": dict(hidden=288, layers=6, heads=6, kv_heads=6, inner=768, vocabulary=4096, tokens=256, sequences=8),
    "b": dict(hidden=512, layers=8, heads=8, kv_heads=2, inner=1408, vocabulary=32000, tokens=512, sequences=2),
    "1b": dict(
        hidden=2048, layers=16, heads=32, kv_heads=8, inner=8192, vocabulary=128256, tokens=512, sequences=1, tied=True, pure=True
    ),
    "smoke": dict(hidden=64, layers=1, heads=2, kv_heads=2, inner=96, vocabulary=128, tokens=32, sequences=1),
}
THETA, EPSILON = 500000.0, 1e-5


def rotary_tables(tokens, dim):
    frequencies = 1 / THETA ** (torch.arange(0, dim, 2).double() / dim)
    angles = torch.outer(torch.arange(tokens).double(), frequencies).repeat(1, 2)
    return angles.cos().to(torch.get_default_dtype()), angles.sin().to(torch.get_default_dtype())


def rotate(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def linear(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False)


class Block(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        hidden, inner = sizes["hidden"], sizes["inner"]
        self.heads, self.kv_heads = sizes["heads"], sizes["kv_heads"]
        self.dim = hidden // self.heads
        self.q, self.o = linear(hidden, hidden), linear(hidden, hidden)
        self.k, self.v = linear(hidden, self.kv_heads * self.dim), linear(hidden, self.kv_heads * self.dim)
        self.gate, self.up, self.down = linear(hidden, inner), linear(hidden, inner), linear(inner, hidden)
        self.norm1, self.norm2 = nn.RMSNorm(hidden, eps=EPSILON), nn.RMSNorm(hidden, eps=EPSILON)

    def split(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, self.dim).transpose(1, 2)

    def forward(self, x, cos, sin):
        y = self.norm1(x)
        q = rotate(self.split(self.q(y), self.heads), cos, sin)
        k = rotate(self.split(self.k(y), self.kv_heads), cos, sin)
        v = self.split(self.v(y), self.kv_heads)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.heads != self.kv_heads)
        x = x + self.o(attended.transpose(1, 2).reshape(x.shape))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.embedding = nn.Embedding(sizes["vocabulary"], sizes["hidden"])
        self.blocks = nn.ModuleList(Block(sizes) for _ in range(sizes["layers"]))
        self.norm = nn.RMSNorm(sizes["hidden"], eps=EPSILON)
        self.head = linear(sizes["hidden"], sizes["vocabulary"])
        if sizes.get("tied"):
            self.head.weight = self.embedding.weight
        cos, sin = rotary_tables(sizes["tokens"], sizes["hidden"] // sizes["heads"])
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens, labels):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1).float(), labels.flatten())


def trainer(sizes, compiled, bf16):
    """A function that trains one step and returns the loss."""
    torch.set_default_dtype(torch.bfloat16 if sizes.get("pure") else torch.float32)
    model = Llama(sizes)
    forward = torch.compile(model) if compiled else model
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [dict(params=matrices, weight_decay=0.1), dict(params=vectors, weight_decay=0.0)]
    adam = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.95), fused=True)

    def step(batch):
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16 and not sizes.get("pure")):
            loss = forward(batch[:, :-1].contiguous(), batch[:, 1:].contiguous())
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=True)
        return loss.item()

    return step


def profile(step, batch, steps):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        for _ in range(steps):
            step(batch)
    for event in sorted(profiler.key_averages(), key=lambda event: -event.self_cpu_time_total):
        milliseconds = event.self_cpu_time_total / 1e3 / steps
        if milliseconds > 0.01:
            print(f"KERNEL {event.key.replace(' ', '_')} {milliseconds:.2f} ms {event.count // steps} calls")


def peak_kilobytes():
    with open("/proc/self/status") as status:
        return next(line.split()[1] for line in status if line.startswith("VmHWM"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", choices=SIZES)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    sizes = SIZES[arguments.sizes]
    if sizes.get("pure") and not arguments.bf16:
        parser.error(f"{arguments.sizes}: has BF16 parameters only; add --bf16")
    step = trainer(sizes, arguments.compile, arguments.bf16)
    batches = [torch.randint(0, sizes["vocabulary"], (sizes["sequences"], sizes["tokens"] + 1)) for _ in range(arguments.steps)]
    seconds = []
    for batch in batches:
        began = time.perf_counter()
        step(batch)
        seconds.append(time.perf_counter() - began)
    kept = seconds[arguments.steps // 3:]
    if arguments.profile:
        profile(step, batches[0], 5)
    median = statistics.median(kept)
    rate = sizes["sequences"] * sizes["tokens"] / median
    print(f"RESULT torch {torch.__version__}: median {median * 1e3:.1f} ms = {rate:.1f} tok/s; VmHWM: {peak_kilobytes()} kB")


main()
