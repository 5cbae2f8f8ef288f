package io.hirundo.checkpointhf.internal.safetensors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.checkpointhf.internal.format.ModelFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Damaged safetensors files, written by hand; an intact one is accepted. */
class SafetensorsRejectionTest {
    private static final String A = "'a':{'dtype':'F32','shape':[2,3],'data_offsets':[0,24]}";
    private static final String B = "'b':{'dtype':'BF16','shape':[4],'data_offsets':[24,32]}";

    @TempDir
    Path folder;

    @Test
    void readsAnIntactFile() throws IOException {
        try (var file = SafetensorsFile.open(write("{" + A + "," + B + "}", 32))) {
            assertEquals(2, file.tensors().size());
        }
        try (var empty = SafetensorsFile.open(write("{}", 0))) {
            assertTrue(empty.tensors().isEmpty());
        }
        try (var scalar = SafetensorsFile.open(write("{'s':{'dtype':'F64','shape':[],'data_offsets':[0,8]}}  ", 8))) {
            assertEquals(1, scalar.tensors().get("s").shape().elements());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{<A>,'b':{'dtype':'Q8','shape':[4],'data_offsets':[24,32]}} | 32 | field b.dtype is ``Q8`` (allowed: a type of",
                "{<A>,'b':{'shape':[4],'data_offsets':[24,32]}} | 32 | field b.dtype is missing",
                "{<A>,'b':{'dtype':'BF16','data_offsets':[24,32]}} | 32 | field b.shape is missing",
                "{<A>,'b':{'dtype':'BF16','shape':[4]}} | 32 | field b.data_offsets is missing",
                "{<A>,'b':{'dtype':'BF16','shape':[-4],'data_offsets':[24,32]}} | 32 | field b.shape[0] is -4 (allowed: a whole number",
                "{<A>,'b':{'dtype':'BF16','shape':[4.0],'data_offsets':[24,32]}} | 32 | field b.shape[0] is 4.0",
                "{<A>,'b':{'dtype':'BF16','shape':['4'],'data_offsets':[24,32]}} | 32 | field b.shape[0] is ``4``",
                "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[32,24]}} | 32 | field b.data_offsets is a list (allowed: a beginning and an end)",
                "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[24,28,32]}} | 32 | field b.data_offsets exceeds the 2 elements",
                "{<A>,'b':{'dtype':'BF16','shape':[5],'data_offsets':[24,32]}} | 32 | 'b' is [5] of BF16, which is 10 bytes",
                "{<A>,'b':{'dtype':'F64','shape':[4],'data_offsets':[24,32]}} | 32 | 'b' is [4] of F64, which is 32 bytes",
                "{<A>,'b':{'dtype':'F64','shape':[4611686018427387904,4],'data_offsets':[24,32]}} | 32 | more than can be",
                "{<A>,'b':{'dtype':'BF16','shape':[99999999999999999999],'data_offsets':[24,32]}} | 32 | field b.shape[0] is 99999999999999999999",
                "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[20,28]}} | 28 | 'b' overlaps 'a'",
                "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[0,8]}} | 24 | overlaps 'b'",
                "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[28,36]}} | 36 | 'b' leaves a hole behind 'a'",
                "{'b':{'dtype':'BF16','shape':[4],'data_offsets':[24,32]}} | 32 | 'b' leaves a hole behind the header",
                "{<A>,<B>} | 31 | 'b' ends at byte 32, but the file holds only 31",
                "{<A>,<B>} | 33 | the last 1 bytes belong to no tensor",
                "{<A>,<A>} | 24 | the header: field a is there twice",
                "{<A>,<B> | 32 | the header is not valid JSON",
                "{<A>,<B>} {} | 32 | the header does not end where its JSON does",
                "[1,2,3] | 32 | the header is a list (allowed: an object)",
                "{'a':7} | 0 | field a is 7 (allowed: an object)",
                "not JSON | 0 | the header is not valid JSON",
            })
    void rejectsADamagedHeader(String header, int dataBytes, String message) throws IOException {
        rejects(write(header.replace("<A>", A).replace("<B>", B), dataBytes), message);
    }

    @Test
    void rejectsAWrongLength() throws IOException {
        byte[] sound = Files.readAllBytes(write("{" + A + "}", 24));
        for (long length : new long[] {0, 1, -1, Long.MIN_VALUE, 100_000_001, Long.MAX_VALUE}) {
            ByteBuffer.wrap(sound).order(ByteOrder.LITTLE_ENDIAN).putLong(0, length);
            rejects(
                    Files.write(folder.resolve("x.safetensors"), sound),
                    "its header claims " + Long.toUnsignedString(length));
        }
        ByteBuffer.wrap(sound).order(ByteOrder.LITTLE_ENDIAN).putLong(0, sound.length - 7);
        rejects(Files.write(folder.resolve("x.safetensors"), sound), "follow");
    }

    /** Whatever is altered: the file is opened, or rejected in one short line; nothing else is thrown. */
    @Test
    void rejectsOrOpensEveryMutation() throws IOException {
        byte[] sound = Files.readAllBytes(write("{" + A + "," + B + "}", 32));
        List<String> values =
                List.of("null", "-1", "9223372036854775807", "[]", "{}", "\"\"", "1e9", "true", "[[", "]", ",");
        var random = new Random(17);
        int rejected = 0;
        for (int attempt = 0; attempt < 3_000; attempt++) {
            byte[] mutated = sound.clone();
            if (random.nextBoolean()) {
                mutated[random.nextInt(sound.length)] = (byte) random.nextInt();
            } else {
                byte[] value = values.get(random.nextInt(values.size())).getBytes(StandardCharsets.UTF_8);
                System.arraycopy(value, 0, mutated, 8 + random.nextInt(sound.length - 40 - value.length), value.length);
            }
            Path file = Files.write(folder.resolve("mutated.safetensors"), mutated);
            try {
                SafetensorsFile.open(file).close();
            } catch (DataException e) {
                rejected++;
                assertEquals(1, e.getMessage().lines().count(), e.getMessage());
                assertTrue(
                        e.getMessage().startsWith(file.toString())
                                && e.getMessage().length() < 600,
                        e.getMessage());
            }
        }
        assertTrue(rejected > 1_500, "rejected " + rejected);
    }

    @Test
    void shortensQuotedValues() throws IOException {
        String name = "n".repeat(5_000);
        rejects(write("{'" + name + "':{'dtype':'F32','shape':[4],'data_offsets':[0,15]}}", 15), "more characters");
        String dims = "1,".repeat(99_999) + "1";
        rejects(
                write("{'a':{'dtype':'F32','shape':[" + dims + "],'data_offsets':[0,4]}}", 4),
                "field a.shape exceeds the 32 elements");
        rejects(write("{'a':{'dtype':'" + name + "','shape':[1],'data_offsets':[0,4]}}", 4), "more characters");
        rejects(write("{'" + "n".repeat(20_000) + "':1}", 0), "a name or number that is too long");
        rejects(
                write("{'__metadata__':" + "[".repeat(100_000) + "]".repeat(100_000) + "}", 0),
                "nested more than 64 levels deep");
    }

    /** Nobody writes to the pipe: who opened it would wait forever. */
    @Test
    void rejectsNamedPipe() throws Exception {
        Path pipe = folder.resolve("model.safetensors");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        assertTimeoutPreemptively(Duration.ofSeconds(60), () -> rejects(pipe, " is a named pipe, not a regular file"));
        for (String name : List.of("config.json", ModelFiles.INDEX)) {
            Path json = folder.resolve(name);
            assertEquals(
                    0, new ProcessBuilder("mkfifo", json.toString()).start().waitFor());
            var failure = assertTimeoutPreemptively(
                    Duration.ofSeconds(60), () -> assertThrows(DataException.class, () -> Json.readValues(json)));
            assertTrue(failure.getMessage().startsWith(json + " is a named pipe"), failure.getMessage());
        }
    }

    @Test
    void rejectsEveryTruncation() throws IOException {
        byte[] sound = Files.readAllBytes(write("{" + A + "," + B + "}", 32));
        for (int bytes = 0; bytes < sound.length; bytes++) {
            Path cut = Files.write(folder.resolve("cut.safetensors"), Arrays.copyOf(sound, bytes));
            var failure = assertThrows(
                    DataException.class, () -> SafetensorsFile.open(cut).close(), "at " + bytes);
            assertTrue(failure.getMessage().startsWith(cut.toString()), failure.getMessage());
        }
    }

    @Test
    void rejectsAHeaderThatIsNotText() throws IOException {
        byte[] bytes = Files.readAllBytes(write("{" + A + "}", 24));
        bytes[10] = (byte) 0xff;
        rejects(Files.write(folder.resolve("x.safetensors"), bytes), "not valid JSON");
    }

    private static void rejects(Path file, String message) {
        var failure = assertThrows(
                DataException.class, () -> SafetensorsFile.open(file).close());
        assertTrue(failure.getMessage().startsWith(file.toString()), failure.getMessage());
        assertTrue(failure.getMessage().length() < 600, failure.getMessage());
        assertTrue(failure.getMessage().contains(message.replace("``", "\"")), failure.getMessage());
    }

    private Path write(String header, int dataBytes) throws IOException {
        byte[] json = header.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        var file = ByteBuffer.allocate(8 + json.length + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
        file.putLong(json.length).put(json);
        return Files.write(folder.resolve("model.safetensors"), file.array());
    }
}
