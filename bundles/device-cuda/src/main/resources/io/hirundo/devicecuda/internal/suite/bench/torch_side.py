# The PyTorch side of gpu-suite: reads what to time from standard input, a line each, and answers with a line each.
import sys
import time

SECONDS = 0.1
MOST_TURNS = 1000


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


KINDS = {
    "copy": copy,
    "norm-forward": lambda *sizes: norm(*sizes, backward=False),
    "norm-backward": lambda *sizes: norm(*sizes, backward=True),
    "swiglu": swiglu,
    "bf16": bf16,
    "fp8": fp8,
    "attention-forward": lambda *sizes: attention(*sizes, backward=False),
    "attention-backward": lambda *sizes: attention(*sizes, backward=True),
}

say(f"READY torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}")
for line in sys.stdin:
    kind, *sizes = line.split()
    try:
        one, way = KINDS[kind](*map(int, sizes))
        say(f"SECONDS {one} {way}")
    except Exception as failure:
        say(f"NOT {type(failure).__name__} {failure}")
    torch.cuda.empty_cache()
