package io.hirundo.dataloader.internal.megatron;

import io.hirundo.DataException;
import io.hirundo.dataloader.internal.stop.Stop;

/**
 * Which dataset each sample of a blend comes from: always the one that is furthest behind its weight, the first of equals.
 * Six bytes a sample are held.
 *
 * @param dataset by place in the order
 * @param sample by place in the order: how many of that dataset came before
 * @param counts by dataset: how many samples it gives
 */
@SuppressWarnings("ArrayRecordComponent")
public // a table, compared by nobody
record BlendOrder(short[] dataset, int[] sample, int[] counts) {
    public static final long BYTES_PER_SAMPLE = Short.BYTES + Integer.BYTES;

    /** How many more samples a dataset is asked for than its weight says, so that the order never runs past its end. */
    private static final double SURPLUS = 0.005;

    /**
     * Blends.
     *
     * @param shares weights that sum to 1
     * @param requestedSamples the order has slightly more: for each dataset its share, rounded up
     * @param stop ends the work
     */
    public static BlendOrder of(double[] shares, long requestedSamples, Stop stop) {
        long total = 0;
        for (double share : shares) {
            total += share(share, requestedSamples);
        }
        if (total > Integer.MAX_VALUE - 16) {
            throw new DataException(
                    "data.source.options.order: megatron cannot order a blend of " + total + " samples, more than "
                            + (Integer.MAX_VALUE - 16) + "; use order: permuted in a new run, or fewer steps");
        }
        short[] dataset = new short[(int) total];
        int[] sample = new int[(int) total];
        int[] counts = new int[shares.length];
        for (int place = 0; place < total; place++) {
            if ((place & (Stop.EVERY >> 4)) == 0) {
                stop.check(SampleIndex.WHAT);
            }
            int chosen = furthestBehind(shares, counts, Math.max(place, 1));
            dataset[place] = (short) chosen;
            sample[place] = counts[chosen]++;
        }
        return new BlendOrder(dataset, sample, counts);
    }

    /** How many of the first {@code places} come from each dataset. */
    public long[] countsAfter(long places) {
        long[] read = new long[counts.length];
        for (int place = 0; place < places; place++) {
            read[dataset[place]]++;
        }
        return read;
    }

    private static int furthestBehind(double[] shares, int[] counts, double place) {
        int chosen = 0;
        double most = shares[0] * place - counts[0];
        for (int i = 1; i < shares.length; i++) {
            double behind = shares[i] * place - counts[i];
            if (behind > most) {
                most = behind;
                chosen = i;
            }
        }
        return chosen;
    }

    private static long share(double share, long samples) {
        return (long) Math.ceil(samples * share);
    }

    /**
     * Samples to plan for in a dataset. The number decides how many epochs there are and how they are shuffled, so that it has
     * to be Megatron's, which knows nothing of {@link #counts}.
     */
    public long toPlan(int index, double share, long requestedSamples) {
        long withSurplus = (long) Math.ceil(share(share, requestedSamples) * (1 + SURPLUS));
        return Math.max(withSurplus, counts[index]);
    }
}
