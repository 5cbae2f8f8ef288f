package io.hirundo.itests.faults;

import static io.hirundo.itests.damage.FileFaults.byteAt;
import static io.hirundo.itests.damage.FileFaults.content;
import static io.hirundo.itests.damage.FileFaults.int32At;
import static io.hirundo.itests.damage.FileFaults.int64At;
import static io.hirundo.itests.damage.JsonFaults.WHOLE_FILE;

import io.hirundo.itests.damage.FileFaults;
import io.hirundo.itests.damage.JsonFaults;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Datasets and their source texts. */
final class DataFaults {
    private static final int DATA = 65;

    /** Of an {@code .idx}: where its fields begin. */
    private static final int VERSION = 9;

    private static final int TYPE = 17;
    private static final int SEQUENCES = 18;
    private static final int BORDERS = 26;
    private static final int LENGTHS = 34;

    /** Of a {@code .sums}: where its fields begin. */
    private static final int SUMS_VERSION = 8;

    private static final int SUMS_BLOCK = 12;
    private static final int SUMS_BIN = 16;
    private static final int SUMS_IDX = 24;

    /** Of an entry in a zip's central directory: where this field begins. */
    private static final int COMPRESSED_BYTES = 20;

    private static final int CHECKSUM = 16;
    private static final int FLAGS = 8;

    /** Of an entry's own header in a zip. */
    private static final int LOCAL_CHECKSUM = 14;

    private DataFaults() {}

    static void add(Zoo zoo, Originals originals) {
        index(zoo, originals);
        tokens(zoo, originals);
        sums(zoo, originals);
        description(zoo, originals);
        texts(zoo, originals);
        lines(zoo, originals);
        json(zoo, originals);
        archives(zoo, originals);
    }

