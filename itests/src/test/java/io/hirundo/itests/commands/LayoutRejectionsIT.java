package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Layouts that a model or a batch cannot be split into: every command says so in one line, with the setting and what is
 * allowed, before it opens a device or reads data. {@code examples/synthetic.yaml} has 2 layers, 4 query heads, 2 key/value
 * heads, 160 inner channels, 256 tokens in its vocabulary and 64 in a sequence, and 8 sequences in a batch, 4 at a time.
 * Commands run as the launcher runs them, one after the other in one framework.
 */
class LayoutRejectionsIT {
    private static final Path SYNTHETIC =
            Profiles.distro().resolve("../../../examples/synthetic.yaml").normalize();

    /** The dataset does not exist: a command that opens it fails with another code and line. */
    private static final List<String> NO_DATA = List.of(
            "data.source={name: indexed, options: {blend: [{prefix: no-such-dataset, weight: 1}]}}",
            "run.name=rejected");

    private static final List<Rejection> REJECTIONS = List.of(
            rejection(
                    "query heads",
                    "mesh.tensor is 8, but must divide the 4 elements of query-heads|allowed are 1, 2, 4",
                    "mesh.tensor=8"),
            rejection(
                    "key/value heads",
                    "mesh.tensor is 3, but must divide the 2 elements of kv-heads|k_proj|or be a multiple of them; allowed are 1, 2",
                    "mesh.tensor=3",
                    options(
                            "vocabSize: 255, hiddenSize: 48, intermediateSize: 159, numHiddenLayers: 2, numAttentionHeads: 6,"
                                    + " numKeyValueHeads: 2, maxPositionEmbeddings: 64")),
            rejection(
                    "inner channels",
                    "mesh.tensor is 4, but must divide the 162 elements of inner|gate_proj|allowed are 1, 2, 3, 6",
                    "mesh.tensor=4",
                    "model.architecture.options.intermediateSize=162"),
            rejection(
                    "vocabulary",
                    "mesh.tensor is 2, but must divide the 255 elements of vocabulary|allowed are 1, 3, 5",
                    "mesh.tensor=2",
                    "model.architecture.options.vocabSize=255"),
            rejection(
                    "hidden",
                    "model.architecture|hiddenSize: 60 is wrong (allowed: a multiple of 8 (twice numAttentionHeads)",
                    "model.architecture.options.hiddenSize=60"),
            rejection(
                    "tokens of a rank",
                    "mesh.tensor is 4, but with sequenceParallel it must divide the 62 tokens|allowed are 1, 2, 31, 62|sequenceParallel",
                    "mesh.tensor=4",
                    "training.sequenceTokens=62"),
            rejection(
                    "pieces of a sequence",
                    "training.sequenceTokens: 64|mesh.context 3; allowed: multiples of 6",
                    "mesh.context=3"),
            rejection("layers", "mesh.pipeline: 5 stages|4 blocks|up to 4", "mesh.pipeline=5"),
            rejection(
                    "layers by hand", "mesh.stageLayers: [1, 2]|2 layers", "mesh.pipeline=2", "mesh.stageLayers=[1,2]"),
            rejection(
                    "microbatches",
                    "mesh.schedule: |1 microbatches|at least 2|training.globalBatch 8 over training.microBatch 8",
                    "mesh.pipeline=2",
                    "mesh.schedule=interleaved",
                    "training.microBatch=8"),
            rejection("batch", "training.globalBatch: 8|multiples of 12|mesh.data 3", "mesh.data=3"),
            rejection("order of axes", "mesh.order: [tensor, data]|every axis once", "mesh.order=[tensor,data]"),
            rejection(
                    "too many ranks",
                    "mesh: its axes multiply to 4,000,000 ranks",
                    "mesh.tensor=2000",
                    "mesh.context=2000"),
            rejection(
                    "ranks of an axis",
                    "mesh.tensor: 2000000000 is too large; allowed: a whole number from 1 to",
                    "mesh.tensor=2000000000"),
            rejection(
                    "layers that no model has",
                    "model.architecture.options.numHiddenLayers: 2147483647 is too large; allowed: a whole number from 1 to 4096",
                    "model.architecture.options.numHiddenLayers=2147483647"),
            rejection(
                    "hidden channels",
                    "hiddenSize: 1099511627776 is too large",
                    "model.architecture.options.hiddenSize=1099511627776"),
            rejection(
                    "tokens of a vocabulary",
                    "vocabSize: 4611686018427387904 is too large",
                    "model.architecture.options.vocabSize=4611686018427387904"),
            rejection(
                    "tokens of a sequence",
                    "training.sequenceTokens: 2147483648 is too large",
                    "training.sequenceTokens=2147483648"),
            rejection(
                    "microbatches that no schedule lists", "mesh.schedule: |16,777,216 microbatches through 1 stages",
                    "training.globalBatch=16777216", "training.microBatch=1"),
            rejection(
                    "a rate of 0",
                    "learningRate.options.peak: 0.0 is wrong (allowed: above 0",
                    "learningRate.options.peak=0"),
            rejection(
                    "a decay of 1",
                    "optimizer.options.beta1: 1.0 is wrong (allowed: at least 0 and below 1",
                    "optimizer.options.beta1=1"),
            rejection(
                    "a blend of nothing",
                    "data.source: blend: [] names no dataset",
                    "data.source={name: indexed, options: {blend: []}}"));

    /**
     * @param words of the message
     * @param assignments as after {@code --set}
     */
    private record Rejection(String what, List<String> words, List<String> assignments) {}

    @Test
    void checkRejects() throws Exception {
        rejects("config", "show", "--check");
    }

    @Test
    void planRejects() throws Exception {
        rejects("plan");
    }

    @Test
    void trainRejects() throws Exception {
        rejects("train");
    }

    /** @param words of the message, between bars */
    private static Rejection rejection(String what, String words, String... assignments) {
        return new Rejection(what, List.of(words.split("\\|")), List.of(assignments));
    }

    private static String options(String options) {
        return "model.architecture.options={" + options + "}";
    }

    private static void rejects(String... command) throws Exception {
        Path folder = Files.createTempDirectory("hirundo-rejected");
        for (Rejection rejection : REJECTIONS) {
            var arguments = new ArrayList<>(List.of(command));
            arguments.add(SYNTHETIC.toString());
            for (List<String> settings : List.of(NO_DATA, List.of("run.directory=" + folder), rejection.assignments)) {
                settings.forEach(one -> arguments.addAll(List.of("--set", one)));
            }
            assertRejected(rejection, arguments);
        }
        assertFalse(Files.exists(folder.resolve("rejected")));
        Files.delete(folder);
    }

    private static void assertRejected(Rejection rejection, List<String> arguments) throws Exception {
        Program.Result result = InProcess.command(arguments.toArray(String[]::new));
        int exitCode = result.exitCode();
        String err = result.err();
        String found = rejection.what + ": " + exitCode + ", " + err;
        assertEquals(78, exitCode, found);
        List<String> said =
                err.lines().filter(line -> line.startsWith("hirundo: ")).toList();
        assertEquals(1, said.size(), found);
        rejection.words.forEach(word -> assertTrue(said.getFirst().contains(word), () -> word + " is not in " + found));
        assertFalse(err.contains("\tat "), () -> "a stack trace: " + found);
    }
}
