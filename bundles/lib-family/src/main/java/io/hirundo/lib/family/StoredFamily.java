package io.hirundo.lib.family;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A family and one of its formats.
 *
 * @param <O> the options of the family's architecture
 */
public record StoredFamily<O extends Record>(ModelFamily<O> family, FamilyFormat<O> format) {
    private static final String MODEL_TYPE = "model_type";

    /** All families with those of their formats that belong to one of these model formats. */
    public static List<StoredFamily<?>> of(Collection<ModelFamily<?>> families, Collection<String> formats) {
        List<StoredFamily<?>> all = new ArrayList<>();
        for (ModelFamily<?> family : families) {
            addAll(all, family, formats);
        }
        return all;
    }

    private static <O extends Record> void addAll(
            List<StoredFamily<?>> all, ModelFamily<O> family, Collection<String> formats) {
        for (FamilyFormat<O> format : family.formats()) {
            if (formats.contains(format.format())) {
                all.add(new StoredFamily<>(family, format));
            }
        }
    }

    /**
     * The one that recognizes a configuration.
     *
     * @param source where the configuration is from, for messages
     * @throws DataException if none does
     * @throws ConfigurationException if several do
     */
    public static StoredFamily<?> recognizing(
            List<StoredFamily<?>> all, Map<String, Object> configuration, String source) {
        List<StoredFamily<?>> found = all.stream()
                .filter(each -> each.format().recognizes(configuration))
                .toList();
        if (found.isEmpty()) {
            Object type = configuration.get(MODEL_TYPE);
            throw new DataException(source + ": '" + MODEL_TYPE + "' is "
                    + (type == null ? "missing" : '"' + Excerpt.of(type.toString()) + '"')
                    + ", which no installed model family reads (they read: " + types(all)
                    + "); install the bundle of its family");
        }
        return only(found, source);
    }

    /**
     * The only one.
     *
     * @throws ConfigurationException if there are several
     */
    public static StoredFamily<?> only(List<StoredFamily<?>> found, String source) {
        if (found.size() > 1) {
            List<String> names = found.stream()
                    .map(each -> each.family().name())
                    .distinct()
                    .sorted()
                    .toList();
            throw new ConfigurationException(
                    names.size() == 1
                            ? source + ": several formats of the model family " + names.getFirst() + " recognize it ("
                                    + found.stream()
                                            .map(each ->
                                                    each.format().getClass().getSimpleName())
                                            .collect(Collectors.joining(" and "))
                                    + "); its bundle must tell them apart in FamilyFormat.recognizes"
                            : source + ": several model families recognize it: " + String.join(" and ", names)
                                    + "; remove all but one of their bundles from plugins/");
        }
        return found.getFirst();
    }

    private static String types(List<StoredFamily<?>> all) {
        return all.isEmpty()
                ? "none"
                : all.stream()
                        .flatMap(each -> each.format().modelTypes().stream())
                        .sorted()
                        .distinct()
                        .collect(Collectors.joining(", "));
    }

    /** The model that a configuration describes. */
    public FamilyModel<O> read(Map<String, Object> configuration, String source) {
        return new FamilyModel<>(family, format, format.read(configuration, source));
    }

    /** The model that tensors and settings describe; see {@link FamilyFormat#derive}. */
    public Optional<FamilyModel<O>> derive(Map<String, Shape> tensors, Map<String, Object> settings, String source) {
        return format.derive(tensors, settings, source).map(options -> new FamilyModel<>(family, format, options));
    }

    /** The model with these options of its architecture; missing ones have their defaults. */
    FamilyModel<O> bind(Map<String, Object> options) {
        return new FamilyModel<>(
                family, format, OptionsRecord.bind(family.optionsType(), options, "architecture " + family.name()));
    }
}
