package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.SampleTexts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unusable input gives one clear line, the documented exit code, and no partial files. All commands run in one framework. */
class RejectionsIT {
    @TempDir
    private static Path shared;

    private static Path synthetic;

    @TempDir
    private Path folder;

    /** A tokenizer and a dataset of it, made once. */
    @BeforeAll
    static void prepare() throws Exception {
        String texts = SampleTexts.write(shared).toString();
        String tokenizer = shared.resolve("tokenizer").toString();
        assertOk(run("data", "train-tokenizer", "--data", texts, "--out", tokenizer, "--vocab", "300"));
        assertOk(run(
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer,
                "--data",
                texts,
                "--out",
                shared.resolve("dataset").toString(),
                "--all"));
        synthetic =
                Profiles.distro().resolve("../../../examples/synthetic.yaml").normalize();
    }

    @Test
    void missingText() throws Exception {
        rejected(65, List.of("no-such-folder"), tokenize("no-such-folder"));
        assertFalse(Files.exists(folder.resolve("out.idx")));
    }

    @Test
    void emptyText() throws Exception {
        Files.writeString(folder.resolve("empty.txt"), "");
        rejected(65, List.of("empty.txt"), tokenize("empty.txt"));
        assertFalse(Files.exists(folder.resolve("out.idx")));
    }

    @Test
    void binaryText() throws Exception {
        Files.write(folder.resolve("picture.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, 0, 1, 2, 0, (byte) 0xff});
        rejected(65, List.of("picture.png"), tokenize("picture.png"));
        assertFalse(Files.exists(folder.resolve("out.idx")));
    }

    @Test
    void truncatedIndex() throws Exception {
        copyDataset(file -> file.toString().endsWith(".idx") ? 1 : 0);
        rejected(
                65,
                List.of("dataset.idx"),
                "data",
                "inspect",
                folder.resolve("dataset").toString());
    }

    @Test
    void tokensShorterThanTheIndexSays() throws Exception {
        copyDataset(file -> file.toString().endsWith(".bin") ? 2 : 0);
        rejected(
                65,
                List.of("dataset.bin"),
                "data",
                "inspect",
                folder.resolve("dataset").toString());
    }

    @Test
    void damagedModel() throws Exception {
        Files.writeString(folder.resolve("config.json"), "{\"model_type\": \"llama\"");
        rejected(
                65,
                List.of("config.json"),
                "eval",
                "--model",
                folder.toString(),
                "--data",
                shared.resolve("dataset").toString());
    }

    @Test
    void unknownStrategy() throws Exception {
        rejected(78, List.of("precision", "fp7", "fp32"), train("precision=fp7"));
        assertFalse(Files.exists(folder.resolve("runs")));
    }

    @Test
    void unknownSettingAndImpossibleValueTogether() throws Exception {
        Program.Result result = run(train("training.stepz=3", "training.microBatch=0"));
        assertEquals(78, result.exitCode(), result::toString);
        assertTrue(result.err().contains("did you mean \"steps\""), result::toString);
        assertTrue(result.err().contains("training.microBatch"), result::toString);
        assertFalse(Files.exists(folder.resolve("runs")));
    }

    @Test
    void sequenceLongerThanTheModelAllows() throws Exception {
        rejected(78, List.of("training.sequenceTokens", "65", "64"), train("training.sequenceTokens=65"));
        assertNoRun();
    }

    @Test
    void vocabularySmallerThanTheTokens() throws Exception {
        rejected(
                65,
                List.of("vocabulary", "100"),
                train(
                        "model.architecture.options.vocabSize=100",
                        "data.source={name: indexed, options: {blend: [{prefix: '" + shared.resolve("dataset")
                                + "', weight: 1}]}}"));
        assertNoRun();
    }

    @Test
    void documentsThatNothingEnds() throws Exception {
        rejected(
                78,
                List.of("documents.endToken: -1", "resetPositions"),
                train("data.source={name: indexed, options: {documents: {resetPositions: true}, blend: [{prefix: '"
                        + shared.resolve("dataset") + "', weight: 1}]}}"));
        assertNoRun();
    }

    @Test
    void nothingToResume() throws Exception {
        rejected(78, List.of("no run in"), "train", synthetic.toString(), "--resume", "--set", runs());
        assertFalse(Files.exists(folder.resolve("runs")));
    }

    @Test
    void quickstartRejectsBeforeItsLongWork() throws Exception {
        quickstartRejects(List.of("training.steps"), "--steps", "0");
        quickstartRejects(
                List.of("mesh.tensor is 4, but must divide the 2 elements of query-heads", "allowed are 1, 2"),
                "--tp",
                "4");
        quickstartRejects(List.of("mesh.schedule", "zb-w", "zb-v"), "--pp", "2", "--schedule", "zb-w");
    }

    private void quickstartRejects(List<String> words, String... options) throws Exception {
        var arguments = new ArrayList<>(List.of(
                "quickstart",
                "--data",
                shared.resolve("texts").toString(),
                "--run-dir",
                folder.resolve("runs").toString()));
        arguments.addAll(List.of(options));
        Program.Result result = run(arguments.toArray(String[]::new));

        assertRejected(78, words, result);
        assertEquals("", result.out());
        assertFalse(
                Files.exists(Path.of(System.getProperty("hirundo.cache"), "quickstart")),
                "a tokenizer was trained for nothing");
    }

    private String[] tokenize(String data) {
        return new String[] {
            "data",
            "tokenize",
            "--tokenizer",
            shared.resolve("tokenizer").toString(),
            "--data",
            folder.resolve(data).toString(),
            "--out",
            folder.resolve("out").toString()
        };
    }

    private String[] train(String... assignments) {
        List<String> arguments = new ArrayList<>(List.of("train", synthetic.toString(), "--set", runs()));
        Arrays.stream(assignments).forEach(assignment -> arguments.addAll(List.of("--set", assignment)));
        return arguments.toArray(String[]::new);
    }

    private void rejected(int exitCode, List<String> words, String... arguments) throws Exception {
        assertRejected(exitCode, words, run(arguments));
    }

    private static void assertRejected(int exitCode, List<String> words, Program.Result result) {
        assertEquals(exitCode, result.exitCode(), result::toString);
        List<String> said = result.err()
                .lines()
                .filter(line -> line.startsWith("hirundo: "))
                .toList();
        assertEquals(1, said.size(), result::toString);
        words.forEach(word -> assertTrue(said.getFirst().contains(word), result::toString));
        assertFalse(result.err().contains("\tat "), "a stack trace: " + result);
    }

    private String runs() {
        return "run.directory=" + folder.resolve("runs");
    }

    private static Program.Result run(String... arguments) throws Exception {
        return InProcess.commandWithin(InProcess.LIMIT, arguments);
    }

    private void assertNoRun() {
        assertFalse(Files.exists(folder.resolve("runs").resolve("synthetic")));
    }

    /** The dataset, the last bytes of its files cut off. */
    private void copyDataset(Cut cut) throws IOException {
        for (String ending : List.of(".bin", ".idx")) {
            Path file = shared.resolve("dataset" + ending);
            byte[] bytes = Files.readAllBytes(file);
            Files.write(folder.resolve("dataset" + ending), Arrays.copyOf(bytes, bytes.length - cut.bytesOf(file)));
        }
    }

    private static void assertOk(Program.Result result) {
        assertEquals(0, result.exitCode(), result::toString);
    }

    private interface Cut {
        int bytesOf(Path file);
    }
}
