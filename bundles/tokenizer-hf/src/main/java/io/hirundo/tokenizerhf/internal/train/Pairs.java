package io.hirundo.tokenizerhf.internal.train;

import java.util.Arrays;

/**
 * Every pair of adjacent tokens seen so far, with its count and positions. Pairs are numbered in the order of first occurrence; a hash
 * table with open addressing maps a pair to its number.
 */
final class Pairs {
    private int[] table = new int[1 << 12];
    private int size;
    private long[] keys = new long[1 << 11];
    private long[] counts = new long[1 << 11];
    private int[][] places = new int[1 << 11][];
    private int[] placeCounts = new int[1 << 11];

    /** Number of the pair; adds it with a count of 0 if it is new. */
    int number(int left, int right) {
        long key = (long) left << 32 | right;
        int slot = slot(key);
        // The table holds numbers plus one, so that 0 is free.
        if (table[slot] != 0) {
            return table[slot] - 1;
        }
        if (size == keys.length) {
            grow();
            slot = slot(key);
        }
        keys[size] = key;
        places[size] = new int[2];
        table[slot] = ++size;
        return size - 1;
    }

    private int slot(long key) {
        int mask = table.length - 1;
        // Fibonacci hashing: the high bits of the product depend on all bits of the key.
        int slot = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & mask;
        while (table[slot] != 0 && keys[table[slot] - 1] != key) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        int capacity = 2 * size;
        keys = Arrays.copyOf(keys, capacity);
        counts = Arrays.copyOf(counts, capacity);
        places = Arrays.copyOf(places, capacity);
        placeCounts = Arrays.copyOf(placeCounts, capacity);
        table = new int[2 * capacity];
        for (int number = 0; number < size; number++) {
            table[slot(keys[number])] = number + 1;
        }
    }

    int size() {
        return size;
    }

    int left(int pair) {
        return (int) (keys[pair] >>> 32);
    }

    int right(int pair) {
        return (int) keys[pair];
    }

    long count(int pair) {
        return counts[pair];
    }

    void add(int pair, long more) {
        counts[pair] += more;
    }

    /** Records a position of the pair's left token. */
    void addPlace(int pair, int place) {
        int[] list = places[pair];
        if (placeCounts[pair] == list.length) {
            list = Arrays.copyOf(list, 2 * list.length);
            places[pair] = list;
        }
        list[placeCounts[pair]++] = place;
    }

    /** Returns and clears the recorded positions, in order; the pair may no longer be there. */
    int[] takePlaces(int pair) {
        int[] list = Arrays.copyOf(places[pair], placeCounts[pair]);
        places[pair] = new int[2];
        placeCounts[pair] = 0;
        return list;
    }

    /** Whether a pair's ids are smaller than another's, comparing the left ids first. */
    boolean hasSmallerIds(int pair, int other) {
        return keys[pair] < keys[other];
    }
}
