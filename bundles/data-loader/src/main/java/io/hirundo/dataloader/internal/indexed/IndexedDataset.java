package io.hirundo.dataloader.internal.indexed;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.command.ShellLine;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.lib.input.MappedFault;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/** A dataset of token sequences in a {@code .bin} and an {@code .idx} file, memory-mapped. Reading is thread-safe. */
public final class IndexedDataset implements AutoCloseable {
    private final DatasetFiles files;
    private final Arena arena;
    private final DatasetIndex index;
    private final MemorySegment bin;
    private final DatasetDescription description;

    /** At most 64 MiB of most types. */
    private static final long MOST_SCANNED_TOKENS = 1 << 24;

    /** Null before it is wanted. */
    private OptionalInt largestToken;

    /** Null where there are none, or they are not to be verified. */
    private final BlockSums sums;

    private IndexedDataset(DatasetFiles files, Arena arena, boolean verify, Stop stop) {
        this.files = files;
        this.arena = arena;
        index = DatasetIndex.open(files.index(), arena, stop);
        bin = MappedFiles.map(files.tokens(), arena);
        long expected = index.tokens() * index.type().bytes();
        if (bin.byteSize() != expected) {
            throw new DataException(
                    files.tokens() + (bin.byteSize() < expected ? " is cut short: " : " does not belong to its index: ")
                            + bin.byteSize() + " bytes, but " + files.index() + " tells of " + expected
                            + "; make the dataset again, or copy its files again");
        }
        description = DatasetDescription.read(files.description()).orElse(null);
        if (description != null && (description.tokens() != tokens() || description.documents() != documents())) {
            throw new DataException(files.description() + " describes another dataset, of " + description.documents()
                    + " documents and "
                    + description.tokens() + " tokens instead of " + documents() + " and " + tokens()
                    + "; delete it if the .bin and .idx are right");
        }
        sums = verify ? BlockSums.open(files, bin, index.segment(), arena, stop).orElse(null) : null;
    }

    /** Opens a dataset whose blocks are checked when they are first read, where it has checksums; else as below. */
    public static IndexedDataset open(Path prefix) {
        return open(prefix, true, Stop.NEVER);
    }

    /**
     * Opens a dataset and checks all of its index. The caller closes it, when nobody reads any more.
     *
     * @param prefix what the names of its files have in common
     * @param verify whether blocks are compared with their checksums, where there are some
     * @param stop ends the check of the index
     * @throws DataException that names the file that is missing or damaged, and its fault
     */
    public static IndexedDataset open(Path prefix, boolean verify, Stop stop) {
        Arena arena = Arena.ofShared();
        try {
            return new IndexedDataset(new DatasetFiles(prefix), arena, verify, stop);
        } catch (RuntimeException | Error failure) {
            arena.close();
            throw failure;
        }
    }

    public DatasetFiles files() {
        return files;
    }

    public TokenType type() {
        return index.type();
    }

    public int sequences() {
        return index.sequences();
    }

    public long documents() {
        return index.documents();
    }

    public long tokens() {
        return index.tokens();
    }

    /** Tokens of a sequence. */
    public int length(int sequence) {
        return index.length(sequence);
    }

    /** What the dataset was made of, where it says so. */
    public Optional<DatasetDescription> description() {
        return Optional.ofNullable(description);
    }

    /**
     * The largest token: of the description, else read from all tokens of a dataset that is small enough for that at every opening.
     *
     * @return empty if it is unknown
     */
    public synchronized OptionalInt largestToken() {
        if (largestToken == null) {
            largestToken = findLargestToken();
        }
        return largestToken;
    }

