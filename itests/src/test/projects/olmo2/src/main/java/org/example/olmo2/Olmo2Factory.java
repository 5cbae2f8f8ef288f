package org.example.olmo2;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/**
 * Provides the architecture {@code olmo2}, and the format of its models. Hirundo finds it by its annotations when the jar is in
 * plugins/; formats of models find it as {@link ModelFamily}.
 */
@Component(service = {StrategyFactory.class, ModelFamily.class})
@HirundoStrategy(kind = "architecture", name = Olmo2Factory.NAME)
public final class Olmo2Factory implements ModelFamily<Olmo2Options> {
    static final String NAME = "olmo2";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Olmo2Graph create(Olmo2Options options) {
        return Olmo2Graph.of(options);
    }

    @Override
    public List<FamilyFormat<Olmo2Options>> formats() {
        return List.of(new Olmo2HuggingFace());
    }
}
