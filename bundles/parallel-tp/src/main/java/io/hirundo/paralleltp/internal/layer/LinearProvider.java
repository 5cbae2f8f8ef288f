package io.hirundo.paralleltp.internal.layer;

import io.hirundo.mesh.Axis;
import io.hirundo.model.Dim;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.LinearLayer;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import io.hirundo.parallel.Sharding;
import io.hirundo.paralleltp.internal.residual.ResidualStreams;
import io.hirundo.precision.Support;
import java.util.List;
import java.util.Set;

/**
 * Linear layers between the residual stream and split channels.
 *
 * @param packs whether rows travel as the precision quantizes them
 */
public record LinearProvider(ResidualStreams streams, boolean packs)
        implements LayerProvider<LinearLayer, LayerSpec.Linear> {
    @Override
    public Class<LayerSpec.Linear> specType() {
        return LayerSpec.Linear.class;
    }

    @Override
    public Set<Axis> communicatesAlong() {
        return Set.of(Axis.TENSOR);
    }

    @Override
    public Support supports(LayerSpec.Linear spec, Sharding sharding) {
        boolean inputs = isSplit(spec.input().sections().getFirst(), sharding);
        List<Boolean> outputs = spec.parts().stream()
                .map(part -> isSplit(part.rows(), sharding))
                .toList();
        boolean column = !inputs && !outputs.contains(false);
        if (!column && (!inputs || outputs.contains(true))) {
            return Support.no(
                    "the tensor axis can split its inputs, or the outputs of all parts, not both or some of them");
        }
        List<Dim> residual = column ? spec.input().rows() : spec.outputRows();
        List<Dim> inside = column ? spec.outputRows() : spec.input().rows();
        if (isSplit(residual, sharding) != streams.sequenceParallel() || isSplit(inside, sharding)) {
            return Support.no(
                    "its " + (column ? "inputs" : "outputs") + " must have the rows of the residual stream, its "
                            + (column ? "outputs" : "inputs") + " those inside attention and MLP");
        }
        return Support.YES;
    }

    private static boolean isSplit(List<Dim> dims, Sharding sharding) {
        return dims.stream().anyMatch(dim -> sharding.axes(dim).contains(Axis.TENSOR));
    }

    @Override
    public LinearLayer create(LayerSpec.Linear spec, LayerScope scope) {
        var matrix = scope.matrix(spec.matrix());
        var gathered = new GatheredMatrix(matrix, streams.of(scope.group(Axis.TENSOR)), packs);
        return isSplit(spec.input().sections().getFirst(), scope.sharding())
                ? new RowLinear(gathered)
                : new ColumnLinear(gathered, streams.overlap().bulk());
    }
}
