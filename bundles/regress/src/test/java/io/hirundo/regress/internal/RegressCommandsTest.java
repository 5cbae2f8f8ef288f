package io.hirundo.regress.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.train.Trainer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Records and checks a set, with faults in between. */
class RegressCommandsTest {
    private static final String FAULTY = "model.layers.0.self_attn.o_proj.weight";

    private static final String CONFIGURATION = """
      schemaVersion: 1
      run: {name: tiny}
      model:
        architecture:
          name: llama
          options: {vocabSize: 64, hiddenSize: 32, intermediateSize: 48, numHiddenLayers: 2, numAttentionHeads: 4,
            numKeyValueHeads: 2, maxPositionEmbeddings: 16}
        format: null
        export: false
      training: {steps: 2, sequenceTokens: 16, microBatch: 4, globalBatch: 4}
      learningRate: {name: constant, options: {peak: 1.0e-3, warmupSteps: 0}}
      data: {source: {name: synthetic, options: {vocabulary: 64}}}
      fingerprints: {steps: [1, 2]}
      checkpoint: {strategy: null, atEnd: false}
      monitors: []
      """;

    private static final String SET = """
      schemaVersion: 1
      cases:
        - {name: one, configuration: tiny.yaml, set: [precision=PRECISION]}
        - {name: two, configuration: tiny.yaml, set: [precision=PRECISION, mesh.pipeline=2, mesh.schedule=1f1b], comparedWith: one}
      """;

    /** The golden file of the FP32 set; null before the first test that needs it. */
    private static String recording;

    @TempDir
    private Path folder;

