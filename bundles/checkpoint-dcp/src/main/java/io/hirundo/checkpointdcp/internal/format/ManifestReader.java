package io.hirundo.checkpointdcp.internal.format;

import io.hirundo.CheckpointException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.json.JsonInput;
import io.hirundo.tensor.DType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The fields of a manifest, each of the kind and within the bounds that it must have. Whether they fit each other is for {@link
 * ManifestCheck}.
 */
final class ManifestReader {
    /** More than any tensor has; a list of 100,000 is no shape. */
    private static final int MAX_DIMS = 16;

    /** What a checkpoint's name can hold. */
    private static final long MAX_STEP = 999_999_999_999_999_999L;

    private static final int MAX_PLACES = 16;
    private static final Pattern ID = Pattern.compile("[0-9a-f]{1,64}");
    private static final Pattern CHECKSUMS = Pattern.compile("(?:[0-9a-f]{8})*+");

    private final JsonInput in;
    private final String where;
    private final Map<String, Supplier<?>> headerFields;
    private final Map<String, Supplier<?>> fields;
    private final Map<String, Supplier<?>> fileFields;
    private final Map<String, Supplier<?>> tensorFields;
    private final Map<String, Supplier<?>> shardFields;
    private final Map<String, Supplier<?>> placeFields;

    private ManifestReader(JsonInput in, String where) {
        this.in = in;
        this.where = where;
        this.fields = Map.of(
                "header",
                this::header,
                "step",
                () -> in.whole(0, MAX_STEP),
                "chunkBytes",
                this::chunkBytes,
                "values",
                this::values,
                "files",
                () -> in.list(this::file),
                "tensors",
                () -> in.list(this::tensor));
        this.headerFields = Map.of(
                "format",
                in::text,
                "version",
                () -> in.whole(0, Integer.MAX_VALUE),
                "id",
                this::id,
                "createdBy",
                in::text);
        this.fileFields = Map.of("name", this::fileName, "bytes", () -> in.whole(0, Long.MAX_VALUE));
        this.tensorFields = Map.of(
                "key", in::text, "dtype", this::dtype, "shape", this::sizes, "shards", () -> in.list(this::shard));
        this.shardFields = Map.of(
                "offset", this::sizes,
                "shape", this::sizes,
                "place", this::place,
                "crc32c", () -> in.text(CHECKSUMS, "checksums of eight hexadecimal digits each"));
        this.placeFields = Map.of(
                "file", () -> in.whole(0, Integer.MAX_VALUE),
                "byteOffset", () -> in.whole(0, Long.MAX_VALUE),
                "byteLength", () -> in.whole(0, Long.MAX_VALUE));
    }

    /**
     * Reads a manifest.
     *
     * @param text holds it from {@code begin} on
     * @param where what the text is, for messages
     * @throws CheckpointException names the field that is wrong
     */
    static Manifest read(byte[] text, int begin, int length, String where) {
        try (var in = new JsonInput(text, begin, length, where, CheckpointException::new)) {
            Manifest manifest = new ManifestReader(in, where).manifest();
            in.end();
            return manifest;
        }
    }

    private Manifest manifest() {
        Map<String, Object> read = in.object(fields, Map.of());
        return new Manifest(
                (Manifest.Header) read.get("header"),
                (long) read.get("step"),
                (int) read.get("chunkBytes"),
                map(read.get("values")),
                list(read.get("files")),
                list(read.get("tensors")));
    }

    /** Comes first, so that the version is known before fields that it may have changed. */
    private Manifest.Header header() {
        Map<String, Object> read = in.object(headerFields, Map.of());
        var header = new Manifest.Header(
                (String) read.get("format"), (int) (long) read.get("version"), (String) read.get("id"), (String)
                        read.get("createdBy"));
        if (!Manifest.FORMAT.equals(header.format()) || header.version() != Manifest.VERSION) {
            throw new CheckpointException(
                    where + " is a " + Excerpt.of(header.format()) + " of version " + header.version() + ", written by "
                            + Excerpt.of(header.createdBy()) + "; this program reads " + Manifest.FORMAT
                            + " of version " + Manifest.VERSION
                            + ": use the version of Hirundo that wrote it");
        }
        return header;
    }

    private String id() {
        return in.text(ID, "1 to 64 hexadecimal digits");
    }

    private int chunkBytes() {
        long bytes = in.whole(DataFile.ALIGNMENT_BYTES, Integer.MAX_VALUE);
        in.require(bytes % DataFile.ALIGNMENT_BYTES == 0, "a multiple of " + DataFile.ALIGNMENT_BYTES);
        return (int) bytes;
    }

    private Map<String, Object> values() {
        Map<String, Object> values = in.map();
        values.forEach((name, value) -> {
            if (value == null) {
                throw new CheckpointException(
                        where + ": field values." + Excerpt.of(name) + " is null (allowed: any other value)");
            }
        });
        return values;
    }

    private DataFile file() {
        Map<String, Object> read = in.object(fileFields, Map.of("places", () -> in.list(in::text, MAX_PLACES)));
        return new DataFile((String) read.get("name"), (long) read.get("bytes"), list(read.get("places")));
    }

    private String fileName() {
        return in.text(DataFile.PATTERN, "rank-NNNNN.data");
    }

    private SavedTensor tensor() {
        Map<String, Object> read = in.object(tensorFields, Map.of());
        return new SavedTensor(
                (String) read.get("key"), (DType) read.get("dtype"), list(read.get("shape")), list(read.get("shards")));
    }

    private DType dtype() {
        String name = in.text();
        return Arrays.stream(DType.values())
                .filter(dtype -> dtype.name().equals(name))
                .findFirst()
                .orElseGet(() -> {
                    in.require(
                            false,
                            String.join(
                                    ", ",
                                    Arrays.stream(DType.values())
                                            .map(DType::name)
                                            .toList()));
                    return null;
                });
    }

    private List<Long> sizes() {
        return in.list(() -> in.whole(0, Long.MAX_VALUE), MAX_DIMS);
    }

    private SavedShard shard() {
        Map<String, Object> read = in.object(shardFields, Map.of());
        return new SavedShard(
                list(read.get("offset")), list(read.get("shape")), (SavedShard.Place) read.get("place"), (String)
                        read.get("crc32c"));
    }

    private SavedShard.Place place() {
        Map<String, Object> read = in.object(placeFields, Map.of());
        return new SavedShard.Place(
                (int) (long) read.get("file"), (long) read.get("byteOffset"), (long) read.get("byteLength"));
    }

    /** Of elements that were read as such; null where there was none. */
    @SuppressWarnings("unchecked")
    private static <T> List<T> list(Object value) {
        return (List<T>) value;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
