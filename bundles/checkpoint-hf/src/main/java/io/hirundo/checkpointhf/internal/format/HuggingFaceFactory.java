package io.hirundo.checkpointhf.internal.format;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Model format {@code huggingface}, of all installed model families. */
@Component
@HirundoStrategy(kind = "model-format", name = "huggingface")
public final class HuggingFaceFactory implements StrategyFactory<HuggingFaceOptions, ModelFormat> {
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    private volatile List<ModelFamily<?>> families = List.of();

    @Activate
    public HuggingFaceFactory() {}

    /** With these families. */
    public HuggingFaceFactory(List<ModelFamily<?>> families) {
        this.families = List.copyOf(families);
    }

    @Override
    public ModelFormat create(HuggingFaceOptions options) {
        return new HuggingFaceFormat(options.maxShardBytes(), () -> families);
    }
}