    private OptionalInt findLargestToken() {
        if (description != null) {
            return OptionalInt.of(description.largestToken());
        }
        if (tokens() > MOST_SCANNED_TOKENS) {
            return OptionalInt.empty();
        }
        int[] chunk = new int[(int) Math.min(tokens(), BlockSums.BLOCK_BYTES)];
        int largest = -1;
        for (long at = 0; at < tokens(); at += chunk.length) {
            int count = (int) Math.min(chunk.length, tokens() - at);
            readTokens(at, chunk, 0, count);
            for (int i = 0; i < count; i++) {
                if (chunk[i] < 0) {
                    throw new DataException(files.tokens() + " holds token " + chunk[i] + " at " + (at + i)
                            + ", which no vocabulary has; make the dataset again");
                }
                largest = Math.max(largest, chunk[i]);
            }
        }
        return OptionalInt.of(largest);
    }

    /**
     * Copies tokens of a sequence.
     *
     * @param offset of the first one in the sequence
     * @param into receives {@code count} of them from {@code first} on
     */
    public void read(int sequence, int offset, int[] into, int first, int count) {
        if (offset < 0 || count < 0 || offset > index.length(sequence) - count) {
            throw new IndexOutOfBoundsException(count + " tokens at " + offset + " of sequence " + sequence
                    + ", which has " + index.length(sequence));
        }
        readTokens(index.firstToken(sequence) + offset, into, first, count);
    }

    /** Tokens before a sequence: all sequences follow each other without a gap. Of one after the last, all of the dataset's. */
    public long firstToken(int sequence) {
        return index.firstToken(sequence);
    }

    /** The sequence that holds a token. */
    int sequenceOf(long token) {
        return index.sequenceOf(token);
    }

    /** The document that holds a sequence. */
    long documentOf(int sequence) {
        return index.documentOf(sequence);
    }

    /**
     * Copies tokens, across the borders of sequences.
     *
     * @param token place of the first one in the dataset
     * @param into receives {@code count} of them from {@code first} on
     */
    public void readTokens(long token, int[] into, int first, int count) {
        Objects.checkFromIndexSize(token, count, tokens());
        long at = token * index.type().bytes();
        try {
            requireIntact(at, (long) count * index.type().bytes());
            copy(token, into, first, count);
            MappedFault.await();
        } catch (InternalError failure) {
            throw MappedFiles.fault(files.tokens(), failure);
        }
    }

    private void copy(long token, int[] into, int first, int count) {
        try {
            index.type().read(bin, token * index.type().bytes(), into, first, count);
        } catch (DataException failure) {
            throw new DataException(
                    files.tokens() + ", sequence " + index.sequenceOf(token) + " or after: " + Reason.of(failure),
                    failure);
        }
    }

    private void requireIntact(long at, long bytes) {
        long damaged = sums == null ? -1 : sums.firstDamaged(at, bytes);
        if (damaged >= 0) {
            throw new DataException(verification().describe(damaged)
                    + ": it differs from its checksum; copy or make the dataset " + "again, and look for more with "
                    + ShellLine.of("data", "verify", files.prefix().toString()));
        }
    }

    /** Whether it can be compared with checksums. */
    public boolean hasChecksums() {
        return sums != null;
    }

    /**
     * Compares all of the dataset with its checksums.
     *
     * @throws DataException when it has none
     */
    public DatasetVerification verification() {
        if (sums == null) {
            throw new DataException("there is no " + files.sums() + " to compare " + files.prefix() + " with: only "
                    + ShellLine.of("data", "tokenize") + " writes checksums; " + ShellLine.of("data", "inspect")
                    + " reads all tokens");
        }
        return new DatasetVerification(this, sums);
    }

    /** Which documents have bytes of these, for people. */
    String documentsOf(long firstByte, long endByte) {
        long first = index.documentOf(index.sequenceOf(firstByte / index.type().bytes()));
        long last =
                index.documentOf(index.sequenceOf((endByte - 1) / index.type().bytes()));
        return first == last ? "document " + first : "documents " + first + " to " + last;
    }

    /** All tokens of a sequence. */
    public int[] read(int sequence) {
        int[] tokens = new int[length(sequence)];
        read(sequence, 0, tokens, 0, tokens.length);
        return tokens;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
