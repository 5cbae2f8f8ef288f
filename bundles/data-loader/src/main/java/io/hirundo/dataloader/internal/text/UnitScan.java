package io.hirundo.dataloader.internal.text;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.data.TextFormat.Layout;
import io.hirundo.dataloader.internal.archive.GzipStream;
import io.hirundo.dataloader.internal.archive.ZipDirectory;
import io.hirundo.dataloader.internal.archive.ZipMember;
import io.hirundo.dataloader.internal.stop.Stop;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Finds what documents can be read from, in a source's files and in the archives among them. */
final class UnitScan {
    private static final String JSON = ".json";

    /** What a compressed text grows by where it does not say. */
    private static final double USUAL_RATIO = 3.5;

    /** The size that a gzip file ends with counts modulo 2^32: of a larger file than this it is not to be trusted. */
    private static final long TRUSTED_GZIP_BYTES = 256L << 20;

    private final Layout layout;
    private final Stop stop;
    private final List<TextUnit> units = new ArrayList<>();

    private UnitScan(Layout layout, Stop stop) {
        this.layout = layout;
        this.stop = stop;
    }

    /**
     * Lists what is in the files, in their order; entries of an archive by name.
     *
     * @param layout of all files; where it is {@link Layout#AUTO}, their names and first bytes decide
     * @param stop ends reads of the units, too
     * @throws DataException if a file is damaged, or JSON but not JSON lines
     */
    static List<TextUnit> scan(SourceFiles files, Layout layout, Stop stop) {
        var scan = new UnitScan(layout, stop);
        for (SourceFiles.Entry file : files.entries()) {
            String origin = files.isFolder()
                    ? files.source().resolve(file.name()).toString()
                    : files.source().toString();
            try {
                scan.add(file, origin, files.isFolder());
            } catch (IOException e) {
                throw new DataException("cannot read " + origin + ": " + Reason.of(e) + "; copy or make it again", e);
            }
        }
        return scan.units;
    }

    private void add(SourceFiles.Entry file, String origin, boolean inFolder) throws IOException {
        String name = file.name().toLowerCase(Locale.ROOT);
        if (file.bytes() == 0) {
            return;
        }
        if (name.endsWith(".zip") || name.endsWith(".jar")) {
            addEntries(file.path(), origin);
        } else if (name.endsWith(".gz")) {
            add(origin, name.substring(0, name.length() - 3), unzippedBytes(file), gzip(file.path(), origin), inFolder);
        } else {
            add(origin, name, file.bytes(), plain(file.path(), origin), inFolder);
        }
    }

    private void add(String origin, String name, long bytes, TextUnit.Access access, boolean inFolder)
            throws IOException {
        units.add(TextUnit.whole(origin, format(origin, name, bytes, access, inFolder), bytes, access));
    }

    /** A text that is all there is gets cut, so that there are documents to divide between training and validation. */
    private TextUnit.Format format(String origin, String name, long bytes, TextUnit.Access access, boolean oneOfMany)
            throws IOException {
        boolean isSmall = oneOfMany && bytes <= TextUnit.LARGE_BYTES;
        TextUnit.Format ofText = isSmall ? TextUnit.Format.WHOLE : TextUnit.Format.PIECES;
        return switch (layout) {
            case TEXT -> ofText;
            case JSONL -> TextUnit.Format.LINES;
            case AUTO -> {
                if (name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
                    yield TextUnit.Format.LINES;
                }
                if (isSmall && !name.endsWith(JSON)) {
                    yield TextUnit.Format.SMALL;
                }
                try (InputStream input = access.open(0)) {
                    yield isLines(origin, name, input.readNBytes(JsonContent.HEAD_BYTES))
                            ? TextUnit.Format.LINES
                            : ofText;
                }
            }
        };
    }

    /**
     * Whether a file is JSON lines.
     *
     * @param name in lower case, without {@code .gz}; one that promises JSON makes anything else an error
     * @param head as {@link JsonContent#of} wants it
     * @throws DataException if it is another kind of JSON, which is most likely no text to train on
     */
    static boolean isLines(String origin, String name, byte[] head) throws IOException {
        return switch (JsonContent.of(head)) {
            case LINES -> true;
            case NONE -> name.endsWith(JSON);
            case DOCUMENT ->
                throw new DataException(origin
                        + " is one JSON document, not JSON lines; write one object per line (jq -c '.[]' does so for an array), remove the file from"
                        + " the text, or read all files as plain text with --format text (eval: --data-format text)");
        };
    }

    private void addEntries(Path zip, String origin) throws IOException {
        List<ZipMember> members = ZipDirectory.read(zip, stop).stream()
                .filter(member -> !member.isFolder() && !isHidden(member.name()))
                .sorted(Comparator.comparing(ZipMember::name))
                .toList();
        for (ZipMember member : members) {
            stop.check(zip);
            String entry = origin + "!" + member.name();
            add(
                    entry,
                    member.name().toLowerCase(Locale.ROOT),
                    member.bytes(),
                    stream(() -> stop.guard(member.open(), entry)),
                    true);
        }
    }

    private static boolean isHidden(String name) {
        return name.startsWith(".") || name.contains("/.");
    }

    private static long unzippedBytes(SourceFiles.Entry file) throws IOException {
        long estimate = (long) (file.bytes() * USUAL_RATIO);
        if (file.bytes() < 18 || file.bytes() > TRUSTED_GZIP_BYTES) {
            return estimate;
        }
        try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ)) {
            var tail = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            channel.read(tail, file.bytes() - Integer.BYTES);
            long said = Integer.toUnsignedLong(tail.getInt(0));
            // Of several members it is the last one's. A text smaller than its compressed form is tiny.
            return said * 2 >= file.bytes() ? said : estimate;
        }
    }

    /** Opens the bytes. */
    @FunctionalInterface
    private interface Opener {
        InputStream open() throws IOException;
    }

    private static TextUnit.Access stream(Opener opener) {
        return new TextUnit.Access() {
            @Override
            public InputStream open(long at) throws IOException {
                return opener.open();
            }

            @Override
            public boolean isStream() {
                return true;
            }
        };
    }

    private TextUnit.Access gzip(Path path, String origin) {
        return stream(() -> new GzipStream(plain(path, origin).open(0)));
    }

    private TextUnit.Access plain(Path path, String origin) {
        return new TextUnit.Access() {
            @Override
            public InputStream open(long at) throws IOException {
                FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
                return stop.guard(Channels.newInputStream(channel.position(at)), origin);
            }

            @Override
            public boolean isStream() {
                return false;
            }
        };
    }
}
