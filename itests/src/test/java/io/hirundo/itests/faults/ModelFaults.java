package io.hirundo.itests.faults;

import static io.hirundo.itests.damage.FileFaults.int64At;
import static io.hirundo.itests.damage.JsonFaults.LONG_NAME;
import static io.hirundo.itests.damage.JsonFaults.WHOLE_FILE;

import io.hirundo.itests.damage.Breakage;
import io.hirundo.itests.damage.FileFaults;
import io.hirundo.itests.damage.JsonFaults;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Models: Hugging Face folders, and PyTorch's distributed checkpoints. */
final class ModelFaults {
    private static final int DATA = 65;
    /** Of the first tensor of the torch model. */
    private static final int VALUES = 320;

    private static final int VALUES_END = 860;

    private static final String TENSOR = "/model.norm.weight";

    /** PKWARE's APPNOTE, 4.3.12: the central directory's header of a file. */
    private static final int CENTRAL_HEADER = 0x02014b50;

    private static final int CENTRAL_HEADER_BYTES = 46;
    private static final int CRC_IN_CENTRAL_HEADER = 16;

    /** The JSON header of a safetensors file: its length stands before it, the data behind. */
    static final JsonFaults.Envelope HEADER = (file, edit) -> {
        int length = (int) ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
        byte[] header = edit.apply(Arrays.copyOfRange(file, Long.BYTES, Long.BYTES + length));
        return ByteBuffer.allocate(Long.BYTES + header.length + file.length - Long.BYTES - length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length)
                .put(header)
                .put(file, Long.BYTES + length, file.length - Long.BYTES - length)
                .array();
    };

    private ModelFaults() {}

    static void add(Zoo zoo, Originals originals) {
        config(zoo, originals);
        safetensors(zoo, originals);
        index(zoo, originals);
        torch(zoo, originals);
    }

