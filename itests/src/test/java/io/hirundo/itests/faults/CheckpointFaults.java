package io.hirundo.itests.faults;

import static io.hirundo.itests.damage.JsonFaults.LONG_NAME;
import static io.hirundo.itests.damage.JsonFaults.WHOLE_FILE;

import io.hirundo.itests.damage.FileFaults;
import io.hirundo.itests.damage.JsonFaults;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Checkpoints of runs, and other files that a resumed run reads. */
final class CheckpointFaults {
    private static final int CONFIGURATION = 78;
    private static final int STORAGE = 73;
    private static final int CHECKPOINT = 74;
    static final String NEWEST = "zoo/checkpoints/step-00000004/";

    /** The body of a manifest, with the checksum that it has then: damage that only a check of the fields can find. */
    static final JsonFaults.Envelope BODY = (file, edit) -> {
        String text = new String(file, StandardCharsets.UTF_8);
        int begin = text.indexOf("\"manifest\":") + "\"manifest\":".length();
        byte[] body = edit.apply(text.substring(begin, text.lastIndexOf('}')).getBytes(StandardCharsets.UTF_8));
        var checksum = new CRC32C();
        checksum.update(body);
        return "{\"crc32c\":\"%08x\",\"manifest\":%s}\n"
                .formatted(checksum.getValue(), new String(body, StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8);
    };

    private CheckpointFaults() {}

    static void add(Zoo zoo, Originals originals) {
        manifest(zoo, originals);
        data(zoo, originals);
        resumed(zoo, originals);
        copies(zoo, originals);
    }

    private static void manifest(Zoo zoo, Originals originals) {
        var manifest = zoo.reader(
                "manifest.json",
                originals.run(),
                NEWEST + "manifest.json",
                CHECKPOINT,
                "checkpoint",
                "show",
                "{}/" + NEWEST);
        manifest.add("absent", FileFaults.absent());
        manifest.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(10, 50, 99));
        manifest.addAll(FileFaults.flippedBits(0, 2000, 6)).addAll(JsonFaults.otherThanAnObject(WHOLE_FILE));
        for (String field :
                new String[] {"/header", "/header/version", "/step", "/chunkBytes", "/values", "/files", "/tensors"}) {
            manifest.addAll(JsonFaults.without(BODY, field));
            manifest.addAll(JsonFaults.values(BODY, field, "null"));
        }
        manifest.addAll(JsonFaults.values(BODY, "/header/version", "2", "\"one\"", "-1"));
        manifest.addAll(JsonFaults.values(BODY, "/header/format", "\"" + LONG_NAME + "\"", "12"));
        manifest.addAll(JsonFaults.values(BODY, "/step", "-1", "\"four\"", "1.5", "9223372036854775808", "5"));
        manifest.addAll(JsonFaults.values(BODY, "/chunkBytes", "0", "-4096", "1", "9223372036854775807"));
        manifest.addAll(JsonFaults.values(BODY, "/files", "[]", "{}", "[null]"));
        manifest.addAll(JsonFaults.values(
                BODY,
                "/files/0/name",
                "null",
                "\"../../config.json\"",
                "\"/etc/passwd\"",
                "\"" + LONG_NAME + "\"",
                "\"a\\u0000\""));
        manifest.addAll(JsonFaults.values(BODY, "/files/0/bytes", "null", "-1"));
        manifest.says("rank-00000.data").addAll(JsonFaults.values(BODY, "/files/0/bytes", "9223372036854775807"));
        manifest.addAll(JsonFaults.values(BODY, "/tensors", "{}", "[null]", "[12]"));
        String tensor = "/tensors/0";
        manifest.addAll(JsonFaults.values(BODY, tensor + "/key", "null"));
        manifest.addAll(JsonFaults.values(BODY, tensor + "/dtype", "null", "\"FP99\"", "12"));
        manifest.addAll(JsonFaults.values(
                BODY,
                tensor + "/shape",
                "null",
                "[-1]",
                "[null]",
                "[4294967296, 4294967296]",
                "[" + "1,".repeat(100_000) + "1]"));
        manifest.addAll(JsonFaults.values(BODY, tensor + "/shards", "null", "[]", "[null]", "12"));
        manifest.addAll(
                JsonFaults.values(BODY, tensor + "/shards/0/offset", "null", "[-1, 0]", "[9223372036854775807, 0]"));
        manifest.addAll(JsonFaults.values(BODY, tensor + "/shards/0/shape", "null", "[-1, 1]"));
        manifest.addAll(JsonFaults.values(
                BODY, tensor + "/shards/0/place", "null", "{\"file\": 7, \"byteOffset\": 0, \"byteLength\": 4}"));
        manifest.addAll(JsonFaults.values(BODY, tensor + "/shards/0/place/byteOffset", "-4096", "9223372036854771712"));
        manifest.addAll(
                JsonFaults.values(BODY, tensor + "/shards/0/place/byteLength", "-4", "0", "9223372036854775807"));
        manifest.addAll(JsonFaults.values(BODY, tensor + "/shards/0/crc32c", "null", "\"\"", "12"));
    }

