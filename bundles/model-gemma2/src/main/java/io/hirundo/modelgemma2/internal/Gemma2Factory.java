package io.hirundo.modelgemma2.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.model.Architecture;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** Architecture {@code gemma2}, and the format of its models. */
@Component(service = {StrategyFactory.class, ModelFamily.class})
@HirundoStrategy(kind = "architecture", name = Gemma2Factory.NAME)
public final class Gemma2Factory implements ModelFamily<Gemma2Options> {
    static final String NAME = "gemma2";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Architecture create(Gemma2Options options) {
        return Gemma2Sizes.of(options).decoder();
    }

    @Override
    public List<FamilyFormat<Gemma2Options>> formats() {
        return List.of(new Gemma2HuggingFace());
    }
}
