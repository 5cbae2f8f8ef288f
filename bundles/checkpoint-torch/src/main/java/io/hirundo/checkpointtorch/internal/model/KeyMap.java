package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.DataException;
import io.hirundo.lib.family.StoredFamily;
import io.hirundo.lib.input.Excerpt;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where a model may be in a folder.
 *
 * @param families those whose embedding is there, each with the format whose name it has
 * @param prefix of each name of a tensor, for example {@code model.}
 */
record KeyMap(List<StoredFamily<?>> families, String prefix) {
    private static final int NAMED = 3;

    /**
     * Finds an embedding under the given or any prefix.
     *
     * @param names all tensors of the folder
     * @param given prefix, or null for any
     * @param families all that could be there
     * @throws DataException if there is no embedding, or more than one
     */
    static KeyMap find(Path folder, Collection<String> names, String given, List<StoredFamily<?>> families) {
        if (families.isEmpty()) {
            throw new DataException(folder
                    + ": no model family is installed that could read it; install the bundle of the model's family");
        }
        List<String> embeddings = families.stream()
                .map(each -> each.format().embedding())
                .distinct()
                .toList();
        List<KeyMap> found = new ArrayList<>();
        for (String name : names) {
            for (String embedding : embeddings) {
                String prefix = name.endsWith(embedding) ? name.substring(0, name.length() - embedding.length()) : null;
                boolean isOne = prefix != null && (prefix.isEmpty() || prefix.endsWith("."));
                if (isOne && (given == null || given.equals(prefix))) {
                    found.add(new KeyMap(
                            families.stream()
                                    .filter(each -> each.format().embedding().equals(embedding))
                                    .toList(),
                            prefix));
                }
            }
        }
        if (found.size() > 1) {
            throw new DataException(folder + " holds several models, under the prefixes '"
                    + Excerpt.of(found.get(0).prefix()) + "' and '"
                    + Excerpt.of(found.get(1).prefix())
                    + "'; choose one with the option prefix of model.format torch-dcp");
        }
        if (found.isEmpty()) {
            throw new DataException(
                    folder + " holds no model of an installed family"
                            + (given == null ? "" : " under the prefix '" + given + "'")
                            + ": none of its " + names.size() + " tensors ("
                            + String.join(
                                    ", ",
                                    names.stream().limit(NAMED).map(Excerpt::of).toList()) + "...) is named "
                            + embeddings.stream().sorted().collect(Collectors.joining(" or "))
                            + ", with or without a prefix; convert it to one of these names, or install the bundle of its family");
        }
        return found.getFirst();
    }

    /** The name in the folder of a tensor that the families' format stores under this name. */
    String inFolder(String stored) {
        return prefix + stored;
    }
}
