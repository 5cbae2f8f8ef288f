package org.example.olmo2;

import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.model.Architecture;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.ModelContract;
import java.util.List;

/** The gradients of a tiny model are those of finite differences, on the testkit's scalar device. */
@HirundoContract
class Olmo2GradientsTest implements ModelContract {
    @Override
    public Architecture architecture() {
        // V 7, C 6, F 5, one layer, H 2, G 1, D 4.
        return new Olmo2Factory().create(new Olmo2Options(7, 6, 5, 1, 2, 1, 4, 8, 1e-5, 100, false, 0.02));
    }

    @Override
    public List<LayerProvider<?, ?>> providers() {
        return PlainProviders.all();
    }
}
