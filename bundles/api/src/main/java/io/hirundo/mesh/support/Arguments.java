package io.hirundo.mesh.support;

import io.hirundo.tensor.Tensor;

/** Checks of what a rank asks for, before others hear of it. */
final class Arguments {
  private Arguments() {}

  static void requireFloating(Signature signature) {
    if (!signature.dtype().isArithmetic()) {
      throw new IllegalArgumentException(signature + ": only floating types of 16 bits and more are reduced");
    }
  }

  static void requireParts(Collective kind, Tensor shard, Tensor whole, int ranks) {
    if (shard.dtype() != whole.dtype() || shard.elements() * ranks != whole.elements()) {
      throw new IllegalArgumentException(
          kind + " among " + ranks + ": a shard " + shard.shape() + " " + shard.dtype() + " is not one of " + ranks
              + " parts of " + whole.shape() + " " + whole.dtype());
    }
  }

  static void requireExchange(Tensor from, Tensor to, int ranks) {
    if (from == to) {
      throw new IllegalArgumentException("all-to-all among " + ranks + " is not done in place");
    }
    if (from.dtype() != to.dtype() || from.elements() != to.elements() || from.elements() % ranks != 0) {
      throw new IllegalArgumentException(
          "all-to-all among " + ranks + " from " + from.shape() + " " + from.dtype() + " to " + to.shape() + " " + to.dtype()
              + ": both need the same elements, a multiple of " + ranks);
    }
  }

  static void requirePlace(String what, int place, int ranks) {
    if (place < 0 || place >= ranks) {
      throw new IllegalArgumentException(what + " " + place + " is not a place in a group of " + ranks);
    }
  }

  static void requirePeer(int peer, int place, int ranks) {
    requirePlace("peer", peer, ranks);
    if (peer == place) {
      throw new IllegalArgumentException("place " + place + " of a group of " + ranks + " has no messages for itself");
    }
  }
}
