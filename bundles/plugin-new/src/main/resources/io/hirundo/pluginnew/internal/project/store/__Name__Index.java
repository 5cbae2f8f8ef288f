package __package__;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * What an archive holds. The archive's comment has the step and a checksum of all names, lengths and checksums: a zip alone does not
 * protect these.
 *
 * @param step completed steps
 * @param files in the order of the archive
 */
record __Name__Index(long step, List<Stored> files) {
    private static final Pattern COMMENT = Pattern.compile("step (\\d{1,18}) crc ([0-9a-f]{8})");

    /**
     * A file.
     *
     * @param name relative to the checkpoint's folder, with {@code /}
     * @param bytes its length
     * @param crc CRC-32 of its contents
     */
    record Stored(String name, long bytes, long crc) {}

    long bytes() {
        return files.stream().mapToLong(Stored::bytes).sum();
    }

    /** The comment of its archive. */
    String comment() {
        var crc = new CRC32();
        for (Stored file : files) {
            crc.update((file.name() + "\n" + file.bytes() + " " + file.crc() + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return "step %d crc %08x".formatted(step, crc.getValue());
    }

    /**
     * The index of an archive.
     *
     * @throws ZipException if the comment does not match
     */
    static __Name__Index of(ZipFile archive) throws ZipException {
        String comment = archive.getComment() == null ? "" : archive.getComment();
        Matcher words = COMMENT.matcher(comment);
        if (!words.matches()) {
            throw new ZipException("the archive comment is not an index");
        }
        var index = new __Name__Index(
                Long.parseLong(words.group(1)),
                archive.stream().map(__Name__Index::stored).toList());
        if (!index.comment().equals(comment)) {
            throw new ZipException("its entries are not those of its index");
        }
        return index;
    }

    private static Stored stored(ZipEntry entry) {
        return new Stored(entry.getName(), entry.getSize(), entry.getCrc());
    }
}
