package org.example.olmo2;

import io.hirundo.lib.transformer.PlainNorm;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import java.util.List;
import java.util.Set;

/**
 * RMSNorm over all heads of queries or of keys at once. {@link LayerSpec.Norm} normalizes the innermost dimension, a head.
 *
 * @param on (heads, head)
 */
record Olmo2RowNorm(String path, Activation on, double epsilon) implements LayerSpec<NormLayer> {
    @Override
    public String name() {
        return path;
    }

    @Override
    public List<Activation> inputs() {
        return List.of(on);
    }

    @Override
    public List<Activation> outputs() {
        return List.of(on);
    }

    @Override
    public List<WeightSpec> weights() {
        return List.of(weight());
    }

    private WeightSpec weight() {
        return new WeightSpec(path, List.of(channels()), on, WeightSpec.Use.VECTOR, new Initialization(1, 0));
    }

    private List<Dim> channels() {
        return on.sections().getFirst();
    }

    /** All heads: tensor parallelism splits them, and is rejected, since nothing here communicates. */
    @Override
    public Set<Dim> mixes() {
        return Set.copyOf(channels());
    }

    /** Makes it run where a rank has all heads. */
    record Provider() implements LayerProvider<NormLayer, Olmo2RowNorm> {
        @Override
        public Class<Olmo2RowNorm> specType() {
            return Olmo2RowNorm.class;
        }

        @Override
        public NormLayer create(Olmo2RowNorm spec, LayerScope scope) {
            return new PlainNorm(scope.parameter(spec.weight()), spec.epsilon(), 0);
        }
    }
}
