package io.hirundo.itests.faults;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** What {@link FuzzTarget} fuzzes: files, and the commands that read them. */
final class FuzzReaders {
    private FuzzReaders() {}

    static List<Specimen> ofFiles(Originals originals) {
        String data = originals.goodDataset().toString();
        String torchData = originals.torchDataset().toString();
        return List.of(
                reader("config-json", originals.configuration(), "run.json", 78, "config", "show", "{}/run.json"),
                reader("config-yaml", originals.configuration(), "run.yaml", 78, "config", "show", "{}/run.yaml"),
                reader(
                        "schedule-csv",
                        originals.configuration(),
                        "schedule.csv",
                        78,
                        "schedule",
                        "--pp",
                        "2",
                        "--microbatches",
                        "2",
                        "--kind",
                        "csv",
                        "--option",
                        "file={}/schedule.csv"),
                reader("idx", originals.dataset(), "dataset.idx", 65, "data", "inspect", "{}/dataset"),
                reader("description", originals.dataset(), "dataset.json", 65, "data", "inspect", "{}/dataset"),
                reader(
                        "jsonl",
                        originals.text(),
                        "lines.jsonl",
                        65,
                        "data",
                        "tokenize",
                        "--tokenizer",
                        originals.tokenizer().resolve("tokenizer").toString(),
                        "--data",
                        "{}/lines.jsonl",
                        "--out",
                        "{}/out"),
                reader(
                        "zip",
                        originals.text(),
                        "texts.zip",
                        65,
                        "data",
                        "tokenize",
                        "--tokenizer",
                        originals.tokenizer().resolve("tokenizer").toString(),
                        "--data",
                        "{}/texts.zip",
                        "--out",
                        "{}/out"),
                reader(
                        "tokenizer",
                        originals.tokenizer(),
                        "tokenizer/tokenizer.json",
                        65,
                        "data",
                        "tokenize",
                        "--tokenizer",
                        "{}/tokenizer",
                        "--data",
                        originals.text().resolve("one.txt").toString(),
                        "--out",
                        "{}/out"),
                reader("model-config", originals.model(), "config.json", 65, "eval", "--model", "{}", "--data", data),
                orNaN(reader(
                        "safetensors",
                        originals.model(),
                        "model.safetensors",
                        65,
                        "eval",
                        "--model",
                        "{}",
                        "--data",
                        data)),
                reader(
                        "safetensors-header",
                        originals.model(),
                        "model.safetensors",
                        65,
                        "eval",
                        "--model",
                        "{}",
                        "--data",
                        data),
                reader(
                        "safetensors-index",
                        originals.shardedModel(),
                        "model.safetensors.index.json",
                        65,
                        "eval",
                        "--model",
                        "{}",
                        "--data",
                        data),
                reader(
                        "torch-metadata",
                        originals.torchModel(),
                        ".metadata",
                        65,
                        "eval",
                        "--model",
                        "{}",
                        "--format",
                        "torch-dcp",
                        "--data",
                        torchData),
                reader(
                        "torch-distcp",
                        originals.torchModel(),
                        "__0_0.distcp",
                        65,
                        "eval",
                        "--model",
                        "{}",
                        "--format",
                        "torch-dcp",
                        "--data",
                        torchData),
                reader("sums", originals.dataset(), "dataset.sums", 65, "data", "verify", "{}/dataset"),
                reader(
                        "generation-config",
                        originals.model(),
                        "generation_config.json",
                        65,
                        "generate",
                        "--model",
                        "{}",
                        "--prompt",
                        "a swallow",
                        "--max-tokens",
                        "2"),
                reader(
                        "tokenizer-config",
                        originals.tokenizer(),
                        "tokenizer/tokenizer_config.json",
                        65,
                        "data",
                        "tokenize",
                        "--tokenizer",
                        "{}/tokenizer",
                        "--data",
                        originals.text().resolve("one.txt").toString(),
                        "--out",
                        "{}/out"),
                reader("metrics", originals.run(), "zoo/metrics.jsonl", 65, "report", "{}/zoo", "--out", "{}/out.html"),
                reader(
                        "manifest",
                        originals.run(),
                        CheckpointFaults.NEWEST + "manifest.json",
                        74,
                        "checkpoint",
                        "show",
                        "{}/" + CheckpointFaults.NEWEST),
                reader(
                        "manifest-body",
                        originals.run(),
                        CheckpointFaults.NEWEST + "manifest.json",
                        74,
                        "checkpoint",
                        "show",
                        "{}/" + CheckpointFaults.NEWEST));
    }

    /** For what a method says that is no command. */
    static Specimen ofMethod(String name) {
        return reader(name, Path.of(""), "", FuzzedMethods.REJECTED);
    }

    /** Weights that are finite may be so large that the loss is NaN, which has an exit code of its own. */
    private static Specimen orNaN(Specimen reader) {
        return new Specimen(
                reader.reader(),
                reader.fault(),
                reader.original(),
                reader.file(),
                reader.breakage(),
                Set.of(0, 65, 72),
                reader.words(),
                reader.ownProcess(),
                reader.command(),
                null);
    }

    private static Specimen reader(String name, Path original, String file, int exitCode, String... command) {
        return new Specimen(
                name,
                "fuzzed",
                original,
                file,
                path -> {},
                Set.of(0, exitCode),
                List.of(),
                false,
                List.of(command),
                null);
    }
}
