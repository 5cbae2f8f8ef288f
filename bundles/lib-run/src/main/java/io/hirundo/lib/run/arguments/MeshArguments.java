package io.hirundo.lib.run.arguments;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Short options for the sizes and the schedule of the mesh. */
public final class MeshArguments {
    @Option(
            names = "--tp",
            paramLabel = "N",
            converter = PositiveInteger.class,
            description = "Tensor-parallel size: mesh.tensor.")
    private Integer tensor;

    @Option(
            names = "--cp",
            paramLabel = "N",
            converter = PositiveInteger.class,
            description = "Context-parallel size: mesh.context.")
    private Integer context;

    @Option(
            names = "--pp",
            paramLabel = "N",
            converter = PositiveInteger.class,
            description = "Pipeline-parallel size: mesh.pipeline.")
    private Integer pipeline;

    @Option(
            names = "--dp",
            paramLabel = "N",
            converter = PositiveInteger.class,
            description = "Data-parallel size: mesh.data.")
    private Integer data;

    @Option(names = "--schedule", paramLabel = "NAME", description = "Pipeline schedule: mesh.schedule.")
    private String schedule;

    /** The options as assignments, followed by {@code assignments}; rejects a setting that is given both ways. */
    List<String> before(List<String> assignments) {
        var all = new ArrayList<String>();
        add(all, assignments, "--tp", "mesh.tensor", tensor);
        add(all, assignments, "--cp", "mesh.context", context);
        add(all, assignments, "--pp", "mesh.pipeline", pipeline);
        add(all, assignments, "--dp", "mesh.data", data);
        add(all, assignments, "--schedule", "mesh.schedule", schedule);
        all.addAll(assignments);
        return all;
    }

    private static void add(List<String> all, List<String> assignments, String option, String path, Object value) {
        if (value == null) {
            return;
        }
        for (String assignment : assignments) {
            String assigned = assignment.substring(0, Math.max(0, assignment.indexOf('=')));
            if (assigned.equals(path) || path.startsWith(assigned + ".")) {
                throw new ConfigurationException(option + " " + value + " and --set " + Excerpt.of(assignment)
                        + " set the same value; give one of them");
            }
        }
        all.add(path + "=" + value);
    }
}
