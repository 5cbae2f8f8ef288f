package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.llama.LlamaTensors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Maps a model's tensors to the names in a folder.
 *
 * @param prefix of each name, for example {@code model.}
 */
record KeyMap(Naming naming, String prefix) {
  private static final int NAMED = 3;

  /**
   * Finds the embedding under the given or any prefix.
   *
   * @param names all tensors of the folder
   * @param given prefix, or null for any
   * @throws DataException if there is no embedding, or more than one
   */
  static KeyMap find(Path folder, Collection<String> names, String given) {
    List<KeyMap> found = new ArrayList<>();
    for (String name : names) {
      for (Naming naming : Naming.values()) {
        String embedding = naming.stored(LlamaTensors.EMBEDDING);
        String prefix = name.endsWith(embedding) ? name.substring(0, name.length() - embedding.length()) : null;
        boolean isOne = prefix != null && (prefix.isEmpty() || prefix.endsWith("."));
        if (isOne && (given == null || given.equals(prefix))) {
          found.add(new KeyMap(naming, prefix));
        }
      }
    }
    if (found.size() > 1) {
      throw new DataException(
          folder + " holds several models, under the prefixes '" + Excerpt.of(found.get(0).prefix()) + "' and '" + Excerpt.of(found.get(1).prefix())
              + "'; choose one with the option prefix of model.format torch-dcp");
    }
    if (found.isEmpty()) {
      throw new DataException(
          folder + " holds no Llama" + (given == null ? "" : " under the prefix '" + given + "'") + ": none of its " + names.size()
              + " tensors (" + String.join(", ", names.stream().limit(NAMED).map(Excerpt::of).toList()) + "...) is named "
              + Naming.HUGGING_FACE.stored(LlamaTensors.EMBEDDING) + " or " + Naming.TORCHTITAN.stored(LlamaTensors.EMBEDDING)
              + ", with or without a prefix; convert it to one of these names first");
    }
    return found.getFirst();
  }

  /** The stored name of a tensor named by {@link LlamaTensors}. */
  String stored(String published) {
    return prefix + naming.stored(published);
  }
}
