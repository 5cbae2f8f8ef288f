package __package__;

import io.hirundo.mesh.Axis;
import io.hirundo.model.Dim;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.LinearLayer;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import io.hirundo.parallel.Sharding;
import io.hirundo.precision.Support;
import java.util.List;
import java.util.Set;

/** Linear layers that begin or end on the residual stream, and have split channels on the other side. */
final class __Name__Provider implements LayerProvider<LinearLayer, LayerSpec.Linear> {
    @Override
    public Class<LayerSpec.Linear> specType() {
        return LayerSpec.Linear.class;
    }

    @Override
    public Set<Axis> communicatesAlong() {
        return Set.of(Axis.TENSOR);
    }

    /** Asked before a device is opened: what it does not support here is made by another provider, or the run is rejected. */
    @Override
    public Support supports(LayerSpec.Linear spec, Sharding sharding) {
        List<Boolean> outputs = spec.parts().stream()
                .map(part -> isSplit(part.rows(), sharding))
                .toList();
        boolean byOutputs = !outputs.contains(false);
        boolean byInputs = isSplitByInputs(spec, sharding);
        if (byInputs == byOutputs || byInputs && outputs.contains(true)) {
            return Support.no("the tensor axis must split its inputs, or the outputs of all parts");
        }
        if (isSplit(spec.input().rows(), sharding) || isSplit(spec.outputRows(), sharding)) {
            return Support.no("the tensor axis must not split its rows");
        }
        return Support.YES;
    }

    private static boolean isSplitByInputs(LayerSpec.Linear spec, Sharding sharding) {
        return isSplit(spec.input().sections().getFirst(), sharding);
    }

    private static boolean isSplit(List<Dim> dims, Sharding sharding) {
        return dims.stream().anyMatch(dim -> sharding.axes(dim).contains(Axis.TENSOR));
    }

    @Override
    public LinearLayer create(LayerSpec.Linear spec, LayerScope scope) {
        return new __Name__Linear(
                scope.matrix(spec.matrix()), scope.group(Axis.TENSOR), isSplitByInputs(spec, scope.sharding()));
    }
}
