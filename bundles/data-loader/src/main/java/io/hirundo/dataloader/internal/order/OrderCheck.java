package io.hirundo.dataloader.internal.order;

import io.hirundo.lib.input.Excerpt;
import java.util.Map;
import java.util.Optional;

/** Compares the order of samples that a run would read with the order in which it read samples before. */
public final class OrderCheck {
    private static final String OTHER_DATA =
            "; resume with the data of the checkpoint, and change it in mid-run with swap data";

    private OrderCheck() {}

    /**
     * The conflict and its remedy; empty if the next samples are those that would have come next.
     *
     * @param own {@link OrderIdentity} of the samples that are to be read
     * @param recorded that of the samples read before; empty if the checkpoint is of a version that did not record it
     */
    public static Optional<String> conflict(String own, Optional<String> recorded) {
        OrderIdentity wanted = OrderIdentity.parse(own);
        if (recorded.isEmpty()) {
            // Before orders were recorded, there was Megatron's alone.
            return wanted.isPermuted()
                    ? Optional.of(
                            permutedInstead(
                                    "the checkpoint does not record the order of samples, which was Megatron's until orders were recorded"))
                    : Optional.empty();
        }
        OrderIdentity before = OrderIdentity.parse(recorded.get());
        if (wanted.isPermuted() && before.isMegatrons()) {
            return Optional.of(permutedInstead("the samples of this run were read in Megatron's order"));
        }
        if (wanted.isMegatrons() && before.isPermuted()) {
            return Optional.of(
                    "data.source.options.order: megatron cannot continue samples that were read in the order permuted; "
                            + "add --set data.source.options.order=permuted");
        }
        boolean sameKind = (wanted.isPermuted() && before.isPermuted())
                || (wanted.isMegatrons() && before.isMegatrons())
                || wanted.algorithm().equals(before.algorithm());
        return sameKind ? ofProperties(wanted, before).or(() -> ofAlgorithms(wanted, before)) : Optional.empty();
    }

    private static String permutedInstead(String before) {
        return "data.source.options.order: permuted cannot continue this run: " + before
                + "; add --set data.source.options.order=megatron";
    }

    private static Optional<String> ofProperties(OrderIdentity wanted, OrderIdentity before) {
        for (Map.Entry<String, String> property : wanted.properties().entrySet()) {
            String recorded = before.properties().get(property.getKey());
            if (recorded != null && !recorded.equals(property.getValue())) {
                return Optional.of(explain(property.getKey(), Excerpt.of(property.getValue()), Excerpt.of(recorded)));
            }
        }
        return Optional.empty();
    }

    private static String explain(String property, String own, String recorded) {
        return switch (property) {
            case OrderIdentity.SEQUENCE_TOKENS ->
                "training.sequenceTokens: " + own + " cannot continue samples of " + recorded
                        + " tokens; add --set training.sequenceTokens=" + recorded;
            case OrderIdentity.SPLIT ->
                "data.source.options.split: training and validation end at the shares " + own
                        + " of the documents, but at " + recorded
                        + " in the samples of this run; give the split of the checkpoint";
            case OrderIdentity.WEIGHTS ->
                "data.source.options.blend: the weights " + own + " cannot continue a blend of the weights " + recorded
                        + OTHER_DATA;
            case OrderIdentity.READ ->
                "data.source.options.blend: the checkpoint says that " + recorded
                        + " samples of the datasets were read before it, but finds " + own
                        + " of these: a dataset has another path; give it the path that it had, or leave a link there";
            default ->
                "data.source: the datasets have " + own + " tokens for training, but had " + recorded
                        + ": they are others or were made again" + OTHER_DATA;
        };
    }

    private static Optional<String> ofAlgorithms(OrderIdentity wanted, OrderIdentity before) {
        if (wanted.algorithm().equals(before.algorithm())) {
            return Optional.empty();
        }
        return Optional.of(
                wanted.isPermuted()
                        ? "data.source.options.order: this version of Hirundo has the order " + wanted.algorithm()
                                + ", and cannot continue samples that were read in the order "
                                + Excerpt.of(before.algorithm())
                                + "; resume with the version that saved the checkpoint"
                        : "training.steps: Megatron's order depends on the number of samples of the whole run, and with this number "
                                + "other samples would come next; keep training.steps as it was");
    }
}
