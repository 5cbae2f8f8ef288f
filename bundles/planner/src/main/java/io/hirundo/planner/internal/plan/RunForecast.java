package io.hirundo.planner.internal.plan;

import io.hirundo.device.MemoryCategory;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The predicted memory and work of a run.
 *
 * @param run name of the run
 * @param deviceName name of the planned device
 * @param deviceMemoryBytes device memory of one rank; 0 if the device is not on this machine
 * @param machineMemoryBytes device memory of all ranks together if they share a device; otherwise the same
 * @param counted the counts of the dry run
 * @param asValues the counts without FP8 transfers; the same as {@code counted} if the run has none
 * @param uncountedFabric fabric whose internal buffers are not counted; empty if everything is counted
 * @param uncounted estimates of memory that no plan counts
 * @param stages the pipeline stages
 * @param warnings about valid settings that are probably a mistake
 */
public record RunForecast(
        String run,
        String deviceName,
        long deviceMemoryBytes,
        long machineMemoryBytes,
        DryRun.Counted counted,
        DryRun.Counted asValues,
        String uncountedFabric,
        UncountedMemory uncounted,
        Stages stages,
        List<String> warnings) {
    /**
     * The pipeline stages.
     *
     * @param mesh the ranks
     * @param blocks of each pipeline rank, for instance {@code model.embed_tokens to model.layers.3}
     * @param remedies which setting lowers each category
     */
    public record Stages(Mesh mesh, List<String> blocks, Map<MemoryCategory, String> remedies) {
        public Stages {
            blocks = List.copyOf(blocks);
            remedies = Map.copyOf(remedies);
        }

        /** The pipeline coordinate of a rank. */
        int of(int rank) {
            return mesh.coordinate(rank, Axis.PIPELINE);
        }
    }

    public RunForecast {
        warnings = List.copyOf(warnings);
    }

    /** The same run on devices with so much memory, one for each rank. */
    public RunForecast onDevicesOf(long bytes) {
        return new RunForecast(
                run, deviceName, bytes, bytes, counted, asValues, uncountedFabric, uncounted, stages, warnings);
    }

    /** Whether every rank's peak fits into device memory; true if the device memory is unknown. */
    public boolean fits() {
        return deviceMemoryBytes == 0 || heaviest().peakTotalBytes() <= deviceMemoryBytes;
    }

    /** The rank with the highest memory peak, the first of several. */
    int heaviestRank() {
        return IntStream.range(0, counted.ranks().size()).boxed().max(byPeak()).orElseThrow();
    }

    /** As {@link #heaviestRank}, of the ranks of a stage. */
    int heaviestRank(int stage) {
        return IntStream.range(0, counted.ranks().size())
                .filter(rank -> stages.of(rank) == stage)
                .boxed()
                .max(byPeak())
                .orElseThrow();
    }

    private Comparator<Integer> byPeak() {
        return Comparator.comparing((Integer rank) -> counted.ranks().get(rank).peakTotalBytes())
                .thenComparing(Comparator.reverseOrder());
    }

    /** The counts of {@link #heaviest} without FP8 transfers. */
    DryRun.OfRank heaviestAsValues() {
        return asValues.ranks().get(heaviestRank());
    }

    DryRun.OfRank heaviest() {
        return counted.ranks().get(heaviestRank());
    }
}
