package io.hirundo.tokenizerhf.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.command.Interruption;
import io.hirundo.data.Tokenizer;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.nio.file.InvalidPathException;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Tokenizer {@code huggingface}: any {@code tokenizer.json}. */
@Component
@HirundoStrategy(kind = "tokenizer", name = "huggingface")
public final class HuggingFaceFactory implements StrategyFactory<HuggingFaceOptions, Tokenizer> {
    private final NativeLibrary library;
    private final Interruption interruption;

    @Activate
    public HuggingFaceFactory(BundleContext context, @Reference Interruption interruption) {
        this(NativeLibrary.of(context), interruption);
    }

    HuggingFaceFactory(NativeLibrary library, Interruption interruption) {
        this.interruption = interruption;
        this.library = library;
    }

    @Override
    public Tokenizer create(HuggingFaceOptions options) {
        if (options.file() == null || options.file().isBlank()) {
            throw new ConfigurationException(
                    "tokenizer huggingface: the option file is empty, but must name a tokenizer.json or a folder that has one");
        }
        options.choice();
        try {
            return new HuggingFaceTokenizer(library, options, interruption);
        } catch (InvalidPathException e) {
            throw new ConfigurationException(
                    "tokenizer huggingface: file is '" + options.file() + "', which is no path: " + e.getReason(), e);
        }
    }
}
