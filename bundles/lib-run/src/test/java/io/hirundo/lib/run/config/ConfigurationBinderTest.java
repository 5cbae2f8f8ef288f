package io.hirundo.lib.run.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.configuration.binding.ChoiceResolver;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.lib.run.section.AuditSection;
import io.hirundo.lib.run.section.CheckpointSection;
import io.hirundo.lib.run.section.CheckpointSection.OnDamage;
import io.hirundo.lib.run.section.DataSection;
import io.hirundo.lib.run.section.EvaluationSection;
import io.hirundo.lib.run.section.ExportDtype;
import io.hirundo.lib.run.section.FingerprintsSection;
import io.hirundo.lib.run.section.MeshAxis;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.section.ModelSection;
import io.hirundo.lib.run.section.RunSection;
import io.hirundo.lib.run.section.SamplesSection;
import io.hirundo.lib.run.section.SwapSection;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.lib.run.strategy.TestStrategies;
import io.hirundo.model.layer.Recompute;
import io.hirundo.strategy.Choice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class ConfigurationBinderTest {
    public static final String SMALLEST = """
      run: {name: first}
      model: {architecture: llama}
      training: {steps: 10, sequenceTokens: 32, globalBatch: 4}
      data: {source: {name: indexed, options: {prefix: a/b}}}
      """;

    @TempDir
    Path folder;

    private final ConfigurationBinder binder = new ConfigurationBinder(TestStrategies.table());

    private RunConfiguration bind(String yaml, String... overrides) {
        return binder.bind("c.yaml", Documents.parse("c.yaml", yaml, true), List.of(overrides));
    }

    @Test
    void fillsInDefaults() {
        RunConfiguration bound = bind(SMALLEST);
        RunConfiguration expected = new RunConfiguration(
                1,
                1234,
                new RunSection("first", "runs"),
                new ModelSection(
                        Choice.of("llama"), null, Choice.of("huggingface"), null, true, ExportDtype.AUTO, null, 0.05),
                Choice.of("cpu"),
                Choice.of("fp32"),
                new MeshSection(
                        Choice.of("local"),
                        1,
                        1,
                        1,
                        1,
                        List.of(MeshAxis.values()),
                        Choice.of("1f1b"),
                        List.of(),
                        0,
                        Choice.of("column-row"),
                        Choice.of("ring"),
                        Choice.of("zero1")),
                new TrainingSection(10, 32, 1, 4, 1.0, Recompute.NONE),
                Choice.of("adamw"),
                new Choice("cosine", Map.of("peak", 3e-4, "warmupSteps", 10L)),
                new DataSection(new Choice("indexed", Map.of("prefix", "a/b", "part", "all")), null, false, null),
                new EvaluationSection(0, 64, Map.of(), 0, 0),
                new SamplesSection(),
                new FingerprintsSection(),
                new CheckpointSection(Choice.of("sync"), 0, 0, true, OnDamage.FAIL, List.of(), List.of(), null, 3),
                new SwapSection(),
                new AuditSection(),
                List.of(Choice.of("console"), Choice.of("jsonl")));
        assertEquals(expected, bound);
    }

    @Test
    void readsBackTheConfigurationOfARun() throws Exception {
        RunConfiguration bound = bind(
                SMALLEST,
                "evaluation.watched.english={name: indexed, options: {prefix: e}}",
                "data.tokenizer={name: huggingface, options: {prefix: t}}",
                "mesh.order=[data, pipeline, context, tensor]",
                "training.clipNorm=0.1",
                "learningRate.options.peak=1e-9",
                "monitors=[]");
        Path file = Files.writeString(folder.resolve("config.json"), ConfigurationBinder.json(bound));
        RunConfiguration again = binder.read(file, List.of());
        assertEquals(bound, again);
        assertEquals(ConfigurationBinder.json(bound), ConfigurationBinder.json(again));
        assertEquals(bound, binder.bind(ConfigurationBinder.values(bound)));
        // It reads the same without the strategies' bundles, because no default is missing.
        assertEquals(
                bound.learningRate().name(),
                new ConfigurationBinder(ChoiceResolver.unchecked())
                        .read(file, List.of())
                        .learningRate()
                        .name());
    }

    @Test
    void allowsNullForFormatAndCheckpoints() {
        RunConfiguration bound = bind(SMALLEST, "model.format=null", "model.export=false", "checkpoint.strategy=null");
        assertEquals(null, bound.model().format());
        assertEquals(null, bound.checkpoint().strategy());
        assertEquals(bound, binder.bind(ConfigurationBinder.values(bound)));
    }

    @Test
    void writesReadableJson() {
        assertEquals("""
        {
          "schemaVersion": 1,
          "seed": 1234,
          "run": {
            "name": "first",
            "directory": "runs"
          },
          "model": {
            "architecture": "llama",
            "format": "huggingface",
            "export": true,
            "exportDtype": "auto",
            "parityTolerance": 0.05
          },
          "device": "cpu",
          "precision": "fp32",
          "mesh": {
            "fabric": "local",
            "tensor": 1,
            "context": 1,
            "pipeline": 1,
            "data": 1,
            "order": [
              "tensor",
              "context",
              "pipeline",
              "data"
            ],
            "schedule": "1f1b",
            "stageLayers": [ ],
            "stageMargin": 0,
            "tensorParallel": "column-row",
            "contextParallel": "ring",
            "dataParallel": "zero1"
          },
          "training": {
            "steps": 10,
            "sequenceTokens": 32,
            "microBatch": 1,
            "globalBatch": 4,
            "clipNorm": 1,
            "recompute": "none",
            "scheduleSteps": 0
          },
          "optimizer": "adamw",
          "learningRate": {
            "name": "cosine",
            "options": {
              "peak": 0.0003,
              "warmupSteps": 10
            }
          },
          "data": {
            "source": {
              "name": "indexed",
              "options": {
                "prefix": "a/b",
                "part": "all"
              }
            },
            "allowOrderChange": false
          },
          "evaluation": {
            "everySteps": 0,
            "samples": 64,
            "watched": { },
            "roundingEverySteps": 0,
            "kernelTimesEverySteps": 0
          },
          "samples": {
            "everySteps": 0,
            "prompts": [ ],
            "tokens": 64,
            "temperature": 0.8
          },
          "fingerprints": {
            "steps": [ ]
          },
          "checkpoint": {
            "strategy": "sync",
            "everySteps": 0,
            "everySeconds": 0,
            "atEnd": true,
            "onDamage": "fail",
            "allowMissing": [ ],
            "allowUnexpected": [ ],
            "keepCopies": 3
          },
          "swap": {
            "gate": {
              "enabled": true,
              "output": 0.1,
              "inputGradient": 0.1,
              "weightGradient": 0.1,
              "loss": 0.02,
              "gradientNorm": 0.1
            },
            "watchSteps": 20,
            "watchRise": 0.25,
            "waitSeconds": 600
          },
          "audit": {
            "rate": 0,
            "onFinding": "log",
            "rollbacks": 3
          },
          "monitors": [
            "console",
            "jsonl"
          ]
        }
        """, ConfigurationBinder.json(bind(SMALLEST)));
    }

    @Test
    void reportsAllMissingSettings() {
        assertEquals("""
        c.yaml: 5 settings are wrong
          run.name: missing: Name of the run and of its directory; allowed: text
          training.steps: missing: Optimizer steps of the run; allowed: a whole number from 1 to 1000000000000
          training.sequenceTokens: missing: Tokens per sequence; allowed: a whole number from 1 to 134217728
          training.globalBatch: missing: Sequences per step, over all ranks; a multiple of microBatch times mesh.data; \
        allowed: a whole number from 1 to 16777216
          data.source: missing: Where samples come from; allowed: a name, or an object with name and options\
        """, rejection("{}"));
    }

    private String rejection(String yaml, String... overrides) {
        return assertThrows(ConfigurationException.class, () -> bind(yaml, overrides))
                .getMessage();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "schemaVersion=2 | schemaVersion: 2 is newer than this Hirundo understands; allowed: 1. Use the version of Hirundo that wrote"
                        + " it, or a newer one",
                "schemaVersion=0 | schemaVersion: 0 is too small; allowed: a whole number of at least 1",
                "run.name=../x | run.name: \"../x\" cannot name a directory; allowed: up to 100 letters, digits and the signs"
                        + " . _ + = @ -, the first a letter, a digit or _",
                "run.name= | run.name: \"\" cannot name a directory; allowed: up to 100 letters, digits and the signs"
                        + " . _ + = @ -, the first a letter, a digit or _",
                "model.architecture=null | model: there is no model; allowed: architecture for a new one, or from for one to start"
                        + " from",
                "model.from=x | model: architecture and from are both given; allowed: one of them (a model that is started from"
                        + " brings its own)",
                "model.format=null | model.format: null can neither read model.from nor write the model; allowed: a format, or"
                        + " model.export=false and no model.from",
                "device=null | device: null is not allowed; allowed: a name, or an object with name and options",
                "mesh.order=[data, data, tensor, context] | mesh.order: [data, data, tensor, context] does not name every axis once;"
                        + " allowed: any order of tensor, context, pipeline, data",
                "mesh.order=[data] | mesh.order: [data] does not name every axis once; allowed: any order of tensor, context,"
                        + " pipeline, data",
                "mesh.tensor=0 | mesh.tensor: 0 is too small; allowed: a whole number from 1 to 1048576",
                "training.microBatch=3 | training.globalBatch: 4 cannot be divided among the ranks; allowed: multiples of 3"
                        + " (training.microBatch 3 times mesh.data 1)",
                "mesh.data=8 | training.globalBatch: 4 cannot be divided among the ranks; allowed: multiples of 8"
                        + " (training.microBatch 1 times mesh.data 8)",
                "fingerprints.steps=[10, 11] | fingerprints.steps: the run ends before step 11; allowed: 1 to training.steps, 10",
                "training.clipNorm=-1 | training.clipNorm: -1 is too small; allowed: a number of at least 0",
                "training.recompute=all | training.recompute: \"all\" is unknown; allowed: none, selective, full",
                "training.step=1 | --set training.step=1: there is no training.step; did you mean \"steps\"? allowed: steps,"
                        + " sequenceTokens, microBatch, globalBatch, clipNorm, recompute, scheduleSteps",
                "optimizer=sgd | optimizer: \"sgd\" is unknown; allowed: adamw",
                "device=fp32 | device: \"fp32\" is unknown here, it is a strategy of kind precision; allowed: cpu, meta",
                "learningRate.options.peak=0 | learningRate.options.peak: 0 is too small; allowed: a number above 0 and at most 1",
                "monitors.1=json | monitors[1]: \"json\" is unknown; did you mean \"jsonl\"? allowed: console, jsonl",
                "evaluation.watched.validation={name: indexed, options: {prefix: x}} | evaluation.watched.validation: the name is"
                        + " taken by the validation part of data.source; allowed: any other name",
                "evaluation.watched.english=indexed | evaluation.watched.english.options.prefix: missing: Path without the ending;"
                        + " allowed: text",
            })
    void rejectsInvalidSettings(String override, String message) {
        assertEquals("c.yaml: " + message, rejection(SMALLEST, override));
    }

    @Test
    void reportsAllConflictsTogether() {
        assertEquals("""
        c.yaml: 2 settings are wrong
          run.name: "a b" cannot name a directory; allowed: up to 100 letters, digits and the signs . _ + = @ -, \
        the first a letter, a digit or _
          training.globalBatch: 4 cannot be divided among the ranks; allowed: multiples of 3 (training.microBatch 3 times \
        mesh.data 1)\
        """, rejection(SMALLEST, "run.name=a b", "training.microBatch=3"));
    }

    @Test
    void acceptsRunNamesInAnyLanguage() {
        assertEquals("日本語-2", bind(SMALLEST, "run.name=日本語-2").run().name());
        assertEquals("2024", bind(SMALLEST, "run.name=2024").run().name());
    }

    @Test
    void namesTheFileInMessages() throws Exception {
        Path file = Files.writeString(folder.resolve("x.json"), "{\"run\": {\"nam\": 1}, \"run\": {}}");
        assertEquals(
                file + ", line 1, column 26: the key 'run' occurs twice",
                assertThrows(ConfigurationException.class, () -> binder.read(file, List.of()))
                        .getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "training.steps=9223372036854775807 | training.steps: 9223372036854775807 is too large; allowed: a whole number from 1 to"
                        + " 1000000000000",
                "training.sequenceTokens=2147483647 | training.sequenceTokens: 2147483647 is too large; allowed: a whole number from 1 to 134217728",
                "training.globalBatch=2147483647 | training.globalBatch: 2147483647 is too large; allowed: a whole number from 1 to 16777216",
                "mesh.data=2147483647 | mesh.data: 2147483647 is too large; allowed: a whole number from 1 to 1048576",
                "evaluation.samples=2147483647 | evaluation.samples: 2147483647 is too large; allowed: a whole number from 1 to 16777216",
            })
    void rejectsAbsurdSizes(String override, String message) {
        assertEquals("c.yaml: " + message, rejection(SMALLEST, override));
    }

    @Test
    void rejectsSizesWhoseProductIsTooLarge() {
        String tokens = rejection(
                SMALLEST,
                "training.sequenceTokens=100000000",
                "training.globalBatch=16777216",
                "training.microBatch=2");
        assertTrue(
                tokens.contains(
                        "training.microBatch: 2 sequences of 100,000,000 tokens are 200,000,000 tokens in a microbatch; allowed: up to"
                                + " 134,217,728"),
                tokens);
        assertTrue(
                tokens.contains(
                        "training.globalBatch: 16,777,216 sequences of 100,000,000 tokens are 1,677,721,600,000,000 tokens in a"
                                + " step; allowed: up to 8,589,934,592"),
                tokens);
        String ranks = rejection(SMALLEST, "mesh.tensor=2000", "mesh.pipeline=2000");
        assertTrue(ranks.contains("mesh: its axes multiply to 4,000,000 ranks; allowed: up to 1,048,576"), ranks);
        String run = rejection(
                SMALLEST,
                "training.steps=1000000000000",
                "training.sequenceTokens=4096",
                "training.globalBatch=2097152");
        assertTrue(run.contains("training.steps: the run has 8.6e+21 tokens; allowed: up to 4.6e+18"), run);
    }

    @Test
    void shortensLongKeysAndManyProblems() {
        String unknown = rejection(SMALLEST + "k".repeat(900) + ": 1\n");
        assertTrue(unknown.contains("more characters") && unknown.length() < 500, unknown);
        String many = rejection(SMALLEST, "mesh.order=[" + "x, ".repeat(9_000) + "x]");
        assertEquals(22, many.lines().count(), many);
        assertTrue(
                many.startsWith("c.yaml: 9001 settings are wrong\n") && many.endsWith("\n  ... and 8981 more"), many);
    }
}
