package io.hirundo.lib.fabric;

import io.hirundo.tensor.Tensor;

/** Checks a rank's arguments before other ranks take part. */
final class Arguments {
    private Arguments() {}

    static void requireFloating(Signature signature) {
        if (!signature.dtype().isArithmetic()) {
            throw new IllegalArgumentException(
                    signature + ": dtype is wrong (allowed: floating types of at least 16 bits)");
        }
    }

    static void requireParts(Collective kind, Tensor shard, Tensor whole, int ranks) {
        if (shard.dtype() != whole.dtype() || shard.elements() * ranks != whole.elements()) {
            throw new IllegalArgumentException(kind + " among " + ranks + ": shard " + shard.shape() + " "
                    + shard.dtype() + " is not 1/" + ranks + " of " + whole.shape() + " " + whole.dtype());
        }
    }

    static void requireExchange(Tensor from, Tensor to, int ranks) {
        if (from == to) {
            throw new IllegalArgumentException("all-to-all among " + ranks + ": cannot run in place; pass two tensors");
        }
        if (from.dtype() != to.dtype() || from.elements() != to.elements() || from.elements() % ranks != 0) {
            throw new IllegalArgumentException(
                    "all-to-all among " + ranks + " from " + from.shape() + " " + from.dtype() + " to " + to.shape()
                            + " " + to.dtype() + ": dtypes and sizes must match and be a multiple of " + ranks);
        }
    }

    static void requirePlace(String what, int place, int ranks) {
        if (place < 0 || place >= ranks) {
            throw new IllegalArgumentException(
                    what + " " + place + " is wrong (allowed: 0 to " + (ranks - 1) + " in a group of " + ranks + ")");
        }
    }

    static void requirePeer(int peer, int place, int ranks) {
        requirePlace("peer", peer, ranks);
        if (peer == place) {
            throw new IllegalArgumentException(
                    "peer " + peer + " is this rank itself in a group of " + ranks + "; send to another rank");
        }
    }
}
