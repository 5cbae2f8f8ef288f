package io.hirundo.tokenizerhf.internal;

import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.CtrlC;
import java.nio.file.Path;

/** Opens tokenizers as the framework would, with one unpacked library for all tests. */
public final class TestTokenizers {
    static final Path CACHE = Path.of("target", "test-cache");
    static final NativeLibrary LIBRARY = new NativeLibrary(CACHE);

    private TestTokenizers() {}

    public static Tokenizer open(Path file) {
        return open(new HuggingFaceOptions(file.toString()));
    }

    static Tokenizer open(HuggingFaceOptions options) {
        return new HuggingFaceFactory(LIBRARY, new CtrlC()).create(options);
    }
}
