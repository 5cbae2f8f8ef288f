package io.hirundo.model;

import java.util.List;

/**
 * A tensor between layers, [tokens, channels], by its logical dimensions.
 *
 * @param rows dimensions whose product is the tokens
 * @param sections channels, section after section; each is the product of its dimensions. A fused row has several sections
 */
public record Activation(List<Dim> rows, List<List<Dim>> sections) {
    public Activation {
        rows = List.copyOf(rows);
        sections = sections.stream().map(List::copyOf).toList();
    }

    /** The residual stream. */
    public static Activation residual(long hidden) {
        return new Activation(Dims.RESIDUAL_ROWS, List.of(List.of(Dims.hidden(hidden))));
    }

    /** A tensor inside attention or MLP. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public static Activation inside(List<Dim>... sections) {
        return new Activation(Dims.ROWS, List.of(sections));
    }

    /** One section of the same rows. */
    public Activation section(int index) {
        return new Activation(rows, List.of(sections.get(index)));
    }

    /** Channels over all sections and ranks. */
    public long channels() {
        return sections.stream().mapToLong(Activation::extent).sum();
    }

    /** The product of dimensions. */
    static long extent(List<Dim> dims) {
        return dims.stream().mapToLong(Dim::extent).reduce(1, Math::multiplyExact);
    }

    /** As in {@code [sequences, positions] x [[query-heads 8, head 64]]}. */
    @Override
    public String toString() {
        return rows + " x " + sections;
    }
}
