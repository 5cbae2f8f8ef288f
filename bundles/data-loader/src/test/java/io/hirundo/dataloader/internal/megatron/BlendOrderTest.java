package io.hirundo.dataloader.internal.megatron;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.dataloader.internal.stop.Stop;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BlendOrderTest {
    @Test
    void equalsMegatronsGolden() {
        var order = BlendOrder.of(new double[] {.7, .2, .1}, 12, Stop.NEVER);
        // ceil(8.4) + ceil(2.4) + ceil(1.2)
        assertEquals(14, order.dataset().length);
        assertArrayEquals(new short[] {0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 0, 1}, Arrays.copyOf(order.dataset(), 12));
        assertArrayEquals(new int[] {0, 0, 1, 0, 2, 3, 1, 4, 5, 6, 7, 2}, Arrays.copyOf(order.sample(), 12));
    }

    @Test
    void equalWeightsAlternateFromTheFirst() {
        assertArrayEquals(
                new short[] {0, 1, 0, 1},
                BlendOrder.of(new double[] {.5, .5}, 4, Stop.NEVER).dataset());
    }

    @Test
    void plansASurplusOfHalfAPercent() {
        double[] shares = {.7, .2, .1};
        var order = BlendOrder.of(shares, 1000, Stop.NEVER);
        for (int i = 0; i < 3; i++) {
            assertEquals((long) Math.ceil(Math.ceil(1000 * shares[i]) * 1.005), order.toPlan(i, shares[i], 1000));
        }
    }

    @Test
    void neverExceedsTheSamplesPlannedForADataset() {
        // Forty shares of a quarter percent, each rounded up to a sample, make the whole so much longer that the usual
        // surplus
        // is not enough for the large one.
        double[] shares = new double[41];
        Arrays.fill(shares, .0025);
        shares[0] = .9;
        var order = BlendOrder.of(shares, 100, Stop.NEVER);
        assertTrue(order.counts()[0] > 91, () -> "counts " + Arrays.toString(order.counts()));
        for (int i = 0; i < shares.length; i++) {
            assertTrue(order.counts()[i] <= order.toPlan(i, shares[i], 100));
        }
    }
}
