package io.hirundo.tokenizerhf.internal;

import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.data.TokenizerContract;
import io.hirundo.tokenizerhf.internal.train.Trained;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a tokenizer, kept by one that was trained here. */
@HirundoContract
class TokenizerContractTest implements TokenizerContract {
    @TempDir
    private static Path made;

    @BeforeAll
    static void train() throws IOException {
        Trained.tokenizer(made, Texts.prose(1, 1000), 400);
    }

    @Override
    public Tokenizer tokenizer() {
        return TestTokenizers.open(made);
    }
}