    private static void index(Zoo zoo, Originals originals) {
        var index =
                zoo.reader("dataset .idx", originals.dataset(), "dataset.idx", DATA, "data", "inspect", "{}/dataset");
        index.add("absent", FileFaults.absent())
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign());
        index.addAll(FileFaults.truncated(10, 50, 99))
                .add("a byte short", FileFaults.shortened(1))
                .add("a byte long", FileFaults.lengthened(1));
        index.addAll(FileFaults.flippedBits(0, LENGTHS, 12));
        index.add("version 2", int64At(VERSION, 2)).add("version 0", int64At(VERSION, 0));
        index.add("type 0", byteAt(TYPE, 0))
                .add("type 99", byteAt(TYPE, 99))
                .add("floating-point type", byteAt(TYPE, 6));
        for (long count : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 31, 1L << 61}) {
            index.add("sequences " + count, int64At(SEQUENCES, count));
            index.add("borders " + count, int64At(BORDERS, count));
        }
        index.add("negative length", int32At(LENGTHS, -1)).add("huge length", int32At(LENGTHS, Integer.MAX_VALUE));
    }

    private static void tokens(Zoo zoo, Originals originals) {
        var tokens =
                zoo.reader("dataset .bin", originals.dataset(), "dataset.bin", DATA, "data", "inspect", "{}/dataset");
        tokens.add("absent", FileFaults.absent())
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .add("empty", FileFaults.empty());
        tokens.addAll(FileFaults.truncated(50))
                .add("a byte short", FileFaults.shortened(1))
                .add("a byte long", FileFaults.lengthened(1));
        var evaluated = zoo.reader(
                "dataset .bin in a run",
                originals.dataset(),
                "dataset.bin",
                DATA,
                "eval",
                "--model",
                originals.model().toString(),
                "--data",
                "{}/dataset");
        evaluated
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .add("a byte short", FileFaults.shortened(1));
        // Without checksums, which would detect it first.
        evaluated.says("vocabulary").add("tokens beyond the vocabulary", file -> {
            Files.delete(file.resolveSibling("dataset.sums"));
            int32At(0, -1).apply(file);
        });
    }

    private static void sums(Zoo zoo, Originals originals) {
        var sums =
                zoo.reader("dataset .sums", originals.dataset(), "dataset.sums", DATA, "data", "verify", "{}/dataset");
        sums.says("dataset").add("absent", FileFaults.absent());
        sums.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(10, 50, 99));
        sums.add("a byte short", FileFaults.shortened(1)).add("a byte long", FileFaults.lengthened(1));
        sums.says("dataset").addAll(FileFaults.flippedBits(0, 128, 12));
        sums.add("version 2", int32At(SUMS_VERSION, 2));
        for (int bytes : new int[] {0, -1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            sums.says("dataset").add("blocks of " + bytes + " bytes", int32At(SUMS_BLOCK, bytes));
        }
        for (long bytes : new long[] {0, -1, Long.MAX_VALUE}) {
            sums.says("dataset").add("a .bin of " + bytes + " bytes", int64At(SUMS_BIN, bytes));
            sums.says("dataset").add("an .idx of " + bytes + " bytes", int64At(SUMS_IDX, bytes));
        }
        var evaluated = zoo.reader(
                "dataset .sums in a run",
                originals.dataset(),
                "dataset.sums",
                DATA,
                "eval",
                "--model",
                originals.model().toString(),
                "--data",
                "{}/dataset");
        evaluated
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(50));
    }

    private static void description(Zoo zoo, Originals originals) {
        var description = zoo.reader(
                "dataset description", originals.dataset(), "dataset.json", DATA, "data", "inspect", "{}/dataset");
        description.addAll(FileFaults.irregular()).addAll(FileFaults.endless()).addAll(FileFaults.foreign());
        description.addAll(JsonFaults.otherThanAnObject(WHOLE_FILE)).addAll(FileFaults.truncated(50));
    }

    private static void texts(Zoo zoo, Originals originals) {
        String tokenizer = originals.tokenizer().resolve("tokenizer").toString();
        var text = zoo.reader(
                "text",
                originals.text(),
                "one.txt",
                DATA,
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer,
                "--data",
                "{}/one.txt",
                "--out",
                "{}/out");
        text.add("absent", FileFaults.absent()).add("empty", FileFaults.empty());
        FileFaults.irregular().forEach((name, fault) -> {
            // A folder of texts is text, too; this one has none in it.
            text.add(name, fault);
        });
        text.add("random bytes", FileFaults.foreign().get("random bytes"))
                .add("zero bytes", FileFaults.foreign().get("zero bytes"));
        text.add("not UTF-8", content(new byte[] {'a', ' ', (byte) 0xff, (byte) 0xfe, (byte) 0xfd, '\n'}));
        text.add("UTF-8 cut in a character", content(new byte[] {'a', ' ', (byte) 0xe7, (byte) 0x87}));
        text.orGood().add("only line feeds", content("\n".repeat(100)));
        text.orGood().add("one line of 3 MB", content("x".repeat(3_000_000)));
        var folder = zoo.reader(
                "folder of texts",
                originals.text(),
                "texts/text-3.txt",
                DATA,
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer,
                "--data",
                "{}/texts",
                "--out",
                "{}/out",
                "--all");
        folder.orGood().addAll(FileFaults.irregular());
        folder.orGood().add("absent", FileFaults.absent()).add("empty", FileFaults.empty());
        folder.orGood().add("random bytes", FileFaults.foreign().get("random bytes"));
        var all = zoo.reader(
                "folder for texts",
                originals.text(),
                "texts",
                DATA,
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer,
                "--data",
                "{}/texts",
                "--out",
                "{}/out",
                "--all");
        all.orGood()
                .add(
                        "a folder that contains itself by a link",
                        file -> Files.createSymbolicLink(file.resolve("again"), file));
        all.orGood()
                .add(
                        "names with control characters",
                        file -> Files.writeString(file.resolve("a\u001b[31m\n.txt"), "a swallow\n"));
        all.orGood().add("folders 200 deep", file -> {
            Path deep = Files.createDirectories(file.resolve("d/".repeat(200)));
            Files.writeString(deep.resolve("deep.txt"), "a swallow flies\n");
        });
        all.orGood()
                .add(
                        "a text that is not UTF-8",
                        file -> Files.write(file.resolve("bad.txt"), new byte[] {'a', (byte) 0xff, (byte) 0xfe, '\n'}));
        all.add("empty folder", file -> {
            FileFaults.delete(file);
            Files.createDirectory(file);
        });
    }

    private static void lines(Zoo zoo, Originals originals) {
        String tokenizer = originals.tokenizer().resolve("tokenizer").toString();
        var lines = zoo.reader(
                "JSON lines",
                originals.text(),
                "lines.jsonl",
                DATA,
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer,
                "--data",
                "{}/lines.jsonl",
                "--out",
                "{}/out");
        lines.add("absent", FileFaults.absent()).addAll(FileFaults.irregular());
        lines.addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(49))
                .addAll(JsonFaults.otherThanAnObject(WHOLE_FILE));
        String good = "{\"text\": \"good\"}\n";
        lines.add("a line that is cut", content(good + "{\"text\": \"bad\n" + good));
        lines.add("text is a number", content(good + "{\"text\": 12}\n"));
        lines.orGood().add("text is null", content(good + "{\"text\": null}\n"));
        lines.add("text is a list", content(good + "{\"text\": [\"a\"]}\n"));
        lines.add("another field", content(good + "{\"content\": \"a\"}\n"));
        lines.add("a lone escape", content(good + "{\"text\": \"\\q\"}\n"));
        lines.add("the text field twice", content(good + "{\"text\": \"a\", \"text\": \"b\"}\n"));
        lines.orGood().add("NaN in another field", content(good + "{\"score\": NaN, \"text\": \"a\"}\n"));
        lines.orGood().add("a lone surrogate", content(good + "{\"text\": \"\\ud800\"}\n"));
        lines.add(
                "not UTF-8 in a text",
                content(new byte[] {'{', '"', 't', 'e', 'x', 't', '"', ':', '"', (byte) 0xff, '"', '}', '\n'}));
        lines.orGood().add("a line of 30 MB", content("{\"text\": \"" + "x ".repeat(15_000_000) + "\"}\n"));
        lines.add("a line of 30 MB without an end", content("{\"text\": \"" + "x ".repeat(15_000_000)));
    }

    /** JSON under names that do not say whether it is lines. */
    private static void json(Zoo zoo, Originals originals) {
        String tokenizer = originals.tokenizer().resolve("tokenizer").toString();
        var json = zoo.reader(
                "JSON text",
                originals.text(),
                "one.txt",
                DATA,
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer,
                "--data",
                "{}/one.txt",
                "--out",
                "{}/out");
        String line = "{\"text\": \"good\"}\n";
        json.orGood().add("JSON lines", content(line + line));
        json.add("an array", content("[" + line + "," + line + "]"));
        json.add("an object of several lines", content("{\n\"text\": \"a\"\n}\n"));
        json.add("a damaged second line", content(line + "{\"text\": \n"));
        json.add("objects on one line", content(line.strip() + line));
        json.with("--text-field", "text").add("text, but a field is named", content("A swallow\n"));
        json.with("--format", "jsonl").add("text, but lines are wanted", content("A swallow flies\n"));
        json.orGood().with("--format", "text").add("an array as text", content("[" + line + "]"));
    }

    private static void zipOfLatin1(Path file) throws IOException {
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.putNextEntry(new ZipEntry("one.txt"));
            zip.write("d\u00e9j\u00e0 vu\n".getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Flips the lowest bit of a field of the first structure with this signature. */
    private static void flip(Path file, String signature, int field) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf(signature) + field] ^= 1;
        Files.write(file, bytes);
    }

    private static void archives(Zoo zoo, Originals originals) {
        String tokenizer = originals.tokenizer().resolve("tokenizer").toString();
        var zip = zoo.reader(
                "zip of texts",
                originals.text(),
                "texts.zip",
                DATA,
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer,
                "--data",
                "{}/texts.zip",
                "--out",
                "{}/out");
        zip.addAll(FileFaults.irregular()).addAll(FileFaults.foreign()).addAll(FileFaults.truncated(10, 50, 95));
        zip.orGood().addAll(FileFaults.flippedBits(0, 30, 4));
        zip.add("a checksum in an entry's own header", file -> flip(file, "PK\u0003\u0004", LOCAL_CHECKSUM));
        zip.add("a checksum in the directory", file -> flip(file, "PK\u0001\u0002", CHECKSUM));
        zip.add("an encrypted entry", file -> flip(file, "PK\u0001\u0002", FLAGS));
        zip.add("only a text that is not UTF-8", DataFaults::zipOfLatin1);
        zip.add("compressed data that end too early", file -> {
            int entry = Files.readString(file, StandardCharsets.ISO_8859_1).indexOf("PK\u0001\u0002");
            int32At(entry + COMPRESSED_BYTES, 100).apply(file);
        });
        var gzip = zoo.reader(
                "gzipped text",
                originals.text(),
                "one.txt.gz",
                DATA,
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer,
                "--data",
                "{}/one.txt.gz",
                "--out",
                "{}/out");
        gzip.addAll(FileFaults.irregular())
                .addAll(FileFaults.truncated(50))
                .add("a byte short", FileFaults.shortened(1));
        gzip.add("not gzip", content("just text\n")).add("empty", FileFaults.empty());
        gzip.add("garbage after its end", file -> Files.writeString(file, "garbage", StandardOpenOption.APPEND));
        gzip.orGood().add("zeros after its end", file -> Files.write(file, new byte[1000], StandardOpenOption.APPEND));
        gzip.add("a second member that is damaged", file -> {
            byte[] member = Files.readAllBytes(file);
            member[member.length / 2] ^= 1;
            Files.write(file, member, StandardOpenOption.APPEND);
        });
        gzip.add("cut in its header", content(new byte[] {0x1f, (byte) 0x8b, 8}));
    }
}
