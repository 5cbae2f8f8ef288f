package io.hirundo.paralleldp.internal.buffer;

import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.model.parameter.Replicas;
import java.util.ArrayList;
import java.util.List;

/** What hybrid sharding adds to the replicas of a parameter: the ranks of other shard groups that own the same elements. */
final class ReplicatedSpecs {
    private ReplicatedSpecs() {}

    /**
     * The specification of owned elements.
     *
     * @param spec with the replicas along other axes
     * @param owners the ranks that own the same elements, including this rank
     */
    static ParameterSpec of(ParameterSpec spec, ProcessGroup owners) {
        return new ParameterSpec(
                spec.name(),
                spec.parts().stream()
                        .map(part -> part.with(joined(part.replicas(), owners)))
                        .toList(),
                spec.initialization());
    }

    private static Replicas joined(Replicas others, ProcessGroup owners) {
        int self = owners.ranks().get(owners.rank());
        List<Integer> own = others.ranks().isEmpty() ? List.of(self) : others.ranks();
        var ranks = new ArrayList<Integer>();
        for (int owner : owners.ranks()) {
            // Ranks are numbered by strides, so steps along different axes add up.
            own.forEach(rank -> ranks.add(rank + owner - self));
        }
        return new Replicas(ranks, owners.rank() * own.size() + others.index(), others.partialGradients());
    }
}
