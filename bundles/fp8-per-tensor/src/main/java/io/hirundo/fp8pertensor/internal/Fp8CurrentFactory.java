package io.hirundo.fp8pertensor.internal;

import io.hirundo.lib.precision.QuantizedLayers;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Precision {@code fp8-current}: FP8 GEMMs with per-tensor current scaling. */
@Component
@HirundoStrategy(kind = "precision", name = "fp8-current")
public final class Fp8CurrentFactory implements StrategyFactory<Fp8CurrentOptions, PrecisionStrategy> {
    @Override
    public PrecisionStrategy create(Fp8CurrentOptions options) {
        var layers = new QuantizedLayers.Options(
                options.firstInBf16(), options.lastInBf16(), options.queryKeyValue(), options.head());
        var codes = Codes.of(options.gradients(), options.scales());
        return new Fp8PerTensor(
                codes,
                new QuantizedLayers(layers),
                (device, kernels, sharers) -> new CurrentQuantizer(device, kernels, codes, sharers));
    }
}
