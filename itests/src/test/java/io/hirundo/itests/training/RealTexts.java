package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The repository's own pages as datasets, and a small training on them, created by the program's own commands. */
final class RealTexts {
    private static final Path REPOSITORY = Profiles.distro().resolve("../../..").normalize();

    private RealTexts() {}

    /**
     * Datasets {@code pages} and {@code readme}, and {@code training.json}, which reads the first. Its loss monitor after a swap is off,
     * because the loss of so few tokens is too noisy.
     */
    static void write(Program program) throws Exception {
        String tokenizer = program.folder().resolve("tokenizer").toString();
        run("data", "train-tokenizer", "--data", texts("docs"), "--out", tokenizer, "--vocab", "384");
        for (var set : List.of("pages docs", "readme README.md")) {
            String[] words = set.split(" ");
            String dataset = program.folder().resolve(words[0]).toString();
            run("data", "tokenize", "--tokenizer", tokenizer, "--data", texts(words[1]), "--out", dataset);
        }
        Files.writeString(program.folder().resolve("training.json"), """
        {"schemaVersion": 1, "run": {"name": "unnamed"},
         "model": {"format": null, "export": false, "architecture": {"name": "llama", "options": {
           "vocabSize": 384, "hiddenSize": 16, "intermediateSize": 16, "numHiddenLayers": 2, "numAttentionHeads": 4,
           "maxPositionEmbeddings": 64}}},
         "device": {"name": "cpu", "options": {"kernels": "reference", "workers": 1}},
         "training": {"steps": 100000, "sequenceTokens": 8, "microBatch": 2, "globalBatch": 8},
         "learningRate": {"name": "constant", "options": {"peak": 1e-3}},
         "data": {"source": {"name": "indexed", "options": {"split": "800,200,0", "blend": [{"prefix": "PAGES", "weight": 1}]}}},
         "evaluation": {"samples": 4}, "swap": {"watchSteps": 0},
         "checkpoint": {"strategy": "sync", "atEnd": false}}
        """.replace(
                        "PAGES", program.folder().resolve("pages").toString()));
    }

    private static String texts(String path) {
        return REPOSITORY.resolve(path).toString();
    }

    private static void run(String... arguments) throws Exception {
        Program.Result result = InProcess.command(arguments);
        assertEquals(0, result.exitCode(), result::toString);
    }
}