    private static void config(Zoo zoo, Originals originals) {
        var config = zoo.reader(
                "model config.json",
                originals.model(),
                "config.json",
                DATA,
                "eval",
                "--model",
                "{}",
                "--data",
                originals.goodDataset().toString());
        config.add("absent", FileFaults.absent());
        config.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(50));
        config.addAll(JsonFaults.otherThanAnObject(WHOLE_FILE));
        for (String field :
                new String[] {"/hidden_size", "/num_hidden_layers", "/vocab_size", "/num_attention_heads"}) {
            config.addAll(JsonFaults.without(WHOLE_FILE, field));
            config.addAll(JsonFaults.values(
                    WHOLE_FILE, field, "null", "0", "-1", "1.5", "2147483648", "1e300", "\"many\"", "[16]", "17"));
        }
        config.addAll(JsonFaults.values(WHOLE_FILE, "/num_hidden_layers", "2147483647"));
        config.addAll(JsonFaults.values(WHOLE_FILE, "/model_type", "null", "\"gpt2\"", "12", "\"" + LONG_NAME + "\""));
        config.addAll(JsonFaults.values(WHOLE_FILE, "/rms_norm_eps", "\"small\"", "-1", "1e999"));
        config.addAll(JsonFaults.more(WHOLE_FILE, "rope_scaling", "{\"rope_type\": \"unheard\"}"));
        config.addAll(JsonFaults.more(WHOLE_FILE, "quantization_config", "{\"bits\": 4}"));
        var generation = zoo.reader(
                "generation_config.json",
                originals.model(),
                "generation_config.json",
                DATA,
                "generate",
                "--model",
                "{}",
                "--prompt",
                "a swallow",
                "--max-tokens",
                "2");
        generation.addAll(JsonFaults.values(WHOLE_FILE, "/eos_token_id", "\"two\"", "[1, -2]", "1.5"));
        generation.orGood().addAll(JsonFaults.otherThanAnObject(WHOLE_FILE));
        generation.orGood().addAll(FileFaults.irregular()).addAll(FileFaults.endless());
        generation.orGood().addAll(FileFaults.foreign());
    }

    private static void safetensors(Zoo zoo, Originals originals) {
        var file = zoo.reader(
                "model.safetensors",
                originals.model(),
                "model.safetensors",
                DATA,
                "eval",
                "--model",
                "{}",
                "--data",
                originals.goodDataset().toString());
        file.add("absent", FileFaults.absent());
        file.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(1, 10, 50, 99));
        file.add("a byte short", FileFaults.shortened(1)).add("a byte long", FileFaults.lengthened(1));
        file.addAll(FileFaults.flippedBits(0, Long.BYTES, 6));
        file.orGood().exits(0, 65).says().addAll(inHeader());
        for (long length : new long[] {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 100_000_001}) {
            file.add("header of " + length + " bytes", int64At(0, length));
        }
        file.addAll(JsonFaults.otherThanAnObject(HEADER));
        file.addAll(JsonFaults.without(HEADER, TENSOR));
        file.addAll(JsonFaults.values(HEADER, TENSOR, "null", "[]", "12", "{}"));
        file.addAll(JsonFaults.values(
                HEADER, TENSOR + "/dtype", "null", "\"F99\"", "12", "\"" + LONG_NAME + "\"", "\"I8\""));
        file.addAll(JsonFaults.values(
                HEADER,
                TENSOR + "/shape",
                "null",
                "[]",
                "[-16]",
                "[17]",
                "[16, 1]",
                "\"16\"",
                "[null]",
                "[9223372036854775807, 2]",
                "[4294967296, 4294967296]",
                "[" + "1,".repeat(100_000) + "1]"));
        file.addAll(JsonFaults.values(
                HEADER,
                TENSOR + "/data_offsets",
                "null",
                "[]",
                "[0]",
                "[64, 0]",
                "[-64, 0]",
                "[0, 9223372036854775807]",
                "[\"0\", \"64\"]",
                "[1, 65]"));
        file.addAll(
                JsonFaults.more(HEADER, LONG_NAME, "{\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 4]}"));
        file.addAll(
                JsonFaults.more(HEADER, "stranger", "{\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 4]}"));
        file.orGood().addAll(JsonFaults.more(HEADER, "__metadata__", "[12]"));
        file.says("model.norm.weight").add("NaN weights", bytes -> fill(bytes, 0x7fc00000));
    }

    private static java.util.Map<String, Breakage> inHeader() {
        var renamed = new java.util.LinkedHashMap<String, Breakage>();
        FileFaults.flippedBits(Long.BYTES, 400, 10).forEach((name, fault) -> renamed.put("header, " + name, fault));
        return renamed;
    }

    /** The values of {@code model.norm.weight}, in FP32. */
    private static void fill(java.nio.file.Path file, int bits) throws java.io.IOException {
        byte[] bytes = java.nio.file.Files.readAllBytes(file);
        var values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int length = (int) values.getLong(0);
        var header = new com.fasterxml.jackson.databind.ObjectMapper().readTree(bytes, Long.BYTES, length);
        int begin = Long.BYTES + length + header.at(TENSOR + "/data_offsets/0").asInt();
        int end = Long.BYTES + length + header.at(TENSOR + "/data_offsets/1").asInt();
        for (int at = begin; at < end; at += Float.BYTES) {
            values.putInt(at, bits);
        }
        java.nio.file.Files.write(file, bytes);
    }

    private static void index(Zoo zoo, Originals originals) {
        var index = zoo.reader(
                "safetensors index",
                originals.shardedModel(),
                "model.safetensors.index.json",
                DATA,
                "eval",
                "--model",
                "{}",
                "--data",
                originals.goodDataset().toString());
        index.says("model.safetensors").add("absent", FileFaults.absent());
        index.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(50));
        index.addAll(JsonFaults.otherThanAnObject(WHOLE_FILE));
        index.addAll(JsonFaults.values(
                WHOLE_FILE,
                "/weight_map",
                "null",
                "[]",
                "12",
                "{}",
                "{\"a\": \"nowhere.safetensors\"}",
                "{\"" + LONG_NAME + "\": \"" + LONG_NAME + "\"}"));
        index.addAll(JsonFaults.values(
                WHOLE_FILE,
                "/weight_map" + TENSOR,
                "null",
                "12",
                "\"../../../etc/passwd\"",
                "\"/etc/passwd\"",
                "\"\"",
                "\"" + LONG_NAME + "\"",
                "\"a\\u0000b\"",
                "\"nowhere.safetensors\""));
    }

    private static void torch(Zoo zoo, Originals originals) {
        String[] command = {
            "eval",
            "--model",
            "{}",
            "--format",
            "torch-dcp",
            "--data",
            originals.torchDataset().toString()
        };
        var metadata = zoo.reader("torch .metadata", originals.torchModel(), ".metadata", DATA, command);
        metadata.add("absent", FileFaults.absent());
        metadata.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(1, 10, 50, 90, 99));
        metadata.orGood().addAll(FileFaults.flippedBits(0, 4000, 12));
        metadata.add("os.system", FileFaults.content("cos\nsystem\n(S'true'\ntR."));
        metadata.add(
                "control characters in a name", FileFaults.content("cos\u0001\u0007\nsys\u001btem\n(S'true'\ntR."));
        metadata.add("nested deep", FileFaults.content("(".repeat(100_000)));
        metadata.add("no stop", FileFaults.content(new byte[] {(byte) 0x80, 2, ']'}));
        metadata.add(
                "huge length",
                FileFaults.content(new byte[] {(byte) 0x80, 4, (byte) 0x8e, -1, -1, -1, -1, -1, -1, -1, 0x7f}));
        metadata.add("a list", FileFaults.content(new byte[] {(byte) 0x80, 2, ']', '.'}));
        metadata.add("memo that is not there", FileFaults.content(new byte[] {(byte) 0x80, 2, 'h', 99, '.'}));
        metadata.add("popped from nothing", FileFaults.content(new byte[] {(byte) 0x80, 2, '0', '0', '.'}));
        var tensors = zoo.reader("torch .distcp", originals.torchModel(), "__0_0.distcp", DATA, command);
        tensors.add("absent", FileFaults.absent())
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.foreign());
        // Only what the metadata name is read.
        tensors.orGood().addAll(FileFaults.endless());
        tensors.addAll(FileFaults.truncated(10, 50, 90)).add("a byte short", FileFaults.shortened(1));
        // Archives have fields that nobody reads, times of files for instance; values have a checksum.
        tensors.orGood().addAll(FileFaults.flippedBits(0, 1500, 8));
        // Found by fuzzing: a warning before the error.
        tensors.add("without checksums, and cut", ModelFaults::cutWithoutChecksums);
        for (int seed = 1; seed <= 4; seed++) {
            tensors.add("bit of a value flipped, seed " + seed, FileFaults.flippedBit(VALUES, VALUES_END, seed));
        }
    }

    /** The zips in the file have no CRC-32 in their directories, and the last ones are missing. */
    private static void cutWithoutChecksums(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        var zips = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at + CENTRAL_HEADER_BYTES < bytes.length; at++) {
            if (zips.getInt(at) == CENTRAL_HEADER) {
                zips.putInt(at + CRC_IN_CENTRAL_HEADER, 0);
            }
        }
        Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
    }
}
