package io.hirundo.trainer.internal.layout;

import io.hirundo.model.ModelSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.parameter.ParameterSpec;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The tensors of a model whose rows a layer looks up. A rank that shares one as the matrix of its output projection alone treats it likewise, so that
 * optimizers decide the same on all ranks.
 *
 * @param paths published names
 */
public record LookupTables(Set<String> paths) {
  public LookupTables {
    paths = Set.copyOf(paths);
  }

  public static LookupTables of(ModelSpec model) {
    return new LookupTables(
        model.blocks().stream()
            .flatMap(block -> block.layers().stream())
            .flatMap(layer -> layer.weights().stream())
            .filter(weight -> weight.use() == WeightSpec.Use.TABLE)
            .map(WeightSpec::path)
            .collect(Collectors.toSet()));
  }

  /** The parameter, as a table if a part of it is one. */
  public ParameterSpec marked(ParameterSpec declared) {
    return declared.parts().stream().anyMatch(part -> paths.contains(part.path())) ? declared.asTable() : declared;
  }
}
