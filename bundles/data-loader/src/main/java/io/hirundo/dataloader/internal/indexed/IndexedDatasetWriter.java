package io.hirundo.dataloader.internal.indexed;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.files.DurableFile;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Writes a dataset, document by document, byte-compatible with Megatron's tools, and its checksums. The files get their names only when they
 * are whole and on the disk; closed before that, nothing remains. Used by one thread.
 */
public final class IndexedDatasetWriter implements AutoCloseable {
    private final DatasetFiles target;
    private final DatasetFiles partial;
    private final TokenType type;
    private final OutputFile bin;
    private final OutputFile idx;
    private final OutputFile sums;
    private final BufferedOutput output;
    private final BlockSumsOutput blockSums;
    private final IndexOutput index;
    private long tokens;
    private int largestToken = -1;
    private boolean closed;

    /**
     * Begins a dataset; one that is there already stays until {@link #commit}.
     *
     * @param prefix what the names of its files have in common; missing folders are made
     * @throws StorageException when nothing can be written there
     * @throws io.hirundo.BusyException when another process is writing there
     */
    public static IndexedDatasetWriter create(Path prefix, TokenType type) {
        return create(prefix, type, OutputFile::open);
    }

    static IndexedDatasetWriter create(Path prefix, TokenType type, OutputFile.Opener opener) {
        var target = new DatasetFiles(prefix.toAbsolutePath().normalize());
        try {
            // Also what the files replace when they are complete, which is known before the text is tokenized.
            for (Path file : Stream.of(target, target.partial())
                    .flatMap(DatasetFiles::all)
                    .toList()) {
                OutputFiles.requireFile(file);
            }
            Files.createDirectories(target.prefix().getParent());
            return new IndexedDatasetWriter(target, type, opener);
        } catch (IOException e) {
            throw failure(target, e);
        }
    }

    private IndexedDatasetWriter(DatasetFiles target, TokenType type, OutputFile.Opener opener) throws IOException {
        this.target = target;
        this.type = type;
        partial = target.partial();
        List<OutputFile> opened = new ArrayList<>();
        try {
            for (Path file : List.of(partial.tokens(), partial.index(), partial.sums())) {
                opened.add(opener.open(file));
            }
        } catch (IOException | RuntimeException failure) {
            for (int index = 0; index < opened.size(); index++) {
                opened.get(index).close();
                Files.deleteIfExists(List.of(partial.tokens(), partial.index()).get(index));
            }
            throw failure;
        }
        bin = opened.get(0);
        idx = opened.get(1);
        sums = opened.get(2);
        blockSums = new BlockSumsOutput(sums);
        output = new BufferedOutput(bin, 0, blockSums::add);
        index = new IndexOutput(idx, type);
    }

    /**
     * Appends a document.
     *
     * @throws DataException when a token does not fit the type
     */
    public void add(int[] document) {
        try {
            for (int token : document) {
                type.put(token, output.room(Long.BYTES));
                largestToken = Math.max(largestToken, token);
            }
            index.add(document.length);
        } catch (IOException e) {
            throw failure(target, e);
        }
        tokens += document.length;
    }

    public long documents() {
        return index.documents();
    }

    public long tokens() {
        return tokens;
    }

    /** The largest so far; -1 without any. */
    public int largestToken() {
        return largestToken;
    }

    /**
     * Completes the dataset and gives the files their names, the index last: a reader sees no dataset or all of it.
     *
     * @param describe makes the description of the finished dataset from this writer; its result may be null for none
     * @throws DataException when no document was added
     */
    public void commit(Function<IndexedDatasetWriter, DatasetDescription> describe) {
        if (documents() == 0) {
            throw new DataException("nothing to write to " + target.prefix() + ": the text gave no tokens");
        }
        DatasetDescription description = describe.apply(this);
        try {
            output.flush();
            index.finish();
            blockSums.finish(idx, index.bytes());
            bin.force();
            idx.force();
            sums.force();
            if (description != null) {
                writeDescription(description);
            }
            publish(description != null);
            // Not before: closing gives the lock on the unfinished files back.
            bin.close();
            idx.close();
            sums.close();
        } catch (IOException e) {
            throw failure(target, e);
        }
        closed = true;
    }

    private void writeDescription(DatasetDescription description) throws IOException {
        AtomicFile.write(partial.description(), description.json());
    }

    private void publish(boolean described) throws IOException {
        // Delete the old index first: an index must never stand next to another dataset's tokens.
        Files.deleteIfExists(target.index());
        Files.deleteIfExists(target.description());
        Files.deleteIfExists(target.sums());
        move(partial.tokens(), target.tokens());
        move(partial.sums(), target.sums());
        if (described) {
            move(partial.description(), target.description());
        }
        move(partial.index(), target.index());
        DurableFile.syncNames(target.prefix().getParent());
    }

    private static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static StorageException failure(DatasetFiles files, IOException e) {
        return new StorageException("cannot write the dataset " + OutputFiles.explain(files.prefix(), e), e);
    }

    /** Removes what was written, unless it was committed. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        IOException failure = null;
        // Deleted while still locked: nobody else can have begun to write the same files.
        for (Path file : List.of(partial.tokens(), partial.index(), partial.sums(), partial.description())) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                failure = e;
            }
        }
        for (OutputFile file : List.of(bin, idx, sums)) {
            try {
                file.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw new StorageException(
                    "cannot remove the unfinished files of " + target.prefix() + ": " + Reason.of(failure), failure);
        }
    }
}