    private static void data(Zoo zoo, Originals originals) {
        var data = zoo.reader(
                "checkpoint data",
                originals.run(),
                NEWEST + "rank-00000.data",
                CHECKPOINT,
                "checkpoint",
                "verify",
                "{}/zoo");
        data = data.says("step-00000004");
        data.add("absent", FileFaults.absent());
        data.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(10, 90));
        data.add("a byte short", FileFaults.shortened(1)).add("bit flipped", FileFaults.flippedBit(0, 64, 1));
    }

    private static void resumed(Zoo zoo, Originals originals) {
        String[] resume = {
            "train",
            "{}/zoo/config.json",
            "--resume",
            "--lr-schedule",
            "stretch",
            "--set",
            "run.directory={}",
            "--set",
            "training.steps=5",
            "--set",
            "checkpoint.store=null"
        };
        var configuration =
                zoo.reader("config.json of a run", originals.run(), "zoo/config.json", CONFIGURATION, resume);
        configuration.add("absent", FileFaults.absent());
        configuration
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(50));
        var manifest =
                zoo.reader("manifest.json on resume", originals.run(), NEWEST + "manifest.json", CHECKPOINT, resume);
        manifest.says("step-00000004").add("absent", FileFaults.absent());
        manifest.addAll(FileFaults.irregular()).addAll(FileFaults.endless()).addAll(FileFaults.foreign());
        manifest.says("step-00000004").addAll(JsonFaults.values(BODY, "/values", "{}", "[]", "12"));
        // A sound manifest of another model is a matter of the configuration.
        manifest.exits(CHECKPOINT, CONFIGURATION)
                .says("step-00000004")
                .addAll(JsonFaults.values(BODY, "/tensors", "[]"));
        String tensor = "/tensors/0";
        manifest.exits(CHECKPOINT, CONFIGURATION)
                .says("step-00000004")
                .addAll(JsonFaults.values(
                        BODY, tensor + "/key", "12", "\"\"", "\"" + LONG_NAME + "\"", "\"\\u001b[31m\""));
        manifest.says("step-00000004").addAll(JsonFaults.values(BODY, tensor + "/shards/0/place/byteOffset", "1"));
        manifest.says("step-00000004").addAll(JsonFaults.values(BODY, tensor + "/shards/0/crc32c", "\"zzzzzzzz\""));
        var data = zoo.reader(
                "checkpoint data on resume", originals.run(), NEWEST + "rank-00000.data", CHECKPOINT, resume);
        data.add("absent", FileFaults.absent())
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign());
        var metrics = zoo.reader("metrics.jsonl on resume", originals.run(), "zoo/metrics.jsonl", STORAGE, resume);
        metrics.addAll(FileFaults.irregular());
        var latest = zoo.reader("latest on resume", originals.run(), "zoo/checkpoints/latest", CHECKPOINT, resume)
                .orGood();
        latest.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .add("absent", FileFaults.absent());
    }

    private static void copies(Zoo zoo, Originals originals) {
        String[] resume = {
            "train",
            originals.configuration().resolve("run.json").toString(),
            "--resume",
            "--lr-schedule",
            "stretch",
            "--set",
            "run.directory={}/elsewhere",
            "--set",
            "training.steps=5",
            "--set",
            "checkpoint.strategy=sync",
            "--set",
            "checkpoint.store={name: folder, options: {path: '{}/copies'}}"
        };
        var index =
                zoo.reader("index of a store", originals.run(), "copies/zoo/step-00000004.index", CHECKPOINT, resume);
        index.orGood()
                .says()
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(50));
    }
}
