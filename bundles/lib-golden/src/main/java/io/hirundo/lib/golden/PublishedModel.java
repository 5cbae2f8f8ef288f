package io.hirundo.lib.golden;

import io.hirundo.tensor.Shape;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A published model: its configuration, and what the Transformers library makes of it on PyTorch's meta device ({@code
 * tools/interop/sizes.py}).
 *
 * @param name as its authors call it
 * @param source where the configuration is published
 * @param parameters elements of all parameters; a tied one counts once
 * @param tensors number of parameters
 * @param listing {@link #listing} of the parameters
 * @param configuration the fields of {@code config.json} that matter, in the form of transformers 4, as published
 */
public record PublishedModel(
        String name, String source, long parameters, long tensors, String listing, Map<String, Object> configuration) {
    /**
     * Those of a bundle.
     *
     * @param resources the bundle's folder {@code src/test/resources}
     */
    @SuppressWarnings("unchecked")
    public static List<PublishedModel> all(Path resources) {
        return GoldenFiles.objects(resources.resolve("published-models.json")).stream()
                .map(model -> new PublishedModel(
                        (String) model.get("name"),
                        (String) model.get("source"),
                        (Long) model.get("parameters"),
                        (Long) model.get("tensors"),
                        (String) model.get("listing"),
                        (Map<String, Object>) model.get("config")))
                .toList();
    }

    /** SHA-256 of names and shapes in the order of names: a line {@code name [dim, dim]} for each. */
    public static String listing(Map<String, Shape> shapes) {
        var lines = new StringBuilder();
        new TreeMap<>(shapes)
                .forEach((name, shape) ->
                        lines.append(name).append(' ').append(shape.dims()).append('\n'));
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256")
                            .digest(lines.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
