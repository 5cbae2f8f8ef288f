package io.hirundo.checkpointtorch.internal;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpointtorch.internal.model.TorchDcpOptions;
import io.hirundo.family.ModelFamily;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Model format {@code torch-dcp}, of all installed model families. */
@Component
@HirundoStrategy(kind = "model-format", name = "torch-dcp")
public final class TorchDcpFactory implements StrategyFactory<TorchDcpOptions, ModelFormat> {
    private static final String ARCHITECTURE = "architecture";
    private static final String FAMILY = "family";
    private static final Set<String> NUMBERS =
            Set.of("numAttentionHeads", "maxPositionEmbeddings", "rmsNormEps", "ropeTheta");
    private static final List<String> MOVED =
            List.of("numAttentionHeads", "maxPositionEmbeddings", "rmsNormEps", "ropeTheta", "ropeScaling");

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    private volatile List<ModelFamily<?>> families = List.of();

    @Activate
    public TorchDcpFactory() {}

    /** With these families. */
    public TorchDcpFactory(List<ModelFamily<?>> families) {
        this.families = List.copyOf(families);
    }

    /** Earlier versions had {@code family} and options of its architecture where {@code architecture} is now, and recorded 0 for unset ones. */
    @Override
    public Map<String, Object> migrated(Map<String, Object> options) {
        boolean namesFamily = options.get(FAMILY) instanceof String family && !family.isBlank();
        boolean isRecorded = options.get(FAMILY) == null && options.keySet().containsAll(NUMBERS);
        if (!namesFamily && !isRecorded || options.get(ARCHITECTURE) != null) {
            return options;
        }
        var present = new LinkedHashMap<>(options);
        var moved = new LinkedHashMap<String, Object>();
        for (String name : MOVED) {
            Object value = present.remove(name);
            if (value != null && !(value instanceof Number number && number.doubleValue() == 0)) {
                moved.put(name, value);
            }
        }
        Object family = present.remove(FAMILY);
        if (namesFamily) {
            present.put(ARCHITECTURE, Map.of("name", family, "options", moved));
        } else {
            // The binder rejects what has no meaning without a family.
            present.putAll(moved);
        }
        return present;
    }

    @Override
    public ModelFormat create(TorchDcpOptions options) {
        return new TorchDcpFormat(options, () -> families);
    }
}
