package io.hirundo.modelllama.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.model.Architecture;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** Architecture {@code llama}, and the formats of its models. */
@Component(service = {StrategyFactory.class, ModelFamily.class})
@HirundoStrategy(kind = "architecture", name = LlamaFactory.NAME)
public final class LlamaFactory implements ModelFamily<LlamaOptions> {
    static final String NAME = "llama";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Architecture create(LlamaOptions options) {
        return LlamaSizes.of(options).decoder();
    }

    @Override
    public List<FamilyFormat<LlamaOptions>> formats() {
        return List.of(LlamaFormat.HUGGING_FACE, LlamaFormat.TORCHTITAN);
    }
}
