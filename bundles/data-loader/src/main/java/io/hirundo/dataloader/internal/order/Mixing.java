package io.hirundo.dataloader.internal.order;

/** Hashing of 64-bit values. */
public final class Mixing {
    private Mixing() {}

    /** The finalizer of SplitMix64 (Steele, Lea and Flood 2014, OOPSLA): every bit of the value changes each bit of the result. */
    public static long mix(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** Of a name: FNV-1a over its characters, begun with the seed. */
    public static long hash(String name, long seed) {
        long hash = 0xcbf29ce484222325L ^ mix(seed);
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
        }
        return mix(hash);
    }
}
