package io.hirundo.checkpointhf.internal.format;

import io.hirundo.DataException;
import io.hirundo.checkpointhf.internal.file.FolderReplacement;
import io.hirundo.checkpointhf.internal.format.ModelFiles.Place;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsEntry;
import io.hirundo.checkpointhf.internal.safetensors.StoredType;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.tensor.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** Holds the tensors that a folder has against those that its {@code config.json} asks for. */
final class ModelCheck {
    private static final int NAMED = 3;

    /** The output projection of decoders of the Transformers library, which {@code tie_word_embeddings} leaves out. */
    private static final String HEAD = "lm_head.weight";

    private final FamilyModel<?> model;
    private final Path directory;

    ModelCheck(FamilyModel<?> model, Path directory) {
        this.model = model;
        this.directory = directory;
    }

    /** The stored tensors of the model by name, in the order of its layers. */
    SequencedMap<String, Place> check(Map<String, Place> found) {
        Map<String, Shape> expected = new LinkedHashMap<>();
        model.tensors().forEach(tensor -> expected.put(tensor.name(), tensor.shape()));
        var tensors = new LinkedHashMap<String, Place>();
        List<String> missing = new ArrayList<>();
        expected.forEach((name, shape) -> {
            Place place = found.get(name);
            if (place == null) {
                missing.add(name);
            } else {
                checkOne(place, shape);
                tensors.put(name, place);
            }
        });
        if (!missing.isEmpty()) {
            throw new DataException(directory + ": " + names(missing) + " missing, which " + FolderReplacement.CONFIG
                    + " asks for" + hint(missing));
        }
        rejectOthers(expected, found);
        return tensors;
    }

    private static void checkOne(Place place, Shape shape) {
        SafetensorsEntry tensor = place.tensor();
        if (!tensor.shape().equals(shape)) {
            throw place.wrong("is " + tensor.shape() + ", but " + FolderReplacement.CONFIG + " asks for " + shape);
        }
        if (!tensor.type().isReadable()) {
            throw place.wrong("is of " + tensor.type() + ", but weights must be " + StoredType.READABLE);
        }
    }

    private static String hint(List<String> missing) {
        return missing.contains(HEAD)
                ? "; where the embedding is meant to be the head as well, set tie_word_embeddings to true there"
                : "; fetch the model again";
    }

    private void rejectOthers(Map<String, Shape> expected, Map<String, Place> found) {
        List<String> others = new ArrayList<>();
        Map<String, String> copies = model.copies();
        for (String name : found.keySet()) {
            if (copies.containsKey(name)) {
                checkCopy(found.get(copies.get(name)), found.get(name));
            } else if (!expected.containsKey(name) && !model.isIgnored(name)) {
                others.add(name);
            }
        }
        if (!others.isEmpty()) {
            throw new DataException(directory + ": " + names(others) + " there, which a model of this "
                    + FolderReplacement.CONFIG + " does not have; check that they belong together");
        }
    }

    /**
     * A tied head that is stored as well. Transformers took the embedding up to version 4; version 5 takes the stored head,
     * and both warn where they differ. Two readings of one file are one too many: they must be the same.
     */
    private static void checkCopy(Place original, Place copy) {
        boolean same = copy.tensor().type() == original.tensor().type()
                && copy.tensor().shape().equals(original.tensor().shape())
                && isSame(copy, original);
        if (!same) {
            throw copy.wrong("differs from '" + original.tensor().name() + "', although " + FolderReplacement.CONFIG
                    + " ties them; set tie_word_embeddings to false there, or remove the tensor");
        }
    }

    private static boolean isSame(Place one, Place other) {
        return one.file()
                .read(one.tensor(), bytes -> other.file().read(other.tensor(), others -> bytes.mismatch(others) < 0));
    }

    private static String names(List<String> names) {
        String first = names.stream().limit(NAMED).map(Excerpt::of).collect(Collectors.joining("', '"));
        String more = names.size() > NAMED ? " and " + (names.size() - NAMED) + " more" : "";
        return (names.size() == 1 ? "tensor '" : "tensors '") + first + "'" + more
                + (names.size() == 1 ? " is" : " are");
    }
}
