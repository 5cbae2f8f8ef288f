package io.hirundo.lib.transformer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LogitChunksTest {
    @Test
    void smallVocabularyUsesCacheSizedChunks() {
        assertEquals((16 << 20) / (4096 * 4), LogitChunks.tokens(4096, 288, 4));
    }

    /** Llama 8B and 70B: logits move an eighth of the gradient's bytes. */
    @Test
    void largeVocabularyUsesQuarterOfChannels() {
        assertEquals(1024, LogitChunks.tokens(128_256, 4096, 2));
        assertEquals(128_256L * 8192 * 4 / 8, LogitChunks.tokens(128_256, 8192, 2) * 128_256 * 2);
    }

    @Test
    void chunksHaveAtLeast64Tokens() {
        assertEquals(64, LogitChunks.tokens(1_000_000, 128, 2));
    }
}
