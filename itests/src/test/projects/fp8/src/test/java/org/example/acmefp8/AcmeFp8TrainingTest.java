package org.example.acmefp8;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.testkit.program.PluginProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The test of docs/plugin-tests.md. */
class AcmeFp8TrainingTest {
    private static final String CONFIGURATION = """
      schemaVersion: 1
      run: {name: tiny}
      model:
        architecture:
          name: llama
          options: {vocabSize: 64, hiddenSize: 32, intermediateSize: 80, numHiddenLayers: 2, numAttentionHeads: 4, numKeyValueHeads: 2, maxPositionEmbeddings: 32}
        format: null
        export: false
      device: {name: cpu, options: {kernels: reference, workers: 1}}
      precision: acme-fp8
      training: {steps: 3, sequenceTokens: 8, microBatch: 2, globalBatch: 4}
      learningRate: {name: constant, options: {peak: 3.0e-3}}
      data:
        source: {name: synthetic, options: {vocabulary: 64}}
      checkpoint: {strategy: null, atEnd: false}
      """;

    @TempDir
    private Path folder;

    @Test
    void trains() throws Exception {
        Files.writeString(folder.resolve("tiny.yaml"), CONFIGURATION);
        PluginProgram.Result trained = PluginProgram.in(folder).run("train", "tiny.yaml");
        assertEquals(0, trained.exitCode(), trained::toString);
        assertTrue(Files.readString(folder.resolve("runs/tiny/metrics.jsonl")).contains("\"loss\""), trained::toString);
    }
}
