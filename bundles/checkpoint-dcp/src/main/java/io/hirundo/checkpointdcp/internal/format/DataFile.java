package io.hirundo.checkpointdcp.internal.format;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A file of tensor bytes, as the manifest lists it.
 *
 * @param name within the checkpoint's folder
 * @param bytes its length
 * @param places of a checkpoint in memory: where the file and its copy are, each on the node of the rank that holds it; else empty
 */
public record DataFile(
        String name,
        long bytes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> places) {
    /** Pieces begin at multiples of this, so that they can be read and written past the page cache. */
    public static final int ALIGNMENT_BYTES = 4096;

    static final Pattern PATTERN = Pattern.compile("rank-\\d{5,10}\\.data");

    /** {@code places}: null for none. */
    public DataFile {
        places = places == null ? List.of() : List.copyOf(places);
    }

    /** One in the checkpoint's folder. */
    public DataFile(String name, long bytes) {
        this(name, bytes, List.of());
    }

    public static String name(int rank) {
        return "rank-%05d.data".formatted(rank);
    }

    public static long align(long position) {
        return (position + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
    }
}
