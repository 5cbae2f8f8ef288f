# The PyTorch side of gpu-suite: reads what to time from standard input, a line each, and answers with a line each.
import functools
import gc
import sys
import time

# The architecture of step(), by its name in a configuration; the suite reads it here.
ARCHITECTURE = "llama"
SECONDS = 0.1
MOST_TURNS = 1000
STEPS = 3


def say(text):
    print(" ".join(str(text).split()), flush=True)


try:
    import torch
    import torch.nn.functional as functional
except Exception as failure:
    say(f"NONE {type(failure).__name__} {failure}")
    sys.exit()
if not torch.cuda.is_available():
    say(f"NONE torch {torch.__version__} sees no GPU")
    sys.exit()


def turns(turn, count):
    begin = time.perf_counter()
    for _ in range(count):
        turn()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


# As on the other side: one turn that does not count, then turns enough that launches do not matter.
def seconds(turn):
    turns(turn, 1)
    one = turns(turn, 1)
    count = max(1, min(MOST_TURNS, int(SECONDS / one)))
    return one if count == 1 else turns(turn, count) / count


def normal(*dims, dtype=torch.bfloat16, gradient=False):
    return torch.randn(*dims, device="cuda").to(dtype).requires_grad_(gradient)


def bf16(m, n, k):
    a, b = normal(m, k), normal(n, k)
    c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    return seconds(lambda: torch.mm(a, b.t(), out=c)), "torch.mm"


