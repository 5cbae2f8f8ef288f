package io.hirundo.model;

/**
 * An element of a dimension whose elements have tensors of their own, as experts have. Ranks that split the dimension have the tensors of
 * their own elements only.
 *
 * @param dim for instance {@link Dims#experts}
 * @param index from 0
 */
public record Member(Dim dim, long index) {
    /**
     * @throws IllegalArgumentException if the dimension has no such element
     */
    public Member {
        if (index < 0 || index >= dim.extent()) {
            throw new IllegalArgumentException(
                    "element " + index + " of " + dim + " is wrong (allowed: 0 to " + (dim.extent() - 1) + ")");
        }
    }
}
