package io.hirundo.itests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.damage.FileFaults;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.SampleTexts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** Good files of every kind that Hirundo reads, made once; each case breaks a copy. */
final class Originals {
    /** Of the models here. */
    static final int VOCABULARY = 300;

    private static final Duration MAKING = Duration.ofMinutes(5);

    private static final String ARCHITECTURE = """
      {"name": "llama", "options": {"vocabSize": 300, "hiddenSize": 16, "intermediateSize": 24, "numHiddenLayers": 1,
       "numAttentionHeads": 2, "numKeyValueHeads": 1, "maxPositionEmbeddings": 32}}""";

    private static final String YAML = """
      schemaVersion: 1
      run: {name: zoo}
      model:
        architecture:
          name: llama
          options: {vocabSize: 300, hiddenSize: 16, intermediateSize: 24, numHiddenLayers: 1, numAttentionHeads: 2, maxPositionEmbeddings: 32}
      training: {steps: 2, sequenceTokens: 16, microBatch: 1, globalBatch: 2}
      data: {source: {name: synthetic, options: {vocabulary: 300}}}
      """;

    /** Of the folders of bundles/checkpoint-torch/src/test/golden, as {@code make.py} says there. */
    private static final String TORCH_CONFIG = """
      {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 35, "hidden_size": 16, "intermediate_size": 20,
       "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "rms_norm_eps": 1e-5,
       "rope_theta": 10000.0, "max_position_embeddings": 32, "hidden_act": "silu", "tie_word_embeddings": false}
      """;

    private static final int TORCH_VOCABULARY = 35;

    private static final String TABLE = """
      # placement: loop, fuseBackward: true
      F0,F1,B0,W0,B1,W1
      F0,B0,W0,F1,B1,W1
      """;

    private final Path folder;
    private final InProcess hirundo;

    private Originals(Path folder, InProcess hirundo) {
        this.folder = folder;
        this.hirundo = hirundo;
    }

    static Originals make(Path folder, InProcess hirundo) throws Exception {
        var originals = new Originals(Files.createDirectories(folder), hirundo);
        originals.texts();
        originals.configurations();
        originals.trained();
        originals.sharded();
        originals.torch();
        originals.torchTokens();
        PluginFaults.makeProgram(originals.program(), Profiles.distro());
        return originals;
    }

    /** As {@link #make}, or what was made in that folder before. */
    static Originals kept(Path folder, InProcess hirundo) throws Exception {
        Path whole = folder.resolve("whole");
        if (Files.exists(whole)) {
            return new Originals(folder, hirundo);
        }
        FileFaults.delete(folder);
        Originals made = make(folder, hirundo);
        Files.createFile(whole);
        return made;
    }

    /** {@code texts/*.txt}, {@code lines.jsonl}, {@code texts.zip}, {@code one.txt.gz}. */
    Path text() {
        return folder.resolve("text");
    }

    /** {@code tokenizer/tokenizer.json} and the files next to it. */
    Path tokenizer() {
        return folder.resolve("tokenized");
    }

    /** {@code dataset.bin}, {@code .idx} and the files next to them. */
    Path dataset() {
        return folder.resolve("datasets");
    }

    /** {@code run.json}, {@code run.yaml}, {@code schedule.csv}. */
    Path configuration() {
        return folder.resolve("configurations");
    }

    /** {@code zoo}: a run of 4 steps with its checkpoints, metrics and model; {@code copies}: its checkpoints in a store. */
    Path run() {
        return folder.resolve("runs");
    }

    /** A Hugging Face folder of one file. */
    Path model() {
        return folder.resolve("runs/zoo/model");
    }

    /** A Hugging Face folder of several files. */
    Path shardedModel() {
        return folder.resolve("sharded");
    }

    /** A folder of PyTorch's distributed checkpoints with a {@code config.json}. */
    Path torchModel() {
        return folder.resolve("torch");
    }

    /** A text file that is never broken. */
    Path goodText() {
        return text().resolve("texts/text-0.txt");
    }

    /** The prefix of a dataset that is never broken. */
    Path goodDataset() {
        return dataset().resolve("dataset");
    }

    /** The prefix of a dataset for {@link #torchModel}. */
    Path torchDataset() {
        return folder.resolve("torch-tokens/dataset");
    }

    /** {@code home}: the program, with {@code plugins/acme.jar}; {@code run.json}. */
    Path program() {
        return folder.resolve("program");
    }

