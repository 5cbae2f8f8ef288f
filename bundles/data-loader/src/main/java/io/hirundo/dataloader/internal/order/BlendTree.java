package io.hirundo.dataloader.internal.order;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Which dataset of a blend gives the sample of an index, in closed form.
 *
 * <p>Datasets are the leaves of a Huffman tree of their weights. Of the first {@code m} samples of a fork, {@code round(p m)} come
 * from its first branch, whose share of the fork's weight is {@code p} (Bresenham's line), and the others from its second. So
 * exactly one leaf advances with each sample, its count is known for every index in as many multiplications as the tree is deep,
 * and each rounding adds at most half a sample to what a branch inherits of its fork's deviation, times its share: no count is
 * further from the dataset's share than one and a half samples, at any index.
 */
public final class BlendTree {
    /**
     * A sample.
     *
     * @param dataset by its place in the blend
     * @param number of samples that the dataset gave before
     */
    public record Pick(int dataset, long number) {}

    private sealed interface Node {}

    private record Leaf(int dataset) implements Node {}

    /** {@code ratio}: the share of the first branch, in units of 2^-64, unsigned. */
    private record Fork(long ratio, Node first, Node second) implements Node {}

    /** A subtree; {@code age} makes ties, and with them the tree, independent of the queue. */
    private record Weighed(double weight, int age, Node node) {}

    private final Node root;
    private final int datasets;

    /**
     * A blend.
     *
     * @param weights above 0; only their proportions count
     */
    public BlendTree(double... weights) {
        datasets = weights.length;
        var queue =
                new PriorityQueue<>(Comparator.comparingDouble(Weighed::weight).thenComparingInt(Weighed::age));
        for (int dataset = 0; dataset < datasets; dataset++) {
            queue.add(new Weighed(weights[dataset], dataset, new Leaf(dataset)));
        }
        for (int age = datasets; queue.size() > 1; age++) {
            Weighed light = queue.remove();
            Weighed heavy = queue.remove();
            double weight = light.weight() + heavy.weight();
            queue.add(new Weighed(weight, age, new Fork(ratio(light.weight() / weight), light.node(), heavy.node())));
        }
        root = queue.remove().node();
    }

    private static long ratio(double share) {
        // In integers: a rounding of doubles could let a count skip a sample. A share of a double has 53 bits.
        long bits = (long) (share * 0x1p53);
        return Math.clamp(bits, 1, (1L << 53) - 1) << 11;
    }

    /** Of so many samples of a fork, those of its first branch: {@code round(ratio * samples / 2^64)}. */
    private static long ofFirst(long ratio, long samples) {
        return Math.unsignedMultiplyHigh(ratio, samples) + ((ratio * samples) >>> 63);
    }

    /** The sample of an index; at least 0. */
    public Pick at(long index) {
        Node node = root;
        long number = index;
        while (node instanceof Fork fork) {
            long first = ofFirst(fork.ratio(), number);
            boolean isOfFirst = ofFirst(fork.ratio(), number + 1) > first;
            node = isOfFirst ? fork.first() : fork.second();
            number = isOfFirst ? first : number - first;
        }
        return new Pick(((Leaf) node).dataset(), number);
    }

    /** How many of the first {@code samples} come from each dataset. */
    public long[] countsAfter(long samples) {
        long[] counts = new long[datasets];
        count(root, samples, counts);
        return counts;
    }

    private static void count(Node node, long samples, long[] counts) {
        switch (node) {
            case Leaf leaf -> counts[leaf.dataset()] = samples;
            case Fork fork -> {
                long first = ofFirst(fork.ratio(), samples);
                count(fork.first(), first, counts);
                count(fork.second(), samples - first, counts);
            }
        }
    }
}
