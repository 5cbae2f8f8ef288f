package io.hirundo.itests.program;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A training for tests of what surrounds the steps: signals, disks, control. Most of a short training's CPU time is compilation of the
 * vector kernels, so this one has a model of one small layer and reference kernels: with the JVM of {@link Program} about a fifth of the CPU
 * seconds of {@code examples/synthetic.yaml} as it is.
 */
public final class TinyTraining {
    /** Assignments: kernels that need no optimizing compiler. */
    public static final List<String> REFERENCE_KERNELS =
            List.of("device.options.kernels=reference", "device.options.workers=1");

    private static final List<String> SIZES = List.of(
            "training.sequenceTokens=4",
            "training.microBatch=1",
            "training.globalBatch=2",
            "evaluation.samples=2",
            "model.architecture.options.numHiddenLayers=1",
            "model.architecture.options.hiddenSize=16",
            "model.architecture.options.intermediateSize=16",
            "model.architecture.options.numAttentionHeads=1",
            "model.architecture.options.numKeyValueHeads=1");

    private TinyTraining() {}

    /**
     * The arguments of the program.
     *
     * @param vocabulary at least 256; nearly all parameters are its rows, 32 for each token, of 12 bytes each in a checkpoint
     * @param more assignments
     */
    public static List<String> arguments(int vocabulary, List<String> more) {
        var arguments = new ArrayList<>(List.of(
                "train",
                Profiles.distro()
                        .resolve("../../../examples/synthetic.yaml")
                        .normalize()
                        .toString()));
        arguments.addAll(set(REFERENCE_KERNELS));
        arguments.addAll(set(SIZES));
        arguments.addAll(set(List.of("model.architecture.options.vocabSize=" + vocabulary)));
        arguments.addAll(set(more));
        return arguments;
    }

    /** Each assignment after its {@code --set}. */
    public static List<String> set(List<String> assignments) {
        return assignments.stream()
                .flatMap(assignment -> Stream.of("--set", assignment))
                .toList();
    }
}
