package __package__;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.lib.transformer.block.Decoder;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/**
 * Provides the architecture {@code __name__}, and the format of its models. Hirundo finds it by its annotations when the jar is in
 * plugins/; formats of models find it as {@link ModelFamily}.
 */
@Component(service = {StrategyFactory.class, ModelFamily.class})
@HirundoStrategy(kind = "architecture", name = __Name__Factory.NAME)
public final class __Name__Factory implements ModelFamily<__Name__Options> {
    static final String NAME = "__name__";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Decoder create(__Name__Options options) {
        return __Name__Graph.of(options);
    }

    @Override
    public List<FamilyFormat<__Name__Options>> formats() {
        return List.of(new __Name__HuggingFace());
    }
}
