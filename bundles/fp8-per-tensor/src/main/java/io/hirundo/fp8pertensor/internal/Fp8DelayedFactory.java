package io.hirundo.fp8pertensor.internal;

import io.hirundo.lib.precision.QuantizedLayers;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Precision {@code fp8-delayed}: FP8 GEMMs with per-tensor delayed scaling. */
@Component
@HirundoStrategy(kind = "precision", name = "fp8-delayed")
public final class Fp8DelayedFactory implements StrategyFactory<Fp8DelayedOptions, PrecisionStrategy> {
    @Override
    public PrecisionStrategy create(Fp8DelayedOptions options) {
        var layers = new QuantizedLayers.Options(
                options.firstInBf16(), options.lastInBf16(), options.queryKeyValue(), options.head());
        var codes = Codes.of(options.gradients(), options.scales());
        boolean mostRecent = options.amax().equals(Fp8DelayedOptions.MOST_RECENT);
        return new Fp8PerTensor(
                codes,
                new QuantizedLayers(layers),
                (device, kernels, sharers) -> new DelayedQuantizer(
                        kernels,
                        codes,
                        new CurrentQuantizer(device, kernels, codes, sharers),
                        () -> new AmaxHistory(device, kernels, options.history(), mostRecent, options.margin())));
    }
}
