package org.example.olmo2;

import io.hirundo.mesh.Axis;
import io.hirundo.model.Activation;
import io.hirundo.model.Dims;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.LayerContract;
import io.hirundo.testkit.layer.LayerCase;
import io.hirundo.testkit.layer.LayerDrives;
import java.util.List;
import java.util.Set;

/** The norm of all heads, which no provider splits by heads. */
@HirundoContract
class Olmo2RowNormTest implements LayerContract {
    @Override
    public LayerCase<?> layer() {
        var on = Activation.inside(List.of(Dims.queryHeads(4), Dims.head(2)));
        return new LayerCase<>(new Olmo2RowNorm("q_norm.weight", on, 1e-5), LayerDrives.norm(8));
    }

    @Override
    public List<LayerProvider<?, ?>> providers() {
        return List.of(new Olmo2RowNorm.Provider());
    }

    @Override
    public Set<Axis> splits() {
        return Set.of(Axis.CONTEXT, Axis.DATA);
    }
}
