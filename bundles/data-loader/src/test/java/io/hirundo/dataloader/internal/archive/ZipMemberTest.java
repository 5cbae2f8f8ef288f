package io.hirundo.dataloader.internal.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.dataloader.internal.stop.Stop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ZipMemberTest {
    private static final String TEXT = "The quick brown fox jumps over the lazy dog. ".repeat(20);

    @TempDir
    private Path folder;

    /** An archive of one stored and one deflated entry, as most programs write them, or as Java does: with lengths after the data. */
    private static byte[] archive(boolean describedAfter) {
        if (describedAfter) {
            var bytes = new ByteArrayOutputStream();
            try (var zip = new ZipOutputStream(bytes)) {
                for (String name : List.of("a.txt", "d/b.txt")) {
                    zip.putNextEntry(new ZipEntry(name));
                    zip.write(TEXT.getBytes(StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return bytes.toByteArray();
        }
        return new Archive(false)
                .add("a.txt", ZipMember.STORED)
                .add("d/b.txt", ZipMember.DEFLATED)
                .end();
    }

    /** Writes what {@link ZipOutputStream} cannot: lengths before the data, and zip64 fields. */
    private static final class Archive {
        private final ByteBuffer file = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        private final ByteBuffer directory = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        private final boolean isWide;
        private int entries;

        Archive(boolean isWide) {
            this.isWide = isWide;
        }

        Archive add(String name, int method) {
            byte[] text = TEXT.getBytes(StandardCharsets.UTF_8);
            byte[] data = method == ZipMember.STORED ? text : deflate(text);
            var sum = new CRC32();
            sum.update(text);
            int header = file.position();
            int extra = isWide ? 20 : 0;
            file.putInt(0x04034b50);
            common(file, method, (int) sum.getValue(), data.length, text.length, name, extra);
            file.put(name.getBytes(StandardCharsets.UTF_8));
            wide(file, text.length, data.length, -1);
            file.put(data);
            directory.putInt(0x02014b50).putShort((short) 20);
            common(directory, method, (int) sum.getValue(), data.length, text.length, name, isWide ? 28 : 0);
            directory
                    .putShort((short) 0)
                    .putShort((short) 0)
                    .putShort((short) 0)
                    .putInt(0)
                    .putInt(isWide ? -1 : header);
            directory.put(name.getBytes(StandardCharsets.UTF_8));
            wide(directory, text.length, data.length, header);
            entries++;
            return this;
        }

        private void common(ByteBuffer into, int method, int sum, int compressed, int bytes, String name, int extra) {
            into.putShort((short) 20)
                    .putShort((short) 0)
                    .putShort((short) method)
                    .putInt(0)
                    .putInt(sum);
            into.putInt(isWide ? -1 : compressed)
                    .putInt(isWide ? -1 : bytes)
                    .putShort((short) name.length())
                    .putShort((short) extra);
        }

        private void wide(ByteBuffer into, long bytes, long compressed, long header) {
            if (isWide) {
                into.putShort((short) 1)
                        .putShort((short) (header < 0 ? 16 : 24))
                        .putLong(bytes)
                        .putLong(compressed);
                if (header >= 0) {
                    into.putLong(header);
                }
            }
        }

        private static byte[] deflate(byte[] text) {
            var deflater = new Deflater(9, true);
            deflater.setInput(text);
            deflater.finish();
            byte[] data = new byte[text.length];
            int length = deflater.deflate(data);
            deflater.end();
            return Arrays.copyOf(data, length);
        }

        byte[] end() {
            int begin = file.position();
            file.put(directory.flip());
            int size = file.position() - begin;
            int end = file.position();
            if (isWide) {
                file.putInt(0x06064b50)
                        .putLong(44)
                        .putInt(0)
                        .putInt(0)
                        .putInt(0)
                        .putLong(entries)
                        .putLong(entries)
                        .putLong(size)
                        .putLong(begin);
                file.putInt(0x07064b50).putInt(0).putLong(end).putInt(1);
            }
            file.putInt(0x06054b50).putInt(0).putShort((short) entries).putShort((short) entries);
            file.putInt(isWide ? -1 : size).putInt(isWide ? -1 : begin).putShort((short) 0);
            return Arrays.copyOf(file.array(), file.position());
        }
    }

    private List<String> read(byte[] archive) throws IOException {
        Path zip = Files.write(folder.resolve("x.zip"), archive);
        List<String> texts = new ArrayList<>();
        for (ZipMember member : ZipDirectory.read(zip, Stop.NEVER)) {
            try (var in = member.open()) {
                texts.add(member.name() + "=" + new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return texts;
    }

    @Test
    void readsStoredAndDeflatedEntriesBehindOtherBytesAndWithZip64() throws IOException {
        List<String> expected = List.of("a.txt=" + TEXT, "d/b.txt=" + TEXT);
        assertEquals(expected, read(archive(false)));
        assertEquals(expected, read(archive(true)));
        assertEquals(
                expected,
                read(new Archive(true).add("a.txt", 0).add("d/b.txt", 8).end()));
        var behind = new ByteArrayOutputStream();
        behind.writeBytes("#!/bin/sh\n".getBytes(StandardCharsets.UTF_8));
        behind.writeBytes(archive(false));
        behind.writeBytes(new byte[100]);
        assertEquals(expected, read(behind.toByteArray()));
        assertEquals(List.of(), read(new Archive(false).end()));
    }

    /** Only fields that say nothing about the data may change it unnoticed: versions, times, attributes, flags, comments. */
    @Test
    void everyFlippedByteIsRejectedOrChangesNoText() throws IOException {
        for (boolean describedAfter : new boolean[] {false, true}) {
            byte[] sound = archive(describedAfter);
            List<String> expected = read(sound);
            for (int at = 0; at < sound.length; at++) {
                byte[] damaged = sound.clone();
                damaged[at] ^= 0x15;
                List<String> found;
                try {
                    found = read(damaged);
                } catch (IOException rejected) {
                    continue;
                }
                assertEquals(expected, found, "byte " + at + " of " + sound.length);
            }
        }
    }

    @Test
    void rejectsAHeaderThatDiffersFromTheDirectory() {
        byte[] sound = archive(false);
        // Of the first entry's header: method, checksum, compressed and plain length, name.
        for (int at : new int[] {8, 14, 18, 22, 30}) {
            byte[] damaged = sound.clone();
            damaged[at] ^= 1;
            assertTrue(
                    assertThrows(IOException.class, () -> read(damaged))
                            .getMessage()
                            .contains("differs from the directory"),
                    "byte " + at);
        }
    }

    @Test
    void rejectsCutArchivesAndEncryptedEntries() {
        byte[] sound = archive(false);
        for (int length = 0; length < sound.length; length += 7) {
            byte[] cut = Arrays.copyOf(sound, length);
            assertThrows(IOException.class, () -> read(cut));
        }
        int directory = new String(sound, StandardCharsets.ISO_8859_1).indexOf("PK\u0001\u0002");
        sound[directory + 8] |= 1;
        assertTrue(
                assertThrows(IOException.class, () -> read(sound)).getMessage().contains("is encrypted"));
    }
}
