package io.hirundo.trainer.internal.command;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Short forms of the settings that split a training over ranks. */
public final class MeshArguments {
  @Option(names = "--tp", paramLabel = "N", converter = PositiveInteger.class, description = "Ranks that share each matrix: mesh.tensor.")
  private Integer tensor;

  @Option(names = "--cp", paramLabel = "N", converter = PositiveInteger.class, description = "Ranks that share each sequence: mesh.context.")
  private Integer context;

  @Option(names = "--pp", paramLabel = "N", converter = PositiveInteger.class, description = "Ranks that share the layers: mesh.pipeline.")
  private Integer pipeline;

  @Option(names = "--dp", paramLabel = "N", converter = PositiveInteger.class, description = "Ranks that share the batch: mesh.data.")
  private Integer data;

  @Option(names = "--schedule", paramLabel = "NAME", description = "Order of work in the pipeline: mesh.schedule.")
  private String schedule;

  /** What was given, before {@code assignments}; a setting that is in both, by itself or with all of the mesh, is refused. */
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
        throw new ConfigurationException(
            option + " " + value + " and --set " + Excerpt.of(assignment) + " are the same setting; give one of them");
      }
    }
    all.add(path + "=" + value);
  }
}
