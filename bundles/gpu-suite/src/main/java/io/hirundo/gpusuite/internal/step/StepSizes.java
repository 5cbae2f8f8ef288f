package io.hirundo.gpusuite.internal.step;

import io.hirundo.gpusuite.internal.model.SyntheticRun;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.strategy.Choice;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Sizes of a decoder and of its step of one sequence.
 *
 * @param architecture the family, by its name
 * @param tokens tokens of the sequence
 * @param hidden hidden channels
 * @param intermediate intermediate channels of the MLP
 */
public record StepSizes(
        String architecture, int vocabulary, int layers, int tokens, int hidden, int intermediate, Heads heads) {
    /** Llama 8B's, with a quarter of its layers, which takes 60 GB with weights, gradients and moments. */
    public static StepSizes large(String architecture) {
        return new StepSizes(architecture, 128_256, 8, 8192, 4096, 14_336, new Heads(32, 8, 128));
    }

    /**
     * For devices other than GPUs, to see the suite without one: milliseconds a step, even in a JVM that has not optimized its kernels
     * yet. Its times say nothing about larger models.
     */
    public static StepSizes small(String architecture) {
        return new StepSizes(architecture, 512, 1, 16, 32, 64, new Heads(2, 1, 16));
    }

    /** A vocabulary so small that embedding and head hardly count. */
    static final int SMALL_VOCABULARY = 256;

    /** Sizes of a step that takes little time and still uses every kernel. */
    public StepSizes probe() {
        return blocksAlone().of(1, tokens / 4);
    }

    /** The same sizes with almost no embedding and head. */
    StepSizes blocksAlone() {
        return new StepSizes(architecture, SMALL_VOCABULARY, layers, tokens, hidden, intermediate, heads);
    }

    /** These sizes, and smaller alternatives in decreasing order of time. */
    List<StepSizes> orLess() {
        return Stream.of(
                        this,
                        of(layers / 2, tokens),
                        of(layers / 4, tokens),
                        of(layers / 4, tokens / 2),
                        of(1, tokens / 4))
                .distinct()
                .toList();
    }

    private StepSizes of(int fewerLayers, int fewerTokens) {
        return new StepSizes(
                architecture, vocabulary, Math.max(1, fewerLayers), fewerTokens, hidden, intermediate, heads);
    }

    /** Elements of the matrices that tokens are multiplied with. */
    private double matrixElements() {
        double block = hidden * (heads.fusedChannels() + heads.outputChannels() + 3.0 * intermediate);
        return layers * block + (double) vocabulary * hidden;
    }

    /** Upper bound of a step's seconds, from those of another step with fewer tokens, as if all work grew quadratically like attention. */
    double secondsAtMost(StepSizes other, double itsSeconds) {
        double longer = (double) tokens / other.tokens;
        return itsSeconds * longer * longer * matrixElements() / other.matrixElements();
    }

    /** The request to {@code torch_side.py}. */
    String request() {
        return String.join(
                " ",
                "step",
                "" + vocabulary,
                "" + layers,
                "" + tokens,
                "" + hidden,
                "" + intermediate,
                "" + heads.query(),
                "" + heads.keyValue());
    }

    /** A training with steps of these sizes. */
    public SyntheticRun run() {
        var options = Map.<String, Object>of(
                "vocabSize", vocabulary,
                "hiddenSize", hidden,
                "intermediateSize", intermediate,
                "numHiddenLayers", layers,
                "numAttentionHeads", heads.query(),
                "numKeyValueHeads", heads.keyValue(),
                "headDim", heads.dim(),
                "maxPositionEmbeddings", tokens);
        return new SyntheticRun(new Choice(architecture, options), 1, tokens);
    }

    /** For example {@code 8 layers, 8192 tokens, vocabulary of 128256}. */
    @Override
    public String toString() {
        return layers + (layers == 1 ? " layer, " : " layers, ") + tokens + " tokens, vocabulary of " + vocabulary;
    }
}
