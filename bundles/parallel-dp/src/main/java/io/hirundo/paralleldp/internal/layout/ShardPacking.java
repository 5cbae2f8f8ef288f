package io.hirundo.paralleldp.internal.layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

/**
 * Some of a layout's parameters on their way: each rank packs its runs of them. Where the layout's slices are equal, all send as much as the
 * one that has most; otherwise each sends what it has.
 *
 * @param ofRank for each rank its pieces, in the order of the layout
 * @param shards what each rank sends, multiples of {@link BucketLayout#ALIGNMENT_ELEMENTS}
 */
public record ShardPacking(List<List<Piece>> ofRank, Shards shards) {
    /**
     * What a rank has of a parameter.
     *
     * @param firstOfShard where it begins in what the rank sends
     */
    public record Piece(BucketLayout.Place place, BucketLayout.Run run, long firstOfShard) {}

    public ShardPacking {
        ofRank = List.copyOf(ofRank);
    }

    public static ShardPacking of(BucketLayout layout, Predicate<BucketLayout.Place> chosen) {
        List<BucketLayout.Place> places =
                layout.places().stream().filter(chosen).toList();
        if (places.isEmpty()) {
            return new ShardPacking(Collections.nCopies(layout.ranks(), List.of()), Shards.even(layout.ranks(), 0));
        }
        var ofRank = new ArrayList<List<Piece>>();
        var sizes = new long[layout.ranks()];
        for (int rank = 0; rank < layout.ranks(); rank++) {
            var pieces = new ArrayList<Piece>();
            long used = 0;
            for (BucketLayout.Place place : places) {
                var run = layout.run(place, rank);
                if (run.isPresent()) {
                    pieces.add(new Piece(place, run.get(), used));
                    used += run.get().elements();
                }
            }
            ofRank.add(List.copyOf(pieces));
            sizes[rank] = Math.ceilDiv(used, BucketLayout.ALIGNMENT_ELEMENTS) * BucketLayout.ALIGNMENT_ELEMENTS;
        }
        boolean even = layout.shards().isEven();
        return new ShardPacking(
                ofRank,
                even
                        ? Shards.even(
                                layout.ranks(),
                                layout.ranks() * Arrays.stream(sizes).max().orElse(0))
                        : Shards.of(sizes));
    }

    public boolean isEmpty() {
        return shards.elements() == 0;
    }

    /** Of all ranks. */
    public long elements() {
        return shards.elements();
    }

    /** Work on a piece and what all have sent. */
    @FunctionalInterface
    public interface Visitor {
        /** {@code first}: where the piece begins among what all have sent. */
        void visit(Piece piece, long first);
    }

    /** Goes through the pieces of one rank. */
    public void each(int rank, Visitor visitor) {
        ofRank.get(rank).forEach(piece -> visitor.visit(piece, shards.first(rank) + piece.firstOfShard()));
    }

    /** Goes through the pieces of all ranks, in the order of the layout. */
    public void each(Visitor visitor) {
        for (int rank = 0; rank < ofRank.size(); rank++) {
            each(rank, visitor);
        }
    }
}
