package io.hirundo.gpusuite.internal.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * Mean losses in nats by precision, step after step from 1, and the text that holds them: comments begin with {@code #}, then a line with the
 * name of the architecture, one with those of the precisions, and one for each step.
 *
 * @param architecture the family of the model
 * @param byPrecision in the order of the text's columns, all equally long
 */
record LossCurves(String architecture, Map<String, double[]> byPrecision) {
    /** The curves of device {@code cpu}, see {@link CurvesPart}. */
    static LossCurves committed() {
        try (InputStream text = LossCurves.class.getResourceAsStream("loss-curves.txt")) {
            return parse(new String(text.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static LossCurves parse(String text) {
        List<String> lines = text.lines().filter(line -> !line.startsWith("#")).toList();
        String[] names = lines.get(1).split(" ");
        var curves = new LinkedHashMap<String, double[]>();
        for (int i = 0; i < names.length; i++) {
            int column = i;
            curves.put(
                    names[i],
                    lines.stream()
                            .skip(2)
                            .mapToDouble(line -> Double.parseDouble(line.split(" ")[column]))
                            .toArray());
        }
        return new LossCurves(lines.getFirst(), curves);
    }

    /** Steps that all curves have: a run that was cut may have fewer in one of them. */
    int steps() {
        return byPrecision.values().stream()
                .mapToInt(losses -> losses.length)
                .min()
                .orElse(0);
    }

    String text(String comment) {
        var text = new StringBuilder(
                "# " + comment + "\n" + architecture + "\n" + String.join(" ", byPrecision.keySet()) + "\n");
        for (int step = 0; step < steps(); step++) {
            int row = step;
            text.append(String.join(
                            " ",
                            byPrecision.values().stream()
                                    .map(losses -> String.format(Locale.ROOT, "%.7f", losses[row]))
                                    .toList()))
                    .append('\n');
        }
        return text.toString();
    }

    /** Mean of the losses from a step (0 is the first) to another, which is not included. */
    static double mean(double[] losses, int from, int to) {
        return DoubleStream.of(losses).skip(from).limit(to - from).average().orElseThrow();
    }
}
