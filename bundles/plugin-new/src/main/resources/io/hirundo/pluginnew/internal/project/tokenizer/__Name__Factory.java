package __package__;

import io.hirundo.data.Tokenizer;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Provides the tokenizer {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "tokenizer", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, Tokenizer> {
    /** A tokenizer with a file reads it in its first call, not here: a configuration is also checked where the file is absent. */
    @Override
    public Tokenizer create(__Name__Options options) {
        return new __Name__Tokenizer(options.endOfText());
    }
}
