package io.hirundo.trainer.internal.layer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.layout.StageRequest;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.BareBackend;
import io.hirundo.trainer.internal.fixture.BiasModel;
import io.hirundo.trainer.internal.fixture.TestParallel;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A device without the kernels that a model needs rejects the model when its layers are created, and names what it lacks. */
class MissingKernelsTest {
    private static final BiasModel MODEL =
            new BiasModel(97, 24, 40, new Heads(4, 2, 16), 2, 32, BiasModel.Options.all(7));

    @ParameterizedTest
    @ValueSource(classes = {BiasKernels.class, SoftCapKernels.class})
    void namesTheFamily(Class<?> missing) {
        String message = rejection(missing);
        assertTrue(message.startsWith("device: "), message);
        assertTrue(message.contains(" has no " + missing.getSimpleName() + ", which layer "), message);
    }

    @ParameterizedTest
    @ValueSource(classes = AttentionKernels.class)
    void namesTheOptionsOfAttention(Class<?> missing) {
        String message = rejection(missing);
        assertTrue(message.contains("has no attention kernels for scale "), message);
        assertTrue(message.contains(", window 7; choose"), message);
    }

    @ParameterizedTest
    @ValueSource(classes = GatedMlpKernels.class)
    void namesTheActivation(Class<?> missing) {
        String message = rejection(missing);
        assertTrue(message.contains("has no kernels for activation GELU_TANH, which layer "), message);
    }

    private static String rejection(Class<?> missing) {
        var ledger = new AccountedLedger(Long.MAX_VALUE);
        var backend = new BareBackend(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)), missing);
        var parallel = TestParallel.defaults();
        try (var rank = Rank.alone(backend, parallel.fabric(), ledger)) {
            Map<MemoryCategory, Long> before = Map.copyOf(ledger.liveBytes());
            var compute = new Strategies.Compute(backend, new Fp32Factory().create(new NoOptions()));
            String message = assertThrows(
                            ConfigurationException.class,
                            () -> RankModel.open(rank, compute, parallel, MODEL, StageRequest.ONE_STAGE))
                    .getMessage();
            assertEquals(before, ledger.liveBytes(), "the rejected model leaves no memory behind");
            return message;
        }
    }
}
