package io.hirundo.dataloader.internal.sampling;

import java.util.Optional;

/** Whether a run can continue in an order, given the one in which its samples were read before. */
final class OrderCheck {
  private OrderCheck() {}

  /**
   * What is wrong and how to mend it; empty where the next samples are those that would have come next.
   *
   * @param own order of the samples that are to be read
   * @param recorded order of those before; empty where the checkpoint is of a version that did not record it
   */
  static Optional<String> conflict(String own, Optional<String> recorded) {
    if (own.equals(PermutedSamples.ORDER)) {
      return permuted(recorded);
    }
    if (recorded.isEmpty() || recorded.get().equals(own)) {
      // Before orders were recorded, there was Megatron's alone.
      return Optional.empty();
    }
    if (recorded.get().equals(PermutedSamples.ORDER)) {
      return Optional.of(
          "data.source.options.order: megatron cannot continue samples that were read in the order permuted; "
              + "add --set data.source.options.order=permuted");
    }
    return recorded
        .filter(OrderCheck::isMegatrons)
        .map(
            _ ->
                "training.steps: Megatron's order depends on the number of samples of the whole run, and with this number (or this blend) "
                    + "other samples would come next; keep training.steps and data.source as they were");
  }

  private static Optional<String> permuted(Optional<String> recorded) {
    if (recorded.isPresent() && !isMegatrons(recorded.get())) {
      return Optional.empty();
    }
    String before =
        recorded.isPresent()
            ? "the samples of this run were read in Megatron's order"
            : "the checkpoint does not record the order of samples, which was Megatron's until orders were recorded";
    return Optional.of(
        "data.source.options.order: permuted cannot continue this run: " + before + "; add --set data.source.options.order=megatron");
  }

  private static boolean isMegatrons(String order) {
    return order.startsWith(PartSamples.ORDER);
  }
}
