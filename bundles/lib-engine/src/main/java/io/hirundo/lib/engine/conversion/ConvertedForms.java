package io.hirundo.lib.engine.conversion;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The optimizer state of a rank that a checkpoint has in another form, from which the optimizer converts it. */
public record ConvertedForms(List<ConvertedSlice> slices) {
    /** All state is loaded as it is. */
    public static final ConvertedForms NONE = new ConvertedForms(List.of());

    public ConvertedForms {
        slices = List.copyOf(slices);
    }

    /**
     * Whether an optimizer converts: where all of the other form is there, and nothing of its own.
     *
     * @param isThere whether a tensor of either form is there
     */
    public static boolean isNeeded(StateConversion conversion, Predicate<StateSpec> isThere) {
        return conversion.from().stream().allMatch(isThere)
                && conversion.to().stream().noneMatch(isThere);
    }

    /**
     * Compares what a rank owns with a checkpoint. A tensor of which the rank cannot convert each rectangle counts as missing: a part of it
     * would silently begin at zero.
     *
     * @param saved keys of the checkpoint
     */
    public static ConvertedForms of(Optimizer optimizer, List<Parameter> owned, Set<String> saved) {
        return new ConvertedForms(owned.stream()
                .flatMap(run -> optimizer.conversions(run.spec(), run.value().dtype()).stream()
                        .flatMap(conversion -> ConvertedSlice.byTensor(conversion, run).stream()))
                .filter(slices -> slices.stream().allMatch(slice -> slice.isDivisible() && slice.isNeeded(saved)))
                .flatMap(List::stream)
                .toList());
    }

    /**
     * Without tensors that begin at zero because another rank cannot convert its part.
     *
     * @param missing keys
     */
    public ConvertedForms without(Collection<String> missing) {
        return new ConvertedForms(slices.stream()
                .filter(slice ->
                        slice.conversion().to().stream().map(slice::key).noneMatch(missing::contains))
                .toList());
    }

    /**
     * Parts that are loaded one after the other.
     *
     * @param mostBytes of the checkpoint's form in a part; a single tensor may have more
     */
    public List<ConvertedForms> parts(long mostBytes) {
        var parts = new ArrayList<ConvertedForms>();
        var part = new ArrayList<ConvertedSlice>();
        long bytes = 0;
        for (ConvertedSlice slice : slices) {
            if (!part.isEmpty() && bytes + slice.savedBytes() > mostBytes) {
                parts.add(new ConvertedForms(part));
                part.clear();
                bytes = 0;
            }
            part.add(slice);
            bytes += slice.savedBytes();
        }
        if (!part.isEmpty()) {
            parts.add(new ConvertedForms(part));
        }
        return parts;
    }

    /** Keys to load instead of these. */
    public Set<String> insteadOf(Set<String> keys) {
        var loaded = new HashSet<>(keys);
        loaded.removeAll(converted());
        slices.forEach(slice -> slice.conversion().from().forEach(spec -> loaded.add(slice.key(spec))));
        return loaded;
    }

    /** Keys of the tensors that are converted to. */
    public Set<String> converted() {
        return slices.stream()
                .flatMap(slice -> slice.conversion().to().stream().map(slice::key))
                .collect(Collectors.toSet());
    }

    /** What is converted, for the log, once for all parameters. */
    public Stream<String> descriptions() {
        return slices.stream()
                .map(ConvertedSlice::conversion)
                .map(ConvertedForms::description)
                .distinct();
    }

    /** For instance {@code exp_avg_quantized, exp_avg_scales_128 from exp_avg}. */
    public static String description(StateConversion conversion) {
        return names(conversion.to()) + " from " + names(conversion.from());
    }

    private static String names(List<StateSpec> specs) {
        return specs.stream().map(StateSpec::name).collect(Collectors.joining(", "));
    }
}
