package io.hirundo.lib.golden;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A small random model that the Transformers library saved, and what it computed with it in FP64. {@code manifest.json} next to the
 * folder says what is special about it.
 *
 * @param folder of the golden
 */
public record ModelGolden(Path folder) {
    /** Which version of the Transformers library wrote a {@code config.json}. */
    public enum ConfigForm {
        /** With {@code rope_theta}, {@code rope_scaling} and {@code torch_dtype}, as most published folders have it. */
        TRANSFORMERS_4("config.transformers4.json"),
        /** With {@code rope_parameters} and {@code dtype}. */
        TRANSFORMERS_5("config.json");

        private final String file;

        ConfigForm(String file) {
            this.file = file;
        }
    }

    /**
     * All goldens of a bundle.
     *
     * @param resources the bundle's folder {@code src/test/resources}
     */
    public static List<ModelGolden> all(Path resources) {
        Path golden = resources.resolve("golden");
        Map<?, ?> cases =
                (Map<?, ?>) GoldenFiles.object(golden.resolve("manifest.json")).get("cases");
        return cases.keySet().stream()
                .map(name -> new ModelGolden(golden.resolve((String) name)))
                .toList();
    }

    /** Its name in the manifest. */
    public String name() {
        return folder.getFileName().toString();
    }

    /** The Hugging Face folder. Next to its {@code config.json} may be one in the form of transformers 4. */
    public Path model() {
        return folder.resolve("model");
    }

    /** Whether there is a {@code config.json} in this form. */
    public boolean has(ConfigForm form) {
        return Files.exists(model().resolve(form.file));
    }

    /** The content of a {@code config.json}. */
    public Map<String, Object> configuration(ConfigForm form) {
        return GoldenFiles.object(model().resolve(form.file));
    }

    /** The stored weights, by name; BF16 and FP32 widened. */
    public SequencedMap<String, GoldenTensor> weights() {
        var weights = new TreeMap<String, GoldenTensor>();
        Path single = model().resolve("model.safetensors");
        Stream<String> files = single.toFile().exists()
                ? Stream.of("model.safetensors")
                : ((Map<?, ?>) GoldenFiles.object(model().resolve("model.safetensors.index.json"))
                                .get("weight_map"))
                        .values().stream().map(file -> (String) file).distinct();
        files.forEach(file -> weights.putAll(GoldenFiles.tensors(model().resolve(file))));
        return weights;
    }

    /** Gradients of {@link #loss}, by name: computed in FP64, rounded to FP32. */
    public SequencedMap<String, GoldenTensor> gradients() {
        return GoldenFiles.tensors(folder.resolve("gradients.safetensors"));
    }

    /** Logits [T, V] of the first sequence of {@link #tokens}, FP64. */
    public GoldenTensor logits() {
        return GoldenFiles.tensors(folder.resolve("logits.safetensors")).get("logits");
    }

    /** Sequences [B][T + 1]: T inputs, and the label of the last one. */
    public int[][] tokens() {
        return ((List<?>) expected("tokens")).stream().map(ModelGolden::ids).toArray(int[][]::new);
    }

    /** The mean cross-entropy over the B * T next tokens of {@link #tokens}. */
    public double loss() {
        return (Double) expected("loss");
    }

    /** The beginning of a text. */
    public int[] prompt() {
        return ids(expected("prompt"));
    }

    /** The 50 tokens that follow {@link #prompt} if the token with the largest logit is taken each time. */
    public int[] greedy() {
        return ids(expected("greedy"));
    }

    /** The smallest difference between the two largest logits on the way to {@link #greedy}: errors below half of it change no token. */
    public double smallestLead() {
        return (Double) expected("smallest_lead");
    }

    /** Elements of all parameters; a tied one counts once. */
    public long parameters() {
        return (Long) expected("parameters");
    }

    private Object expected(String field) {
        return GoldenFiles.object(folder.resolve("expected.json")).get(field);
    }

    private static int[] ids(Object list) {
        long[] ids = GoldenFiles.longs(list);
        int[] result = new int[ids.length];
        for (int index = 0; index < ids.length; index++) {
            result[index] = Math.toIntExact(ids[index]);
        }
        return result;
    }

    @Override
    public String toString() {
        return name();
    }
}
