package __package__;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.data.TokenizerContract;
import org.junit.jupiter.api.Test;

/** The contract of a tokenizer, one test per clause; and tests of this one's tokens. */
@HirundoContract
class __Name__TokenizerTest implements TokenizerContract {
    @Override
    public Tokenizer tokenizer() {
        return new __Name__Factory().create(new __Name__Options());
    }

    @Test
    void aTokenIsAByte() {
        try (Tokenizer tokenizer = tokenizer()) {
            assertArrayEquals(new int[] {'a', 0xc3, 0xa9}, tokenizer.encode("a\u00e9"));
            assertEquals("a\ufffd", tokenizer.decode(new int[] {'a', 0xc3, 256}));
        }
    }
}
