package io.hirundo.lib.run.section;

import io.hirundo.lib.run.change.Changeable;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;
import java.util.LinkedHashMap;
import java.util.List;

/** Parallelism: mesh axes, their sizes and strategies. The world size is the product of the four sizes. */
public record MeshSection(
        @Setting("Communication between ranks") @ChoiceOf(Fabric.class)
        Choice fabric,

        @Setting(value = "Tensor-parallel size", min = 1, max = SizeLimits.RANKS)
        int tensor,

        @Setting(value = "Context-parallel size", min = 1, max = SizeLimits.RANKS)
        int context,

        @Setting(value = "Pipeline-parallel size", min = 1, max = SizeLimits.RANKS)
        int pipeline,

        @Setting(value = "Data-parallel size", min = 1, max = SizeLimits.RANKS)
        int data,

        @Setting("Order of the axes in rank numbers, fastest first")
        List<MeshAxis> order,

        @Setting("Pipeline schedule") @ChoiceOf(PipelineSchedule.class) @Changeable(RunPart.LAYOUT)
        Choice schedule,

        @Setting("Transformer layers of each pipeline stage, in order; empty for stages balanced by FLOPs, then memory")
        List<Integer> stageLayers,

        @Setting(
                value =
                        "By how much the FLOPs of the heaviest pipeline stage may exceed the least possible, to save memory on the fullest one; 0.05:"
                                + " 5 %. With 0, memory decides between splits of equal FLOPs only",
                min = 0,
                max = 1)
        double stageMargin,

        @Setting("How matrices are sharded over the tensor axis")
        @ChoiceOf(TensorParallel.class)
        @Changeable(RunPart.LAYOUT)
        Choice tensorParallel,

        @Setting("How sequences are sharded over the context axis")
        @ChoiceOf(ContextParallel.class)
        @Changeable(RunPart.LAYOUT)
        Choice contextParallel,

        @Setting("How gradients, optimizer state and weights are sharded over the data axis")
        @ChoiceOf(DataParallel.class)
        @Changeable(RunPart.DATA_PARALLEL)
        Choice dataParallel) {
    public MeshSection {
        order = List.copyOf(order);
        stageLayers = List.copyOf(stageLayers);
    }

    /** The defaults. */
    public MeshSection() {
        this(
                Choice.of("local"),
                1,
                1,
                1,
                1,
                List.of(MeshAxis.values()),
                Choice.of("1f1b"),
                List.of(),
                0,
                Choice.of("column-row"),
                Choice.of("ring"),
                Choice.of("zero1"));
    }

    /** How many ranks there are along an axis. */
    public int size(MeshAxis axis) {
        return switch (axis) {
            case TENSOR -> tensor;
            case CONTEXT -> context;
            case PIPELINE -> pipeline;
            case DATA -> data;
        };
    }

    /** The mesh; axes that the order leaves out vary slowest. */
    public Mesh mesh() {
        var sizes = new LinkedHashMap<Axis, Integer>();
        order.forEach(axis -> sizes.put(axis.axis(), size(axis)));
        for (MeshAxis axis : MeshAxis.values()) {
            sizes.putIfAbsent(axis.axis(), size(axis));
        }
        return new Mesh(sizes);
    }
}
