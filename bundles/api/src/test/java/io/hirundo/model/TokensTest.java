package io.hirundo.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class TokensTest {
    private static final Tokens TOKENS = Tokens.causal(3, 8192);

    /** Of 8192 queries the first 4096 see a triangle, the others 4096 keys each. */
    @Test
    void windowLeavesATriangleAndABand() {
        double pairs = 3 * (4096.0 * 4096 / 2 + 4096.0 * 4096);
        assertEquals(pairs, TOKENS.within(OptionalInt.of(4096)).attendedPairs());
        assertEquals(3 * 8192, TOKENS.within(OptionalInt.of(4096)).tokens());
    }

    @Test
    void windowOfASequenceHidesNothing() {
        assertEquals(TOKENS, TOKENS.within(OptionalInt.of(8192)));
        assertEquals(TOKENS, TOKENS.within(OptionalInt.of(10_000)));
        assertEquals(TOKENS, TOKENS.within(OptionalInt.empty()));
        assertEquals(new Tokens(0, 0), new Tokens(0, 0).within(OptionalInt.of(5)));
    }

    @Test
    void flopsOfAttentionCountTheWindow() {
        var heads = new Heads(8, 4, 16);
        var all = new LayerSpec.Attention("a", heads, List.of(), 8192);
        var window = new LayerSpec.Attention("a", heads, List.of(), 8192, AttentionOptions.NONE.withWindow(4096));
        assertEquals(0.75, window.modelFlops(TOKENS) / all.modelFlops(TOKENS), 1e-12);
    }
}
