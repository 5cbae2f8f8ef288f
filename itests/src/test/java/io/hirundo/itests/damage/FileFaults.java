package io.hirundo.itests.damage;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;

/** Faults that apply to any file, independent of its contents. */
public final class FileFaults {
    /** What a web server sends instead of a file, and what a clone without Git LFS holds. */
    private static final String ERROR_PAGE = "<!DOCTYPE html>\n<html><body>404: Not Found</body></html>\n";

    private static final String LFS_POINTER =
            "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

    private FileFaults() {}

    /** What is no regular file, or none that may be read: must be told before it is opened. */
    public static Map<String, Breakage> irregular() {
        Map<String, Breakage> faults = new LinkedHashMap<>();
        faults.put("folder in its place", file -> {
            delete(file);
            Files.createDirectory(file);
        });
        faults.put("named pipe", file -> {
            delete(file);
            run("mkfifo", file.toString());
        });
        faults.put("endless device", file -> link(file, Path.of("/dev/zero")));
        faults.put("symbolic link to itself", file -> link(file, file.getFileName()));
        faults.put("without permission", file -> {
            Files.setPosixFilePermissions(file, Set.of());
            Assumptions.assumeFalse(Files.isReadable(file), "skipped: who runs this reads every file, as root does");
        });
        return faults;
    }

    /** Far more bytes than any such file has, which take no room on the disk: must be told before they are read. */
    public static Map<String, Breakage> endless() {
        return Map.of("grown to 64 GB", file -> {
            try (var grown = new RandomAccessFile(file.toFile(), "rw")) {
                grown.setLength(64L << 30);
            }
        });
    }

    /** There is no file. */
    public static Breakage absent() {
        return FileFaults::delete;
    }

    /** A file of no bytes. */
    public static Breakage empty() {
        return content("");
    }

    /** Contents of another kind: of another program, of a web server, random. */
    public static Map<String, Breakage> foreign() {
        Map<String, Breakage> faults = new LinkedHashMap<>();
        faults.put("empty", empty());
        faults.put("web page", content(ERROR_PAGE));
        faults.put("Git LFS pointer", content(LFS_POINTER));
        faults.put("random bytes", file -> {
            byte[] bytes = new byte[4096];
            new Random(1).nextBytes(bytes);
            Files.write(file, bytes);
        });
        faults.put(
                "zero bytes",
                file -> Files.write(file, new byte[Files.isRegularFile(file) ? (int) Files.size(file) : 100]));
        faults.put("only line feeds", content("\n".repeat(100)));
        return faults;
    }

    /** Only the first bytes are left, so many percent. */
    public static Map<String, Breakage> truncated(int... percents) {
        Map<String, Breakage> faults = new LinkedHashMap<>();
        for (int percent : percents) {
            faults.put("first " + percent + " %", file -> {
                byte[] bytes = Files.readAllBytes(file);
                Files.write(file, Arrays.copyOf(bytes, (int) ((long) bytes.length * percent / 100)));
            });
        }
        return faults;
    }

    /** Bytes are missing at the end. */
    public static Breakage shortened(int bytes) {
        return file -> {
            byte[] all = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(all, all.length - bytes));
        };
    }

    /** There are more bytes, zeros, at the end. */
    public static Breakage lengthened(int bytes) {
        return file -> {
            byte[] all = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(all, all.length + bytes));
        };
    }

    /** One bit is flipped, at a place within a part of the file that the seed chooses. */
    public static Breakage flippedBit(int from, int to, int seed) {
        return file -> {
            byte[] bytes = Files.readAllBytes(file);
            var random = new Random(seed);
            int end = Math.min(to, bytes.length);
            bytes[from + random.nextInt(end - from)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);
        };
    }

    /** As {@link #flippedBit}, with so many seeds. */
    public static Map<String, Breakage> flippedBits(int from, int to, int count) {
        Map<String, Breakage> faults = new LinkedHashMap<>();
        for (int seed = 1; seed <= count; seed++) {
            faults.put("bit flipped, seed " + seed, flippedBit(from, to, seed));
        }
        return faults;
    }

    /** Other bytes at an offset: a little-endian integer. */
    public static Breakage int64At(int offset, long value) {
        return file -> {
            byte[] bytes = Files.readAllBytes(file);
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(offset, value);
            Files.write(file, bytes);
        };
    }

    /** As {@link #int64At}, of 32 bits. */
    public static Breakage int32At(int offset, int value) {
        return file -> {
            byte[] bytes = Files.readAllBytes(file);
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(offset, value);
            Files.write(file, bytes);
        };
    }

    /** Another byte at an offset. */
    public static Breakage byteAt(int offset, int value) {
        return file -> {
            byte[] bytes = Files.readAllBytes(file);
            bytes[offset] = (byte) value;
            Files.write(file, bytes);
        };
    }

    /** Another text, as UTF-8. */
    public static Breakage content(String text) {
        return content(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Other bytes. */
    public static Breakage content(byte[] bytes) {
        return file -> {
            delete(file);
            Files.write(file, bytes);
        };
    }

    /** The first occurrence of a text becomes another, bytes beyond ASCII as they are. */
    public static Breakage replaced(String text, String by) {
        return file -> {
            String all = Files.readString(file, StandardCharsets.ISO_8859_1);
            if (!all.contains(text)) {
                throw new IllegalStateException(file + " has no " + text);
            }
            int at = all.indexOf(text);
            Files.writeString(
                    file, all.substring(0, at) + by + all.substring(at + text.length()), StandardCharsets.ISO_8859_1);
        };
    }

    /** Deletes a file, or a folder with all that is in it. */
    public static void delete(Path file) throws IOException {
        if (Files.isDirectory(file, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            try (var entries = Files.list(file)) {
                for (Path entry : entries.toList()) {
                    delete(entry);
                }
            }
        }
        Files.deleteIfExists(file);
    }

    private static void link(Path file, Path target) throws IOException {
        delete(file);
        Files.createSymbolicLink(file, target);
    }

    /** Runs a command of the operating system, which must succeed. */
    public static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said);
        }
    }
}
