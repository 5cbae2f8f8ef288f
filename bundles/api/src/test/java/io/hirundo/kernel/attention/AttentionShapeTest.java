package io.hirundo.kernel.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.tensor.DType;
import org.junit.jupiter.api.Test;

class AttentionShapeTest {
    private static final Heads HEADS = new Heads(4, 2, 64);

    private static AttentionOptions effective(int tokens, AttentionOptions options) {
        return AttentionShape.causal(2, tokens, HEADS).with(options).effectiveOptions();
    }

    @Test
    void windowOfAllTokensChangesNothing() {
        var window = AttentionOptions.NONE.withWindow(32);
        assertEquals(AttentionOptions.NONE, effective(32, window));
        assertEquals(window, effective(33, window));
        // A piece of 8 queries whose first is token 24 of the keys.
        assertEquals(
                AttentionOptions.NONE,
                new AttentionShape(1, 8, 32, HEADS, 24).with(window).effectiveOptions());
        assertEquals(
                window, new AttentionShape(1, 8, 33, HEADS, 25).with(window).effectiveOptions());
    }

    @Test
    void scaleOfTheHeadsChangesNothing() {
        assertEquals(AttentionOptions.NONE, effective(32, AttentionOptions.NONE.withScale(1 / Math.sqrt(64))));
        var other = AttentionOptions.NONE.withScale(0.1);
        assertEquals(other, effective(32, other));
    }

    @Test
    void softCapAlwaysCounts() {
        var capped = AttentionOptions.NONE.withSoftCap(50);
        assertEquals(capped, effective(32, capped.withWindow(32)));
    }

    /** So that a plan books the workspace of the kernels that then run. */
    @Test
    void workspaceFollowsTheEffectiveOptions() {
        AttentionShape plain = AttentionShape.causal(2, 96, HEADS);
        AttentionShape windowed = plain.with(AttentionOptions.NONE.withWindow(96));
        assertEquals(QueryGradientSums.bytes(plain, DType.BF16), QueryGradientSums.bytes(windowed, DType.BF16));
        assertEquals(0, QueryGradientSums.bytes(plain.with(AttentionOptions.NONE.withWindow(95)), DType.BF16));
    }
}
