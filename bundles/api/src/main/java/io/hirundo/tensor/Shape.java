package io.hirundo.tensor;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Shape of a row-major tensor, outermost dimension first. An empty shape is a scalar with one element.
 *
 * @param dims each at least 0
 */
public record Shape(List<Long> dims) {
    public Shape {
        dims = List.copyOf(dims);
        // By index, without an iterator: a plan of a large run makes millions of shapes.
        for (int index = 0; index < dims.size(); index++) {
            if (dims.get(index) < 0) {
                throw new IllegalArgumentException(
                        "shape " + dims + " is wrong (allowed: 0 or more in each dimension)");
            }
        }
    }

    public static Shape of(long... dims) {
        // Without a stream: a plan of a large run makes millions of shapes.
        var boxed = new Long[dims.length];
        for (int index = 0; index < dims.length; index++) {
            boxed[index] = dims[index];
        }
        return new Shape(List.of(boxed));
    }

    public int rank() {
        return dims.size();
    }

    /** Size of a dimension; negative indices count from the innermost, as in {@code dim(-1)}. */
    public long dim(int index) {
        return dims.get(index < 0 ? dims.size() + index : index);
    }

    public long elements() {
        return product(dims.size());
    }

    private long product(int count) {
        long product = 1;
        for (int index = 0; index < count; index++) {
            product = Math.multiplyExact(product, dims.get(index));
        }
        return product;
    }

    /** Rows of this shape as a matrix: the product of all dimensions but the innermost. Rows may be empty. */
    public long rows() {
        return product(Math.max(0, dims.size() - 1));
    }

    /** Columns of this shape as a matrix: the innermost dimension; 1 for a scalar. */
    public long columns() {
        return dims.isEmpty() ? 1 : dims.getLast();
    }

    public long byteSize(DType dtype) {
        return Math.multiplyExact(elements(), dtype.byteSize());
    }

    /** For instance {@code [2048, 288]}. */
    @Override
    public String toString() {
        return dims.stream().map(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
    }
}
