package io.hirundo.lib.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.DataException;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.lib.golden.ModelGolden.ConfigForm;
import io.hirundo.tensor.Shape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Hugging Face format of a family against its goldens and published models, which are in {@code src/test/resources} of the bundle
 * whose tests extend this class.
 *
 * @param <O> the options of the family's architecture
 */
public abstract class FamilyGoldens<O extends Record> {
    private static final Path RESOURCES = Path.of("src/test/resources");

    /** Sums in another order than PyTorch's. */
    private static final double CLOSE = 1e-9;

    /** The format under test. */
    protected abstract FamilyFormat<O> format();

    static List<ModelGolden> goldens() {
        return ModelGolden.all(RESOURCES);
    }

    static List<PublishedModel> published() {
        return Files.exists(RESOURCES.resolve("published-models.json")) ? PublishedModel.all(RESOURCES) : List.of();
    }

    private O options(ModelGolden golden) {
        return options(golden.configuration(ConfigForm.TRANSFORMERS_5));
    }

    private O options(Map<String, Object> configuration) {
        assertTrue(format().recognizes(configuration));
        return format().read(configuration, "config.json");
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void readsTheSameOptionsFromBothFormsOfTheConfiguration(ModelGolden golden) {
        assumeTrue(golden.has(ConfigForm.TRANSFORMERS_4), "transformers 4 wrote no configuration of " + golden.name());
        assertEquals(options(golden), options(golden.configuration(ConfigForm.TRANSFORMERS_4)));
    }

    /** Including what the family does not support: then both are rejected. */
    @Test
    @SuppressWarnings("unchecked")
    void readsMissingFieldsAsTheLibraryDoes() {
        GoldenFiles.object(RESOURCES.resolve("golden/defaults.json"))
                .forEach((type, defaults) ->
                        assertEquals(read((Map<String, Object>) defaults), read(Map.of("model_type", type)), type));
    }

    private Optional<O> read(Map<String, Object> configuration) {
        try {
            return Optional.of(options(configuration));
        } catch (DataException rejected) {
            return Optional.empty();
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void readsWhatItWrites(ModelGolden golden) {
        assertEquals(options(golden), options(format().write(options(golden))));
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void expectsTheTensorsThatTheLibraryStores(ModelGolden golden) {
        var stored = new TreeMap<String, Shape>();
        golden.weights().forEach((name, tensor) -> stored.put(name, tensor.shape()));
        assertEquals(stored, shapes(options(golden)));
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void referenceHasTheLibrarysLogits(ModelGolden golden) {
        int[] inputs = Arrays.copyOf(golden.tokens()[0], golden.tokens()[0].length - 1);
        double[][] logits = format().referenceLogits(options(golden), GoldenTensor.stored(golden.weights()), inputs);
        assertArrayEquals(
                golden.logits().values(),
                Stream.of(logits).flatMapToDouble(Arrays::stream).toArray(),
                CLOSE);
    }

    /** None if there is no {@code published-models.json}. */
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("published")
    void hasThePublishedParameters(PublishedModel model) {
        Map<String, Shape> shapes = shapes(options(model.configuration()));
        assertEquals(
                model.parameters(),
                shapes.values().stream().mapToLong(Shape::elements).sum());
        assertEquals(model.tensors(), shapes.size());
        assertEquals(model.listing(), PublishedModel.listing(shapes));
    }

    private Map<String, Shape> shapes(O options) {
        var shapes = new TreeMap<String, Shape>();
        for (StoredTensor tensor : format().tensors(options)) {
            assertEquals(null, shapes.put(tensor.name(), tensor.shape()), () -> tensor.name() + " is there twice");
        }
        return shapes;
    }
}
