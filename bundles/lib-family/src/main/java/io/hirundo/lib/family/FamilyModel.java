package io.hirundo.lib.family;

import io.hirundo.ConfigurationException;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.Shape;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A model of a family, in a format: what the formats of models need to know of it. Thread-safe.
 *
 * @param <O> the options of the family's architecture
 */
public final class FamilyModel<O extends Record> {
    /** A parameter of the model, and the stored tensor that holds it. */
    public record Held(StoredTensor tensor, StoredTensor.Part part) {}

    private final ModelFamily<O> family;
    private final FamilyFormat<O> format;
    private final O options;
    private final List<StoredTensor> tensors;
    private final SequencedMap<String, Held> parameters = new LinkedHashMap<>();

    FamilyModel(ModelFamily<O> family, FamilyFormat<O> format, O options) {
        this.family = family;
        this.format = format;
        this.options = options;
        this.tensors = List.copyOf(format.tensors(options));
        for (StoredTensor tensor : tensors) {
            for (StoredTensor.Part part : tensor.parts()) {
                if (parameters.put(part.path(), new Held(tensor, part)) != null) {
                    throw new IllegalStateException("family " + family.name() + " stores " + part.path() + " twice");
                }
            }
        }
    }

    /**
     * The model of a folder, read by the family that recognizes its configuration.
     *
     * @param source where the configuration is from, for messages
     * @throws io.hirundo.DataException if no family recognizes it, or the one that does rejects it
     * @throws ConfigurationException if several families recognize it
     */
    public static FamilyModel<?> read(
            Collection<ModelFamily<?>> families, String format, Map<String, Object> configuration, String source) {
        return StoredFamily.recognizing(StoredFamily.of(families, List.of(format)), configuration, source)
                .read(configuration, source);
    }

    /**
     * A model to write.
     *
     * @param format name of the model format
     * @param architecture name and options
     * @throws ConfigurationException if the architecture has no such format or several, or options have a wrong type
     */
    public static FamilyModel<?> of(Collection<ModelFamily<?>> families, String format, Choice architecture) {
        List<StoredFamily<?>> able = StoredFamily.of(families, List.of(format));
        List<StoredFamily<?>> named = able.stream()
                .filter(each -> each.family().name().equals(architecture.name()))
                .toList();
        if (named.isEmpty()) {
            throw new ConfigurationException("model.format: " + format + " writes models of the families "
                    + able.stream()
                            .map(each -> each.family().name())
                            .sorted()
                            .distinct()
                            .collect(Collectors.joining(", "))
                    + ", not " + architecture.name() + "; set model.export to false or choose another format");
        }
        return StoredFamily.only(named, "model.format " + format).bind(architecture.options());
    }

    /** Name and options of the architecture, as in a configuration, with all values. */
    public Choice choice() {
        return new Choice(family.name(), OptionsRecord.values(options));
    }

    /** The configuration to write. */
    public Map<String, Object> configuration() {
        return format.write(options);
    }

    /** All stored tensors, in order. */
    public List<StoredTensor> tensors() {
        return tensors;
    }

    /** The model's parameters by published name, in order. */
    public SequencedMap<String, Held> parameters() {
        return Collections.unmodifiableSequencedMap(parameters);
    }

    /** Shapes of the model's parameters by published name. */
    public SequencedMap<String, Shape> shapes() {
        var shapes = new LinkedHashMap<String, Shape>();
        parameters.forEach((path, held) -> shapes.put(path, held.part().shape()));
        return shapes;
    }

    /** See {@link FamilyFormat#copies}. */
    public Map<String, String> copies() {
        return format.copies(options);
    }

    /** See {@link FamilyFormat#isIgnored}. */
    public boolean isIgnored(String name) {
        return format.isIgnored(name);
    }

    /** First segments of the stored names of models of this family, in any of its formats: {@code model} for instance. */
    public Set<String> namespaces() {
        var names = new TreeSet<String>();
        for (FamilyFormat<O> each : family.formats()) {
            each.tensors(options).forEach(tensor -> names.add(firstSegment(tensor.name())));
            each.copies(options).keySet().forEach(copy -> names.add(firstSegment(copy)));
        }
        return names;
    }

    private static String firstSegment(String name) {
        return name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
    }

    /** See {@link FamilyFormat#referenceLogits}. */
    public double[][] referenceLogits(StoredValues stored, int[] tokens) {
        return format.referenceLogits(options, stored, tokens);
    }
}
