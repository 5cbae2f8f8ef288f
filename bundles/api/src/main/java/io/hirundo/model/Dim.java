package io.hirundo.model;

import java.util.Optional;

/**
 * A logical dimension of weights and activations. Parallel strategies say by its name which axes split it; a name that no strategy
 * knows is never split.
 *
 * @param name for instance {@code query-heads}; see {@link Dims}
 * @param extent number of elements, over all ranks; {@link #PER_MICROBATCH} for rows
 * @param groupOf the dimension whose elements each of these serves a group of, as a key/value head serves query heads; it is split
 *     like that one, and ranks that outnumber its elements share them
 */
public record Dim(String name, long extent, Optional<Dim> groupOf) {
    /** Extent of a dimension that each microbatch determines. */
    public static final long PER_MICROBATCH = -1;

    public Dim {
        if (extent < 1 && extent != PER_MICROBATCH) {
            throw new IllegalArgumentException(
                    "dimension " + name + ": extent is " + extent + " (allowed: at least 1)");
        }
    }

    public Dim(String name, long extent) {
        this(name, extent, Optional.empty());
    }

    /** The dimension that decides how this one is split. */
    public Dim leader() {
        return groupOf.orElse(this);
    }

    /** As in {@code kv-heads 8}. */
    @Override
    public String toString() {
        return extent == PER_MICROBATCH ? name : name + " " + extent;
    }
}
