package io.hirundo.lib.engine.layer;

import io.hirundo.lib.engine.rank.RankNumbers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The GEMM precision summary: lists the layers of each precision in a few lines, for example
 * {@code GEMMs in fp8: model.layers.0-7.mlp.gate_up.weight, ...}.
 */
final class GemmPrecisionSummary {
    private static final Pattern NUMBER = Pattern.compile("(?<=\\.)\\d+(?=\\.)");

    /** Layer numbers by precision description and by layer name with the number replaced by {@code #}. */
    private final Map<String, Map<String, TreeSet<Integer>>> layers = new LinkedHashMap<>();

    /** Adds a layer. Layers without a description are not listed. */
    void add(String layer, String description) {
        if (!description.isEmpty()) {
            Matcher number = NUMBER.matcher(layer);
            boolean numbered = number.find();
            String name = numbered ? layer.substring(0, number.start()) + '#' + layer.substring(number.end()) : layer;
            var numbers = layers.computeIfAbsent(description, unseen -> new LinkedHashMap<>())
                    .computeIfAbsent(name, unseen -> new TreeSet<>());
            if (numbered) {
                numbers.add(Integer.valueOf(number.group()));
            }
        }
    }

    List<String> lines() {
        var lines = new ArrayList<String>();
        layers.forEach((description, names) -> lines.add("GEMMs in " + description + ": "
                + names.entrySet().stream().map(GemmPrecisionSummary::layers).collect(Collectors.joining(", "))));
        return lines;
    }

    private static String layers(Map.Entry<String, TreeSet<Integer>> name) {
        return name.getValue().isEmpty()
                ? name.getKey()
                : name.getKey()
                        .replace(
                                "#",
                                RankNumbers.of(List.copyOf(name.getValue())).replace(" ", ""));
    }
}
