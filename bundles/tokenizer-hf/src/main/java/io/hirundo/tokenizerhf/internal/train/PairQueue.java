package io.hirundo.tokenizerhf.internal.train;

import java.util.Arrays;

/**
 * A binary heap of pairs: the most frequent on top, then the one with the smallest ids. It stores each pair's index, so that counts can
 * change.
 */
final class PairQueue {
    private final Pairs pairs;
    private int[] heap = new int[1 << 11];
    private int size;
    /** For each pair, its index in the heap plus one; 0 if it is not in the heap. */
    private int[] placeOf = new int[1 << 11];
    /**
     * For each pair, the count that determined its index. Many counts change before the heap is updated; with copies, only one pair at a time
     * is out of order.
     */
    private long[] countOf = new long[1 << 11];

    PairQueue(Pairs pairs) {
        this.pairs = pairs;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int peek() {
        return heap[0];
    }

    /** Moves a pair after its count has changed: up or down, in, or with a count of 0 out. */
    void update(int pair) {
        if (pair >= placeOf.length) {
            placeOf = Arrays.copyOf(placeOf, Math.max(2 * placeOf.length, pair + 1));
            countOf = Arrays.copyOf(countOf, placeOf.length);
        }
        int place = placeOf[pair] - 1;
        if (pairs.count(pair) == 0) {
            if (place >= 0) {
                remove(place);
            }
            return;
        }
        countOf[pair] = pairs.count(pair);
        if (place < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            place = size++;
        }
        down(up(place, pair), pair);
    }

    private void remove(int place) {
        placeOf[heap[place]] = 0;
        int last = heap[--size];
        if (place < size) {
            down(up(place, last), last);
        }
    }

    /** Makes room for a pair at an index or above; the caller stores it. */
    private int up(int from, int pair) {
        int place = from;
        while (place > 0) {
            int parent = (place - 1) / 2;
            if (!before(pair, heap[parent])) {
                break;
            }
            put(heap[parent], place);
            place = parent;
        }
        return place;
    }

    private void down(int from, int pair) {
        int place = from;
        while (2 * place + 1 < size) {
            int child = 2 * place + 1;
            if (child + 1 < size && before(heap[child + 1], heap[child])) {
                child++;
            }
            if (!before(heap[child], pair)) {
                break;
            }
            put(heap[child], place);
            place = child;
        }
        put(pair, place);
    }

    private boolean before(int pair, int other) {
        return countOf[pair] != countOf[other] ? countOf[pair] > countOf[other] : pairs.hasSmallerIds(pair, other);
    }

    private void put(int pair, int place) {
        heap[place] = pair;
        placeOf[pair] = place + 1;
    }
}
