package io.hirundo.family;

import io.hirundo.tensor.Shape;
import java.util.Collections;
import java.util.List;

/**
 * A tensor of a format, and the parameters whose values it holds. Most hold one; a fused projection, or all experts of a layer in one
 * tensor, hold several.
 *
 * @param name in the format
 * @param shape in the format
 * @param parts cover its elements exactly once
 */
public record StoredTensor(String name, Shape shape, List<Part> parts) {
    /**
     * A parameter in a stored tensor.
     *
     * @param path published name, as in {@link io.hirundo.model.parameter.ParameterPart#path}
     * @param shape of the parameter; the stored tensor may have more dimensions, and the parameter has extent 1 in those
     * @param offset of its first element in the stored tensor, one entry per dimension of the stored tensor
     * @param headRows rows of a head, if heads are stored with their halves interleaved: rows {@code i} and {@code headRows / 2 + i} of
     *     a head are stored as rows {@code 2i} and {@code 2i + 1}; 0 for rows in order
     */
    public record Part(String path, Shape shape, List<Long> offset, int headRows) {
        public Part {
            offset = List.copyOf(offset);
            if (headRows != 0
                    && (shape.rank() != 2 || headRows < 0 || headRows % 2 != 0 || shape.dim(0) % headRows != 0)) {
                throw new IllegalArgumentException(
                        "heads of " + headRows + " rows are no part of " + path + " " + shape);
            }
        }

        /** The extent in a dimension of a stored tensor of so many dimensions. */
        private long extent(int dim, int rank) {
            int own = dim - (rank - shape.rank());
            return own < 0 ? 1 : shape.dim(own);
        }
    }

    public StoredTensor {
        parts = List.copyOf(parts);
        long elements = 0;
        for (int index = 0; index < parts.size(); index++) {
            requireInside(name, shape, parts.get(index));
            for (Part other : parts.subList(0, index)) {
                if (overlap(shape.rank(), parts.get(index), other)) {
                    throw new IllegalArgumentException("tensor " + name + ": " + other.path() + " and "
                            + parts.get(index).path() + " overlap");
                }
            }
            elements += parts.get(index).shape().elements();
        }
        if (elements != shape.elements()) {
            throw new IllegalArgumentException(
                    "tensor " + name + " is " + shape + ", but its parts have " + elements + " elements");
        }
    }

    /** A parameter that is stored as it is. */
    public static StoredTensor of(String name, String path, Shape shape) {
        return new StoredTensor(name, shape, List.of(new Part(path, shape, Collections.nCopies(shape.rank(), 0L), 0)));
    }

    private static void requireInside(String name, Shape shape, Part part) {
        boolean isInside = part.shape().rank() <= shape.rank() && part.offset().size() == shape.rank();
        for (int dim = 0; isInside && dim < shape.rank(); dim++) {
            long first = part.offset().get(dim);
            isInside = first >= 0 && first + part.extent(dim, shape.rank()) <= shape.dim(dim);
        }
        if (!isInside) {
            throw new IllegalArgumentException("tensor " + name + " is " + shape + ", but holds " + part.path() + " "
                    + part.shape() + " at " + part.offset());
        }
    }

    private static boolean overlap(int rank, Part one, Part other) {
        for (int dim = 0; dim < rank; dim++) {
            long begin = Math.max(one.offset().get(dim), other.offset().get(dim));
            long end = Math.min(
                    one.offset().get(dim) + one.extent(dim, rank),
                    other.offset().get(dim) + other.extent(dim, rank));
            if (begin >= end) {
                return false;
            }
        }
        return true;
    }
}