# Scales of 1x128 blocks lie column by column, those of 128x128 blocks row by row of the transposed matrix.
def fp8(m, n, k):
    a, b = normal(m, k, dtype=torch.float8_e4m3fn), normal(n, k, dtype=torch.float8_e4m3fn)
    of_a = torch.ones(k // 128, m, device="cuda").t()
    of_b = torch.ones(n // 128, k // 128, device="cuda").t()
    return seconds(lambda: torch._scaled_mm(a, b.t(), of_a, of_b, out_dtype=torch.bfloat16)), "torch._scaled_mm"


# The first of the ways that this PyTorch has.
def first_possible(*ways):
    reasons = []
    for way, turn in ways:
        try:
            return seconds(turn), way
        except Exception as failure:
            reasons.append(f"{way}: {failure}")
    raise RuntimeError("; ".join(reasons))


# Gradients of weights, accumulated in FP32: m and n of the weight, k tokens.
def bf16_weights(m, n, k):
    a, b, c = normal(k, m), normal(k, n), torch.zeros(m, n, device="cuda")
    return first_possible(
        ("torch.addmm to FP32", lambda: torch.addmm(c, a.t(), b, out_dtype=torch.float32, out=c)),
        ("torch.mm in BF16, added", lambda: c.add_(torch.mm(a.t(), b))),
    )


def fp8_weights(m, n, k):
    a, b = normal(m, k, dtype=torch.float8_e4m3fn), normal(n, k, dtype=torch.float8_e4m3fn)
    of_a, of_b = torch.ones(k // 128, m, device="cuda").t(), torch.ones(k // 128, n, device="cuda")
    c = torch.zeros(m, n, device="cuda")
    return first_possible(
        ("torch._scaled_mm to FP32, added", lambda: c.add_(torch._scaled_mm(a, b.t(), of_a, of_b, out_dtype=torch.float32))),
        ("torch._scaled_mm to BF16, added", lambda: c.add_(torch._scaled_mm(a, b.t(), of_a, of_b, out_dtype=torch.bfloat16))),
    )


# The fastest of the ways that this PyTorch has.
def attention(heads, groups, tokens, dim, backward):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    found, reasons = [], []
    for backend in (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION):
        try:
            query = normal(1, heads, tokens, dim, gradient=backward)
            key = normal(1, groups, tokens, dim, gradient=backward)
            value = normal(1, groups, tokens, dim, gradient=backward)
            with sdpa_kernel(backend):
                def forward():
                    return functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)

                if backward:
                    output = forward()
                    gradient = torch.randn_like(output)
                    turn = lambda: torch.autograd.grad(output, (query, key, value), gradient, retain_graph=True)
                else:
                    turn = forward
                found.append((seconds(turn), backend.name))
        except Exception as failure:
            reasons.append(f"{backend.name}: {failure}")
    if not found:
        raise RuntimeError("; ".join(reasons))
    return min(found)


# Compiled, as whoever wants to be fast has it; a step by step norm reads and writes several times as much.
def norm(tokens, channels, backward):
    x, weight = normal(tokens, channels, gradient=backward), normal(channels, gradient=backward)
    compiled = torch.compile(lambda x, weight: functional.rms_norm(x, (channels,), weight, 1e-5))
    if not backward:
        return seconds(lambda: compiled(x, weight)), "torch.compile"
    # From 2.6 on a compiled backward may use up what was saved for it, and cannot be run again.
    import torch._functorch.config as compilation

    if hasattr(compilation, "donated_buffer"):
        compilation.donated_buffer = False
    y = compiled(x, weight)
    dy = torch.randn_like(y)
    return seconds(lambda: torch.autograd.grad(y, (x, weight), dy, retain_graph=True)), "torch.compile"


def swiglu(tokens, channels):
    gate_up = normal(tokens, 2 * channels)
    compiled = torch.compile(lambda both: functional.silu(both[:, :channels]) * both[:, channels:])
    return seconds(lambda: compiled(gate_up)), "torch.compile"


def copy(elements):
    source = normal(elements)
    target = torch.empty_like(source)
    return seconds(lambda: target.copy_(source)), "copy_"


def rotate(x, cosine, sine):
    left, right = x.chunk(2, dim=-1)
    return torch.cat((left * cosine - right * sine, right * cosine + left * sine), dim=-1)


# A matrix or vector of FP32, as the optimizer has it, is used in the type of x: what autocast does, without asking.
def linear(x, matrix):
    return functional.linear(x, matrix.to(x.dtype))


def normed(x, weight):
    return functional.rms_norm(x, weight.shape, weight.to(x.dtype), 1e-5)


# x is [tokens, channels].
def block(x, norm_in, qkv, out, norm_mlp, gate_up, down, cosine, sine, heads, groups):
    tokens, dim = x.shape[0], x.shape[1] // heads
    all_heads = linear(normed(x, norm_in), qkv).view(1, tokens, heads + 2 * groups, dim).transpose(1, 2)
    query, key, value = all_heads.split((heads, groups, groups), dim=1)
    query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
    attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    x = x + linear(attended.transpose(1, 2).reshape(tokens, heads * dim), out)
    gate, up = linear(normed(x, norm_mlp), gate_up).chunk(2, dim=-1)
    return x + linear(functional.silu(gate) * up, down)


def head(x, norm_out, matrix, labels):
    return functional.cross_entropy(linear(normed(x, norm_out), matrix).float(), labels)


# Once: what is compiled is kept for the next of the same shapes.
@functools.cache
def compiled(function):
    return torch.compile(function, dynamic=False)


@functools.cache
def fastest_attention(*sizes):
    return attention(*sizes, backward=True)[1]


# A training step of a Llama: forward, backward, gradients clipped by their norm, AdamW. Weights, gradients and moments are FP32,
# products and activations BF16. Blocks and head are compiled, the fused optimizer is PyTorch's own.
def step(vocabulary, layers, tokens, channels, inner, heads, groups):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    dim = channels // heads
    backend = fastest_attention(heads, groups, tokens, dim)
    parameters = []

    def matrix(rows, columns):
        parameters.append(torch.randn(rows, columns, device="cuda").mul_(0.02).requires_grad_())
        return parameters[-1]

    def ones():
        parameters.append(torch.ones(channels, device="cuda", requires_grad=True))
        return parameters[-1]

    embedding = matrix(vocabulary, channels)
    stack = [
        (ones(), matrix((heads + 2 * groups) * dim, channels), matrix(channels, channels),
         ones(), matrix(2 * inner, channels), matrix(channels, inner))
        for _ in range(layers)
    ]
    norm_out, projection = ones(), matrix(vocabulary, channels)
    angles = torch.outer(torch.arange(tokens), 10000.0 ** (-torch.arange(0, dim, 2) / dim))
    cosine, sine = (table.to(device="cuda", dtype=torch.bfloat16) for table in (angles.cos(), angles.sin()))
    samples = torch.randint(vocabulary, (tokens + 1,), device="cuda")
    optimizer = torch.optim.AdamW(parameters, lr=1e-4, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1, fused=True)

    def turn():
        x = functional.embedding(samples[:-1], embedding).to(torch.bfloat16)
        for weights in stack:
            x = compiled(block)(x, *weights, cosine, sine, heads, groups)
        compiled(head)(x, norm_out, projection, samples[1:]).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    with sdpa_kernel(getattr(SDPBackend, backend)):
        turns(turn, 2)
        return turns(turn, STEPS) / STEPS, f"torch.compile, FP32 weights used in BF16, {backend}, fused AdamW"


KINDS = {
    "copy": copy,
    "norm-forward": lambda *sizes: norm(*sizes, backward=False),
    "norm-backward": lambda *sizes: norm(*sizes, backward=True),
    "swiglu": swiglu,
    "step": step,
    "bf16": bf16,
    "fp8": fp8,
    "bf16-weights": bf16_weights,
    "fp8-weights": fp8_weights,
    "attention-forward": lambda *sizes: attention(*sizes, backward=False),
    "attention-backward": lambda *sizes: attention(*sizes, backward=True),
}

say(f"READY torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}")
for line in sys.stdin:
    kind, *sizes = line.split()
    try:
        one, way = KINDS[kind](*map(int, sizes))
        answer = f"SECONDS {one} {way}"
    except Exception as failure:
        answer = f"NOT {type(failure).__name__} {failure}"
    # Whoever hears the answer has the memory for itself.
    gc.collect()
    torch.cuda.empty_cache()
    say(answer)
