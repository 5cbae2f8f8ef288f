package io.hirundo.gpusuite.internal.model;

import io.hirundo.strategy.Choice;
import java.util.Map;

/**
 * Sizes of a decoder with grouped heads and of its step.
 *
 * @param architecture the family, by its name
 * @param hidden hidden channels
 * @param headChannels channels of a head
 * @param intermediate intermediate channels of the MLP
 * @param sequences sequences per step, one microbatch each
 */
public record SmallModel(
        String architecture,
        int vocabulary,
        int hidden,
        int headChannels,
        int intermediate,
        int layers,
        int sequences,
        int sequenceTokens) {
    /** Rows and columns end inside blocks but are multiples of 16, as cuBLASLt requires; a scalar reference runs its step in seconds. */
    public static SmallModel compared(String architecture) {
        return new SmallModel(architecture, 320, 256, 64, 384, 2, 2, 48);
    }

    /** Small enough for a CPU to do a thousand steps in a minute or two. */
    static SmallModel curves(String architecture) {
        return new SmallModel(architecture, 320, 256, 64, 384, 2, 4, 64);
    }

    /** Large enough to occupy a GPU. */
    public static SmallModel trained(String architecture) {
        return new SmallModel(architecture, 1024, 512, 64, 1408, 4, 8, 256);
    }

    /** The same model with smaller or larger heads, and so more or fewer of them. */
    SmallModel withHeads(int channels) {
        return new SmallModel(
                architecture, vocabulary, hidden, channels, intermediate, layers, sequences, sequenceTokens);
    }

    public Map<String, Object> configuration(Choice device, String precision, int steps) {
        return run().configuration(device, precision, steps);
    }

    /** A training of it. */
    public SyntheticRun run() {
        int heads = hidden / headChannels;
        var options = Map.<String, Object>of(
                "vocabSize", vocabulary,
                "hiddenSize", hidden,
                "intermediateSize", intermediate,
                "numHiddenLayers", layers,
                "numAttentionHeads", heads,
                "numKeyValueHeads", heads / 2,
                "headDim", headChannels,
                "maxPositionEmbeddings", sequenceTokens);
        return new SyntheticRun(new Choice(architecture, options), sequences, sequenceTokens);
    }
}
