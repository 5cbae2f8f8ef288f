package io.hirundo.paralleltp.internal.columnrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.parallel.Sharding;
import io.hirundo.paralleltp.internal.fixture.SplitLayers;
import io.hirundo.paralleltp.internal.layer.LinearProvider;
import java.util.List;
import org.junit.jupiter.api.Test;

class RejectionsTest {
    private static final Initialization NORMAL = Initialization.normal(1);

    private static final ColumnRow PARALLEL = (ColumnRow) new ColumnRowFactory().create(new ColumnRowOptions());

    private static void rejected(int ranks, LayerSpec<?> layer, String message) {
        Sharding sharding = SplitLayers.sharding(PARALLEL, ranks);
        var rejection = assertThrows(ConfigurationException.class, () -> sharding.checkExtents(layer));
        assertEquals("mesh.tensor is " + ranks + ", but must " + message, rejection.getMessage());
    }

    private static LayerSpec<?> column(String path, List<Dim> rows) {
        return LayerSpec.Linear.fromResidual("x", List.of(new LinearPart(path, rows)), 20, NORMAL);
    }

    private static LayerSpec.Attention attention(int query, int keyValue) {
        return new LayerSpec.Attention("attn", new Heads(query, keyValue, 4), List.of(1.0, 0.1), 8);
    }

    @Test
    void namesTheSettingAndWhatIsAllowed() {
        rejected(
                3,
                new LayerSpec.Embedding("embed", 50, 8, NORMAL),
                "divide the 50 elements of vocabulary in embed; allowed are 1, 2, 5, 10, 25, 50");
        rejected(
                3,
                new LayerSpec.LossHead("head", 50, 8, NORMAL),
                "divide the 50 elements of vocabulary in head; allowed are 1, 2, 5, 10, 25, 50");
        rejected(
                3,
                column("q", attention(8, 4).query()),
                "divide the 8 elements of query-heads in q; allowed are 1, 2, 4, 8");
        rejected(
                6,
                column("k", attention(12, 4).keyValue()),
                "divide the 4 elements of kv-heads in k, or be a multiple of them; allowed are 1, 2, 4, or multiples of 4");
        rejected(
                8,
                column("gate", List.of(Dims.inner(4))),
                "divide the 4 elements of inner in gate; allowed are 1, 2, 4");
        rejected(
                3,
                LayerSpec.Linear.toResidual("down", "down", List.of(Dims.inner(20)), 8, NORMAL),
                "divide the 20 elements of inner in down; allowed are 1, 2, 4, 5, 10, 20");
        rejected(
                3,
                new LayerSpec.GatedMlp("mlp", 20),
                "divide the 20 elements of inner in mlp; allowed are 1, 2, 4, 5, 10, 20");
        rejected(3, attention(8, 4), "divide the 8 elements of query-heads in attn; allowed are 1, 2, 4, 8");
        rejected(
                6,
                attention(12, 4),
                "divide the 4 elements of kv-heads in attn, or be a multiple of them; allowed are 1, 2, 4, or multiples of 4");
    }

    /** Which layers the strategy offers to run, by what the tensor axis splits. */
    @Test
    void supportsLinearLayersBetweenTheResidualStreamAndSplitChannels() {
        assertTrue(isSupported((LayerSpec.Linear) column("q", attention(8, 4).query())));
        assertTrue(isSupported(LayerSpec.Linear.toResidual("down", "down", List.of(Dims.inner(16)), 8, NORMAL)));
        List<Dim> inner = List.of(Dims.inner(16));
        List<Dim> latent = List.of(new Dim("latent", 16));
        assertFalse(
                isSupported(linear(List.of(inner, latent), Activation.residual(8), Dims.ROWS)), "some of the parts");
        assertFalse(
                isSupported(linear(List.of(inner), Activation.inside(inner), Dims.RESIDUAL_ROWS)),
                "inputs and outputs");
        assertFalse(isSupported(linear(List.of(inner), Activation.residual(8), Dims.RESIDUAL_ROWS)), "rows of a shard");
        assertFalse(isSupported(linear(List.of(latent), Activation.residual(8), Dims.ROWS)), "nothing is split");
    }

    private static LayerSpec.Linear linear(List<List<Dim>> parts, Activation input, List<Dim> rows) {
        return new LayerSpec.Linear(
                "x",
                parts.stream()
                        .map(part -> new LinearPart(part.toString(), part))
                        .toList(),
                input,
                rows,
                NORMAL);
    }

    private static boolean isSupported(LayerSpec.Linear spec) {
        LinearProvider linears = PARALLEL.providers().stream()
                .filter(LinearProvider.class::isInstance)
                .map(LinearProvider.class::cast)
                .findFirst()
                .orElseThrow();
        return linears.supports(spec, SplitLayers.sharding(PARALLEL, 2)).supported();
    }

    @Test
    void rejectsTokensThatTheRanksCannotDivide() {
        var parallel = new ColumnRowFactory().create(new ColumnRowOptions());
        assertEquals(15, parallel.residualTokens(60, 4));
        var rejection = assertThrows(ConfigurationException.class, () -> parallel.residualTokens(60, 8));
        assertEquals(
                "mesh.tensor is 8, but with sequenceParallel it must divide the 60 tokens of a microbatch (training.microBatch times"
                        + " training.sequenceTokens, over mesh.context); allowed are 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60; or set the"
                        + " option sequenceParallel of column-row to false",
                rejection.getMessage());
        var whole = new ColumnRowFactory().create(new ColumnRowOptions(false, true, true, true, true, 4, true));
        assertEquals(60, whole.residualTokens(60, 8));
    }

    @Test
    void rejectsInvalidSplits() {
        assertThrows(
                ConfigurationException.class,
                () -> new ColumnRowFactory().create(new ColumnRowOptions(true, true, true, true, true, 0, true)));
    }
}
