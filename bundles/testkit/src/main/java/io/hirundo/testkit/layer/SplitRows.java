package io.hirundo.testkit.layer;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.Sharding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The rows and channels that one rank has of tensors between layers.
 *
 * @param sequences of the microbatch on this rank
 * @param tokens of the microbatch on this rank, by their row in the complete tensor: sequence after sequence of {@link #SEQUENCE_TOKENS}
 * @param pieces of each sequence
 */
record SplitRows(Mesh mesh, int rank, Sharding sharding, int sequences, List<Integer> tokens, int pieces) {
    static final int SEQUENCE_TOKENS = 4;

    static SplitRows of(SplitLayout layout, int rank, Optional<ContextParallel> context) {
        Mesh mesh = layout.mesh();
        int ranks = mesh.size(Axis.CONTEXT);
        int own = mesh.coordinate(rank, Axis.CONTEXT);
        List<Integer> pieces = ranks == 1
                ? List.of(0)
                : context.map(one -> one.pieces(own, ranks)).orElse(List.of(own));
        int pieceTokens = SEQUENCE_TOKENS / (ranks * pieces.size());
        int sequences = layout.sequences() / (mesh.size(Axis.EXPERT) * mesh.size(Axis.DATA));
        int firstSequence =
                (mesh.coordinate(rank, Axis.DATA) * mesh.size(Axis.EXPERT) + mesh.coordinate(rank, Axis.EXPERT))
                        * sequences;
        var tokens = new ArrayList<Integer>();
        for (int piece : pieces) {
            for (int sequence = firstSequence; sequence < firstSequence + sequences; sequence++) {
                for (int token = 0; token < pieceTokens; token++) {
                    tokens.add(sequence * SEQUENCE_TOKENS + piece * pieceTokens + token);
                }
            }
        }
        return new SplitRows(mesh, rank, layout.sharding(), sequences, tokens, pieces.size());
    }

    /** The rows of an activation. */
    List<Integer> rows(Activation activation) {
        boolean splitByTensor =
                activation.rows().stream().anyMatch(dim -> sharding.axes(dim).contains(Axis.TENSOR));
        if (!splitByTensor) {
            return tokens;
        }
        int count = tokens.size() / mesh.size(Axis.TENSOR);
        int first = mesh.coordinate(rank, Axis.TENSOR) * count;
        return tokens.subList(first, first + count);
    }

    /** The channels of an activation, by their column in the complete tensor. */
    List<Integer> columns(Activation activation) {
        var columns = new ArrayList<Integer>();
        int section = 0;
        for (List<Dim> dims : activation.sections()) {
            int width = (int) dims.stream().mapToLong(Dim::extent).reduce(1, Math::multiplyExact);
            Dim outer = dims.getFirst();
            int inner = (int) (width / outer.extent());
            int count = (int) sharding.extent(outer, "the layer under test");
            int first = section + firstOf(outer, count) * inner;
            IntStream.range(first, first + count * inner).forEach(columns::add);
            section += width;
        }
        return columns;
    }

    private int firstOf(Dim dim, int count) {
        if (sharding.axes(dim).isEmpty()) {
            return 0;
        }
        int holders = (int) (mesh.size(Axis.TENSOR) * count / dim.extent());
        return mesh.coordinate(rank, Axis.TENSOR) / holders * count;
    }

    /** Whether other ranks of the tensor axis have the same channels, and a part of their gradient each. */
    boolean sharesGradient(Activation activation, int column) {
        return shareOfGradient(activation, column) != 1;
    }

    /**
     * The part of a channel's gradient on this rank. Ranks that share a key/value head have parts, of different size here, whose sum is the
     * gradient; otherwise 1.
     */
    double shareOfGradient(Activation activation, int column) {
        int section = 0;
        for (List<Dim> dims : activation.sections()) {
            int width = (int) dims.stream().mapToLong(Dim::extent).reduce(1, Math::multiplyExact);
            if (column < section + width) {
                Dim outer = dims.getFirst();
                int ranks = mesh.size(Axis.TENSOR);
                boolean isShared =
                        !sharding.axes(outer).isEmpty() && outer.groupOf().isPresent() && outer.extent() < ranks;
                int holders = isShared ? (int) (ranks / outer.extent()) : 1;
                return (mesh.coordinate(rank, Axis.TENSOR) % holders + 1) / (holders * (holders + 1) / 2.0);
            }
            section += width;
        }
        throw new IllegalArgumentException("column " + column + " is not in " + activation);
    }

    /** This rank's part of a complete tensor, row-major. */
    double[] cut(Activation activation, double[] complete) {
        int width = (int) activation.channels();
        List<Integer> columns = columns(activation);
        return rows(activation).stream()
                .flatMapToDouble(row -> columns.stream().mapToDouble(column -> complete[row * width + column]))
                .toArray();
    }

    /** This rank's part of a complete gradient. */
    double[] cutGradient(Activation activation, double[] complete) {
        int width = (int) activation.channels();
        var parts = complete.clone();
        Arrays.setAll(parts, i -> complete[i] * shareOfGradient(activation, i % width));
        return cut(activation, parts);
    }
}