    private void texts() throws Exception {
        Files.createDirectories(text());
        SampleTexts.write(text());
        Path texts = text().resolve("texts");
        Files.writeString(
                text().resolve("lines.jsonl"),
                "{\"text\": \"a swallow flies\", \"id\": 1}\n{\"text\": \"over the river\"}\n".repeat(20));
        Files.writeString(text().resolve("one.txt"), "a swallow flies over the river.\n".repeat(50));
        try (var gzip = new GZIPOutputStream(Files.newOutputStream(text().resolve("one.txt.gz")))) {
            Files.copy(text().resolve("one.txt"), gzip);
        }
        FileFaults.run(
                "jar",
                "--create",
                "--no-manifest",
                "--file",
                text().resolve("texts.zip").toString(),
                "-C",
                texts.toString(),
                "text-1.txt");
        run(
                "data",
                "train-tokenizer",
                "--data",
                texts.toString(),
                "--out",
                tokenizer().resolve("tokenizer").toString(),
                "--vocab",
                String.valueOf(VOCABULARY));
        Files.createDirectories(dataset());
        run(
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer().resolve("tokenizer").toString(),
                "--data",
                text().resolve("one.txt").toString(),
                "--out",
                goodDataset().toString(),
                "--all");
    }

    private void configurations() throws IOException {
        Files.createDirectories(configuration());
        Files.writeString(configuration().resolve("run.yaml"), YAML);
        Files.writeString(configuration().resolve("run.json"), json("synthetic"));
        Files.writeString(configuration().resolve("schedule.csv"), TABLE);
    }

    private static String json(String source) {
        return """
        {"schemaVersion": 1, "run": {"name": "zoo"}, "model": {"architecture": %s},
         "training": {"steps": 4, "sequenceTokens": 16, "microBatch": 1, "globalBatch": 2},
         "data": {"source": {"name": "%s", "options": {"vocabulary": 300}}}}
        """.formatted(ARCHITECTURE, source);
    }

    private void trained() throws Exception {
        Path copies = Files.createDirectories(run().resolve("copies"));
        run(
                "train",
                configuration().resolve("run.json").toString(),
                "--set",
                "run.directory=" + run(),
                // Compilation of vector kernels would take longer than the steps.
                "--set",
                "device={name: cpu, options: {kernels: reference, workers: 1}}",
                "--set",
                "data.tokenizer={name: huggingface, options: {file: "
                        + tokenizer().resolve("tokenizer") + "}}",
                "--set",
                "checkpoint.strategy={name: sync, options: {keepLast: 2}}",
                "--set",
                "checkpoint.everySteps=2",
                "--set",
                "checkpoint.store={name: folder, options: {path: " + copies + "}}");
        assertTrue(Files.exists(model().resolve("model.safetensors")), "no model was written");
    }

    private void sharded() throws Exception {
        run(
                "checkpoint",
                "convert",
                run().resolve("zoo/checkpoints/step-00000004").toString(),
                "--to",
                shardedModel().toString(),
                "--set",
                "model.format={name: huggingface, options: {maxShardBytes: 20000}}");
        assertTrue(Files.exists(shardedModel().resolve("model.safetensors.index.json")), "no index was written");
    }

    private void torch() throws IOException {
        copy(
                Profiles.distro()
                        .resolve("../../../bundles/checkpoint-torch/src/test/golden/huggingface")
                        .normalize(),
                torchModel());
        Files.writeString(torchModel().resolve("config.json"), TORCH_CONFIG);
    }

    /** Tokens of its small vocabulary, as Megatron's tools write them: neither description nor checksums. */
    private void torchTokens() throws IOException {
        int tokens = 512;
        ByteBuffer bin = ByteBuffer.allocate(Short.BYTES * tokens).order(ByteOrder.LITTLE_ENDIAN);
        for (int token = 0; token < tokens; token++) {
            bin.putShort((short) (token % TORCH_VOCABULARY));
        }
        Files.createDirectories(torchDataset().getParent());
        Files.write(Path.of(torchDataset() + ".bin"), bin.array());
        ByteBuffer idx = ByteBuffer.allocate(62).order(ByteOrder.LITTLE_ENDIAN);
        idx.put("MMIDIDX\0\0".getBytes(StandardCharsets.US_ASCII))
                .putLong(1)
                .put((byte) 8)
                .putLong(1)
                .putLong(2);
        idx.putInt(tokens).putLong(0).putLong(0).putLong(1);
        Files.write(Path.of(torchDataset() + ".idx"), idx.array());
    }

    private void run(String... arguments) throws Exception {
        var result = hirundo.run(MAKING, List.of(arguments));
        assertEquals(0, result.orElseThrow().exitCode(), result::toString);
    }

    /** Copies a folder and all in it. */
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
    }
}
