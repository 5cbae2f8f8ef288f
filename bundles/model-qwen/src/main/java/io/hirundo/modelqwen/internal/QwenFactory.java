package io.hirundo.modelqwen.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.model.Architecture;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** Architecture {@code qwen}, and the format of its models. */
@Component(service = {StrategyFactory.class, ModelFamily.class})
@HirundoStrategy(kind = "architecture", name = QwenFactory.NAME)
public final class QwenFactory implements ModelFamily<QwenOptions> {
    static final String NAME = "qwen";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Architecture create(QwenOptions options) {
        return QwenSizes.of(options).decoder();
    }

    @Override
    public List<FamilyFormat<QwenOptions>> formats() {
        return List.of(new QwenHuggingFace());
    }
}
