package io.hirundo.lib.engine.provider;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.engine.kernel.KernelChoice;
import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.mesh.Axis;
import io.hirundo.model.Architecture;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerProviders;
import io.hirundo.parallel.LayerScope;
import io.hirundo.parallel.Sharding;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.precision.Support;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Chooses who makes a layer run: the first provider of its kind that communicates along all axes that the layer needs.
 *
 * @param providers in the order in which they are asked
 */
public record LayerProviderChoice(List<LayerProvider<?, ?>> providers) {
    /** Of the tensor-parallel strategy, if that axis has more than one rank, then of the architecture, then those of lib-transformer. */
    public static LayerProviderChoice of(TensorParallel tensor, Sharding sharding, Architecture architecture) {
        var providers = new ArrayList<LayerProvider<?, ?>>();
        if (sharding.sizes().getOrDefault(Axis.TENSOR, 1) > 1) {
            providers.addAll(tensor.providers());
        }
        if (architecture instanceof LayerProviders own) {
            providers.addAll(own.providers());
        }
        providers.addAll(PlainProviders.all());
        return new LayerProviderChoice(providers);
    }

    /**
     * Checks that a layer can run, before there are ranks.
     *
     * @throws ConfigurationException names the layer and the axis
     */
    public void check(LayerSpec<?> spec, Sharding sharding) {
        choose(spec, sharding);
    }

    /**
     * Checks that the device has the kernels of a layer, its own or those of bundles, before it is opened.
     *
     * @throws ConfigurationException names the layer and the kernels
     */
    public void checkKernels(LayerSpec<?> spec, Sharding sharding, KernelChoice kernels) {
        for (Class<?> family : kernels(choose(spec, sharding), spec)) {
            if (!kernels.has(family)) {
                throw new ConfigurationException("device: " + kernels.lacks("layer " + spec.name(), family));
            }
        }
    }

    /** The running layer of one rank. */
    public <L extends Layer> L create(LayerSpec<L> spec, LayerScope scope) {
        return create(choose(spec, scope.sharding()), spec, scope);
    }

    /** A provider of a kind of layer makes the running layers of that kind. */
    @SuppressWarnings("unchecked")
    private static <L extends Layer, S extends LayerSpec<L>> L create(
            LayerProvider<?, ?> provider, LayerSpec<L> spec, LayerScope scope) {
        return ((LayerProvider<L, S>) provider).create((S) spec, scope);
    }

    private LayerProvider<?, ?> choose(LayerSpec<?> spec, Sharding sharding) {
        Set<Axis> needs = sharding.needs(spec);
        var reasons = new ArrayList<String>();
        for (LayerProvider<?, ?> provider : providers) {
            if (!provider.specType().isInstance(spec)) {
                continue;
            }
            if (!provider.communicatesAlong().containsAll(needs)) {
                continue;
            }
            Support support = supports(provider, spec, sharding);
            if (support.supported()) {
                return provider;
            }
            reasons.add(support.reason());
        }
        throw rejected(spec, sharding, needs, reasons);
    }

    @SuppressWarnings("unchecked")
    private static <L extends Layer, S extends LayerSpec<L>> Support supports(
            LayerProvider<?, ?> provider, LayerSpec<?> spec, Sharding sharding) {
        return ((LayerProvider<L, S>) provider).supports((S) spec, sharding);
    }

    @SuppressWarnings("unchecked")
    private static <L extends Layer, S extends LayerSpec<L>> Set<Class<?>> kernels(
            LayerProvider<?, ?> provider, LayerSpec<?> spec) {
        return ((LayerProvider<L, S>) provider).kernels((S) spec);
    }

    private static ConfigurationException rejected(
            LayerSpec<?> spec, Sharding sharding, Set<Axis> needs, List<String> reasons) {
        String kind = spec.getClass().getSimpleName();
        if (needs.isEmpty()) {
            return new ConfigurationException(
                    "model: no provider makes layer " + spec.name() + " of kind " + kind + " run"
                            + (reasons.isEmpty()
                                    ? "; its architecture must implement LayerProviders"
                                    : ": " + String.join("; ", reasons)));
        }
        String axes = needs.stream()
                .map(axis -> Sharding.setting(axis) + " is " + sharding.sizes().get(axis))
                .collect(Collectors.joining(", "));
        return new ConfigurationException(axes + ", but no provider splits layer " + spec.name() + " of kind " + kind
                + " like that" + reasons.stream().map(reason -> ": " + reason).collect(Collectors.joining())
                + "; set it to 1");
    }
}
