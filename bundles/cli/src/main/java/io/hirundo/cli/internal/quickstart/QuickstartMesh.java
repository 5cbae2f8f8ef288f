package io.hirundo.cli.internal.quickstart;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Quickstart's mesh options, passed on to {@code train}. */
final class QuickstartMesh {
    private static final String MICRO_BATCH = "training.microBatch=";

    @Option(names = "--tp", paramLabel = "N", description = "Tensor-parallel ranks, as in hirundo train.")
    private Integer tensor;

    @Option(names = "--cp", paramLabel = "N", description = "Context-parallel ranks, as in hirundo train.")
    private Integer context;

    @Option(names = "--pp", paramLabel = "N", description = "Pipeline stages, as in hirundo train.")
    private Integer pipeline;

    @Option(names = "--dp", paramLabel = "N", description = "Data-parallel ranks, as in hirundo train.")
    private Integer data;

    @Option(names = "--schedule", paramLabel = "NAME", description = "Pipeline schedule, as in hirundo train.")
    private String schedule;

    /** Whether no option or assignment can split the model over several ranks: the samples need it on one. */
    boolean isOneRank(List<String> assignments) {
        return Stream.of(tensor, context, pipeline, data).allMatch(size -> size == null || size == 1)
                && assignments.stream().noneMatch(assignment -> assignment.startsWith("mesh."));
    }

    /** Adds the options given. Uses smaller microbatches if ranks split the batch, unless the user sets them. */
    void addTo(List<String> command, List<String> assignments) {
        Map<String, Object> given = new LinkedHashMap<>();
        given.put("--tp", tensor);
        given.put("--cp", context);
        given.put("--pp", pipeline);
        given.put("--dp", data);
        given.put("--schedule", schedule);
        given.forEach((option, value) -> {
            if (value != null) {
                command.add(option);
                command.add(value.toString());
            }
        });
        boolean shared = pipeline != null && pipeline > 1 || data != null && data > 1;
        if (shared && assignments.stream().noneMatch(assignment -> assignment.startsWith(MICRO_BATCH))) {
            command.add("--set");
            command.add(MICRO_BATCH + "1");
        }
    }
}
