package io.hirundo.tokenizerhf.internal;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.command.Check;
import java.util.List;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Checks the tokenizers' native library: unpacks, loads and calls it. */
@Component
public final class NativeLibraryCheck implements Check {
    private static final String SUBJECT = "Tokenizers";

    /** The smallest {@code tokenizer.json}: two words. */
    private static final String TWO_WORDS = "{\"version\":\"1.0\",\"pre_tokenizer\":{\"type\":\"Whitespace\"},"
            + "\"model\":{\"type\":\"WordLevel\",\"vocab\":{\"?\":0,\"swallow\":1},\"unk_token\":\"?\"}}";

    private final NativeLibrary library;

    @Activate
    public NativeLibraryCheck(BundleContext context) {
        this(NativeLibrary.of(context));
    }

    NativeLibraryCheck(NativeLibrary library) {
        this.library = library;
    }

    @Override
    public List<Finding> look() {
        try (var tokenizer = new NativeTokenizer(library.get(), TWO_WORDS)) {
            int[] ids = tokenizer.encode("swallow");
            return List.of(
                    ids.length == 1 && ids[0] == 1
                            ? new Finding(
                                    State.GOOD,
                                    SUBJECT,
                                    "Hugging Face's native library " + library.describe() + ", loaded")
                            : new Finding(
                                    State.BAD,
                                    SUBJECT,
                                    "Hugging Face's native library " + library.describe()
                                            + " encodes a word incorrectly: reinstall Hirundo"));
        } catch (HirundoException | NativeTokenizer.FailedException failure) {
            return List.of(new Finding(State.BAD, SUBJECT, Reason.of(failure)));
        }
    }
}