    private boolean interrupted;
    private String said = "";

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("tiny.yaml"), CONFIGURATION);
        writeSet("fp32");
    }

    private void writeSet(String precision) throws IOException {
        Files.writeString(folder.resolve("set.yaml"), SET.replace("PRECISION", precision));
    }

    /** Writes the golden file of the FP32 set. The first caller records it, which takes longer than most of these tests; later ones get a copy. */
    private void writeRecording() throws IOException {
        if (recording == null) {
            Files.deleteIfExists(golden());
            assertEquals(ExitCode.OK, record(RealTrainer.with()), this::told);
            recording = Files.readString(golden());
        }
        Files.writeString(golden(), recording);
    }

    @Test
    void reproducesTheRecordingBitwise() throws IOException {
        writeRecording();

        assertEquals(ExitCode.OK, check(RealTrainer.with()), this::told);
        assertTrue(said.contains("2 cases are bitwise the same"), this::told);
        assertEquals(ExitCode.OK, check(RealTrainer.with(), "--case", "one"), this::told);
        assertFalse(said.contains("two"), this::told);
    }

    /** In every precision, and also on another processor, because it is beyond the noise. */
    @ParameterizedTest
    @ValueSource(strings = {"fp32", "bf16"})
    void namesTheTensorWhoseGradientIsOnePercentTooLarge(String precision) throws IOException {
        writeSet(precision);
        PrecisionStrategy sound = precision.equals("fp32")
                ? new Fp32Factory().create(new NoOptions())
                : new Bf16Factory().create(new Bf16Options());
        if (precision.equals("fp32")) {
            writeRecording();
        } else {
            record(RealTrainer.with());
        }

        int code = check(
                faulty(precision, new ScaledGradient(sound, FAULTY, 1.01, 0)),
                "--within-noise",
                "--json",
                json().toString());

        assertEquals(ExitCode.DIFFERS, code, this::told);
        assertTrue(
                said.contains("differs from the golden file at step 1, by more than the noise of rounding"),
                this::told);
        assertTrue(said.contains("gradient of " + FAULTY + " by 0.01"), this::told);
        assertTrue(said.contains(", its norm +1.00 %"), this::told);
        assertTrue(said.contains("its loss does not differ by more than noise"), this::told);
        JsonNode worst = JsonMapper.builder().build().readTree(json().toFile()).at("/cases/0/golden/differences/0");
        assertEquals(FAULTY, worst.get("tensor").asText());
        assertEquals(0.01, worst.get("scale").asDouble(), 1e-4);
    }

    /** By what it declares: its name says nothing. A golden file of an earlier version, without types, is judged likewise. */
    @ParameterizedTest
    @CsvSource({"fp32, 1.0001, false", "bf16, 1.0001, true", "fp8-blockwise, 1.004, true"})
    void judgesAThirdPartysPrecisionByItsOperandTypes(String like, double factor, boolean passes) throws IOException {
        writeSet("acme");
        PrecisionStrategy sound = switch (like) {
            case "fp32" -> new Fp32Factory().create(new NoOptions());
            case "bf16" -> new Bf16Factory().create(new Bf16Options());
            default -> new Fp8BlockwiseFactory().create(new Fp8BlockwiseOptions());
        };
        record(faulty("acme", new ScaledGradient(sound, FAULTY, 1, 0)));
        Trainer other = faulty("acme", new ScaledGradient(sound, FAULTY, factor, 0));

        int code = check(other, "--within-noise", "--case", "one");

        assertEquals(passes ? ExitCode.OK : ExitCode.DIFFERS, code, this::told);
        Files.writeString(golden(), Files.readString(golden()).replaceAll("\"operandTypes\" : \\[[^]]*], *\n", ""));
        assertFalse(Files.readString(golden()).contains("operandTypes"));
        assertEquals(code, check(other, "--within-noise", "--case", "one"), this::told);
    }

    @Test
    void namesAdditionalMemory() throws IOException {
        writeRecording();

        int code =
                check(faulty("fp32", new ScaledGradient(new Fp32Factory().create(new NoOptions()), FAULTY, 1, 4096)));

        assertEquals(ExitCode.DIFFERS, code, this::told);
        assertTrue(said.contains("peak memory of rank 0 for workspace: "), this::told);
        assertTrue(said.contains("(+4,096)"), this::told);
    }

    @Test
    void recordsNothingIfACaseDiffersFromItsPeer() throws IOException {
        // The other case has another seed.
        String text = Files.readString(folder.resolve("set.yaml")).replace("mesh.schedule=1f1b", "seed=5");
        Files.writeString(folder.resolve("set.yaml"), text);

        assertEquals(ExitCode.DIFFERS, record(RealTrainer.with()), this::told);
        assertTrue(said.contains("differs from case one at step 1"), this::told);
        assertFalse(Files.exists(golden()));
    }

    @Test
    void stopsOnInterruption() {
        interrupted = true;

        assertEquals(ExitCode.INTERRUPTED, record(RealTrainer.with()));
        assertFalse(Files.exists(golden()));
    }

    @Test
    void reportsMissingFilesAndCases() throws IOException {
        var missing = assertThrows(DataException.class, () -> check(RealTrainer.with()));
        assertTrue(missing.getMessage().contains("no such file; record the set first"), missing::getMessage);
        Files.writeString(golden(), "{\"schemaVersion\": 1}");
        var damaged = assertThrows(DataException.class, () -> check(RealTrainer.with()));
        assertTrue(damaged.getMessage().contains("field machine is missing"), damaged::getMessage);
        writeRecording();
        var unknown = assertThrows(ConfigurationException.class, () -> check(RealTrainer.with(), "--case", "three"));
        assertTrue(unknown.getMessage().contains("(allowed: one, two)"), unknown::getMessage);
    }

    private static Trainer faulty(String precision, StrategyFactory<?, ?> factory) {
        return RealTrainer.with(RealTrainer.offer("precision", precision, factory));
    }

    /** The other case of the golden file stays unchanged, byte for byte. */
    @Test
    void recordsOneCaseAndKeepsTheOthers() throws IOException {
        var missing = assertThrows(DataException.class, () -> record(RealTrainer.with(), "--case", "two"));
        assertTrue(missing.getMessage().contains("record the set first"), missing::getMessage);
        writeRecording();
        Files.writeString(
                folder.resolve("set.yaml"),
                SET.replace("PRECISION", "fp32").replace("mesh.schedule=1f1b", "mesh.schedule=zb-h1"));
        JsonNode before = tree();

        assertEquals(ExitCode.OK, record(RealTrainer.with(), "--case", "two"), this::told);

        assertEquals(before.at("/cases/0"), tree().at("/cases/0"));
        assertEquals("two", tree().at("/cases/1/name").asText());
        assertNotEquals(before.at("/cases/1/settings"), tree().at("/cases/1/settings"));
        assertEquals(ExitCode.OK, check(RealTrainer.with()), this::told);
        assertEquals(2, tree().get("cases").size());
    }

    /** Its bits would be compared with those of another processor. */
    @Test
    void rejectsSingleCasesOnAnotherMachineKind() throws IOException {
        writeRecording();
        String other = Files.readString(golden()).replaceFirst("(\"processor\" *: *\")", "$1other ");
        Files.writeString(golden(), other);

        var failure = assertThrows(ConfigurationException.class, () -> record(RealTrainer.with(), "--case", "two"));

        assertTrue(failure.getMessage().contains("another kind of machine"), failure::getMessage);
        assertEquals(other, Files.readString(golden()));
    }

    private JsonNode tree() throws IOException {
        return JsonMapper.builder().build().readTree(golden().toFile());
    }

    private int record(Trainer trainer, String... options) {
        var arguments = new ArrayList<>(List.of(set()));
        arguments.addAll(List.of(options));
        return call(new RegressRecordCommand(trainer, interruption(), null), arguments.toArray(String[]::new));
    }

    private int check(Trainer trainer, String... options) {
        var arguments = new ArrayList<>(List.of(set()));
        arguments.addAll(List.of(options));
        return call(new RegressCheckCommand(trainer, interruption(), null), arguments.toArray(String[]::new));
    }

    private int call(Command command, String... arguments) {
        var line = new CommandLine(command);
        line.parseArgs(arguments);
        PrintStream out = System.out;
        PrintStream err = System.err;
        var bytes = new ByteArrayOutputStream();
        try (var captured = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            System.setOut(captured);
            System.setErr(captured);
            return command.call();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception unexpected) {
            throw new AssertionError(unexpected);
        } finally {
            System.setOut(out);
            System.setErr(err);
            said = bytes.toString(StandardCharsets.UTF_8);
        }
    }

    private Interruption interruption() {
        return new Interruption() {
            @Override
            public boolean isRequested() {
                return interrupted;
            }

            @Override
            public Registration onRequest(Runnable action) {
                return () -> {};
            }
        };
    }

    private String told() {
        return said;
    }

    private String set() {
        return folder.resolve("set.yaml").toString();
    }

    private Path golden() {
        return folder.resolve("set.golden.json");
    }

    private Path json() {
        return folder.resolve("difference.json");
    }
}
