package io.hirundo.lib.engine.rank;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.tensors.HostCopies;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Sums host values over ranks, between steps: few values, and the device waits. */
public final class RankSums {
    private RankSums() {}

    /** The sums over the group's ranks, equal on all of them; {@code own} itself in a group of one. Collective. */
    public static double[] of(Rank rank, ProcessGroup group, double[] own) {
        if (group.size() == 1) {
            return own;
        }
        try (Tensor all = rank.device().allocate(MemoryCategory.COMMUNICATION, Shape.of(own.length), DType.FP64)) {
            HostCopies.upload(rank.device(), rank.queue(), own, all);
            rank.queue().await(group.allReduce(rank.queue(), all, Reduction.SUM).event());
            return HostCopies.readScalars(rank.device(), rank.queue(), all);
        }
    }
}
