package io.hirundo.dataloader.internal.indexed;

import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The files of a dataset.
 *
 * @param prefix what their names have in common
 */
public record DatasetFiles(Path prefix) {
    /** Tokens, one after the other. */
    public Path tokens() {
        return with(".bin");
    }

    /** Where each document begins. */
    public Path index() {
        return with(".idx");
    }

    /** What the dataset was made of; only datasets that Hirundo wrote have it. */
    public Path description() {
        return with(".json");
    }

    /** Checksums of the tokens' blocks and of the index; only datasets that Hirundo wrote have it. */
    public Path sums() {
        return with(".sums");
    }

    /** Every file of the dataset, whether it is there or not. */
    Stream<Path> all() {
        return Stream.of(tokens(), index(), description(), sums());
    }

    private Path with(String suffix) {
        return prefix.resolveSibling(prefix.getFileName() + suffix);
    }

    /** The same files while they are being written: in the final ones' folder, so that a rename moves no bytes. */
    DatasetFiles partial() {
        return new DatasetFiles(prefix.resolveSibling("." + prefix.getFileName() + ".partial"));
    }
}
