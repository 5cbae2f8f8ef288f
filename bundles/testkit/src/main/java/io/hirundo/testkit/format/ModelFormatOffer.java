package io.hirundo.testkit.format;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What {@link ModelFormatContract} needs from a test class. A format that only reads overrides {@link #stored} and {@link #values}. */
public interface ModelFormatOffer {
    /** Dtypes of weights. */
    List<DType> DTYPES = List.of(DType.FP64, DType.FP32, DType.BF16);

    /** The format, always with the same options. */
    ModelFormat format();

    /** Name and options of the stored architecture, as a reader returns them. A format that asks families for names has one of these. */
    default Choice architecture() {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("layers", 2);
        options.put("epsilon", 1e-5);
        options.put("name", "日本語 \"quoted\"");
        options.put("tied", false);
        options.put("scaling", null);
        options.put("rope", Map.of("factors", List.of(1.0, 2.5)));
        return new Choice("toy", options);
    }

    /** Published names and shapes of all tensors; one has two dimensions. */
    default Map<String, Shape> tensors() {
        Map<String, Shape> tensors = new LinkedHashMap<>();
        tensors.put("embedding.weight", Shape.of(13, 6));
        tensors.put("layers.0.projection.weight", Shape.of(5, 7));
        tensors.put("layers.0.norm.weight", Shape.of(6));
        tensors.put("layers.1.norm.weight", Shape.of(1));
        return tensors;
    }

    /**
     * A tensor's values before they are stored, which FP32 holds exactly. Many need rounding to BF16: some are halfway between two values of
     * it, with an even one below or above, and some just above halfway. Of a format that only reads, these are the stored values.
     */
    default double[] values(String path, int seed) {
        Random random = new Random(path.hashCode() * 31L + seed);
        double[] halfways = {0, 0x1p-8, 0x3p-8, 0x1p-8 + 0x1p-20};
        double[] values = new double[Math.toIntExact(tensors().get(path).elements())];
        for (int i = 0; i < values.length; i++) {
            double value = 1 + random.nextInt(16) / 16.0 + halfways[random.nextInt(halfways.length)];
            values[i] = random.nextBoolean() ? value : -value;
        }
        return values;
    }

    /**
     * Stores the model with the values of a seed.
     *
     * @param dtype of the stored values; a format that only reads may ignore it and the seed
     * @return its folder, which is below {@code folder}
     */
    default Path stored(Path folder, DType dtype, int seed) throws IOException {
        Path model = folder.resolve("model");
        format().write(model, architecture(), parts(dtype, seed));
        return model;
    }

    /** All tensors, to write. */
    default List<ModelPart> parts(DType dtype, int seed) {
        return tensors().entrySet().stream()
                .map(tensor ->
                        StoredModel.part(tensor.getKey(), tensor.getValue(), dtype, values(tensor.getKey(), seed)))
                .toList();
    }
}
