package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.family.FamilyFormat;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.lib.golden.PublishedModel;
import io.hirundo.model.Architecture;
import io.hirundo.trainer.internal.fixture.GoldenModel;
import io.hirundo.trainer.internal.fixture.TestParallel;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Published configurations have the parameters that the Transformers library makes of them, by name, shape and count. */
class PublishedSizesTest {
    private static Stream<PublishedModel> models() {
        return Stream.of("model-llama", "model-qwen", "model-gemma2")
                .flatMap(bundle -> PublishedModel.all(GoldenModel.resources(bundle)).stream());
    }

    @ParameterizedTest
    @MethodSource("models")
    void architectureHasThePublishedParameters(PublishedModel published) {
        var stored = FamilyModel.read(
                GoldenModel.FAMILIES, FamilyFormat.HUGGING_FACE, published.configuration(), published.name());
        Architecture architecture = GoldenModel.architecture(stored.choice());
        var shapes = ModelTensors.of(architecture.describe());
        assertEquals(published.tensors(), shapes.size());
        assertEquals(published.listing(), PublishedModel.listing(shapes));
        assertEquals(published.listing(), PublishedModel.listing(stored.shapes()));
        var compute = new Strategies.Compute(new MetaFactory().create(new MetaOptions()), Layouts.FP32);
        try (RankModel model = RankModel.openAlone(compute, TestParallel.defaults(), architecture)) {
            assertEquals(published.parameters(), model.parameterCount());
        }
    }
}
