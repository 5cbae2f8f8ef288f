package io.hirundo.lib.engine.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.kernel.provider.KernelProvider.Tier;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.fabric.Substitute;
import io.hirundo.testkit.scalar.ScalarBackend;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** On the testkit's device, which has arithmetic, but no kernels of stochastic rounding, and none of these families of third parties. */
class KernelChoiceTest {
    private static final ComputeBackend BACKEND = new ScalarBackend();

    private interface Scale extends AutoCloseable {
        String who();

        @Override
        default void close() {}
    }

    private interface Shift {
        Scale scale();
    }

    private record Provider<K>(
            Class<K> family,
            String backend,
            Tier tier,
            Set<Class<?>> composes,
            Support support,
            Function<Device, K> opens)
            implements KernelProvider<K> {
        @Override
        public Support supports(DeviceInfo device) {
            return support;
        }

        @Override
        public K open(Device device) {
            return opens.apply(device);
        }
    }

    private static KernelOffer offer(String name, KernelProvider<?> provider) {
        return new KernelOffer(provider, name, "acme 1.0.0");
    }

    private static KernelOffer scale(String name, String backend, Tier tier, Support support) {
        return offer(name, new Provider<Scale>(Scale.class, backend, tier, Set.of(), support, _ -> () -> name));
    }

    private static KernelOffer composed(String name, Class<?>... of) {
        return offer(name, new Provider<>(Scale.class, "*", Tier.COMPOSED, Set.of(of), Support.YES, _ -> () -> name));
    }

    private static String taken(KernelChoice choice) {
        try (Device device = choice.complete(BACKEND).open(0, new AccountedLedger(Long.MAX_VALUE))) {
            return device.kernels().find(Scale.class).map(Scale::who).orElse("none");
        }
    }

    @Test
    void takesTheBestTierForTheDevice() {
        var offers = List.of(
                composed("composed", GemmKernels.class), scale("fast", "testkit", Tier.FAST, Support.YES),
                scale("scalar", "testkit", Tier.SCALAR, Support.YES), scale("of-gpus", "cuda", Tier.FAST, Support.YES));
        assertEquals("fast", taken(KernelChoice.of(BACKEND, offers)));
        assertEquals("composed", taken(KernelChoice.of(BACKEND, List.of(offers.get(0), offers.get(3)))));
        assertEquals("none", taken(KernelChoice.of(BACKEND, List.of(offers.get(3)))));
    }

    @Test
    void saysWhyNotABetterOne() {
        var choice = KernelChoice.of(
                BACKEND,
                List.of(
                        composed("composed", GemmKernels.class),
                        scale("fast", "testkit", Tier.FAST, Support.no("it needs AVX-512"))));
        assertEquals("composed", taken(choice));
        assertEquals(
                "device testkit: Scale by composed of acme 1.0.0, composed of GemmKernels; not by fast of acme 1.0.0 (it needs AVX-512)",
                choice.describe(choice.chosen().getFirst()));
        var alone = KernelChoice.of(BACKEND, List.of(composed("composed", GemmKernels.class)));
        assertEquals(
                "device testkit: Scale by composed of acme 1.0.0, composed of GemmKernels; no bundle brings faster ones for testkit",
                alone.describe(alone.chosen().getFirst()));
    }

    @Test
    void plansSayWhichKernelsAreNotChecked() {
        var offers = List.of(scale("fast", "testkit", Tier.FAST, Support.no("it needs AVX-512")));
        var here = KernelChoice.of(BACKEND, List.of(composed("composed", GemmKernels.class)));
        here.count(here.chosen().getFirst());
        assertEquals(List.of(here.describe(here.chosen().getFirst())), here.counted());
        ComputeBackend absent = Substitute.like(ComputeBackend.class, BACKEND, "devices", (_, _) -> List.of());
        var elsewhere = KernelChoice.of(absent, offers);
        elsewhere.count(elsewhere.chosen().getFirst());
        assertEquals(
                List.of(
                        "device testkit: Scale by fast of acme 1.0.0, fast; not checked on this machine, which has no testkit device"),
                elsewhere.counted());
    }

    @Test
    void kernelsOfTheDeviceWin() {
        var provider = new Provider<ArithmeticKernels>(
                ArithmeticKernels.class, "testkit", Tier.FAST, Set.of(), Support.YES, _ -> null);
        var choice = KernelChoice.of(BACKEND, List.of(offer("arithmetic", provider)));
        assertEquals(List.of(), choice.chosen());
        assertSame(BACKEND, choice.complete(BACKEND), "a device that needs no completion is used as it is");
    }

    @Test
    void composedKernelsFindThoseOfOthersInAnyOrder() {
        var shift = new Provider<Shift>(
                Shift.class,
                "*",
                Tier.COMPOSED,
                Set.of(Scale.class),
                Support.YES,
                device -> () -> device.kernels().find(Scale.class).orElseThrow());
        var choice = KernelChoice.of(BACKEND, List.of(offer("shift", shift), composed("scale", GemmKernels.class)));
        try (Device device = choice.complete(BACKEND).open(0, new AccountedLedger(Long.MAX_VALUE))) {
            Shift found = device.kernels().find(Shift.class).orElseThrow();
            assertEquals("scale", found.scale().who());
            assertSame(found, device.kernels().find(Shift.class).orElseThrow(), "opened once");
        }
    }

    @Test
    void composedKernelsNeedTheirFamilies() {
        var choice = KernelChoice.of(BACKEND, List.of(composed("composed", StochasticRoundingKernels.class)));
        assertFalse(choice.has(Scale.class));
        assertEquals(
                "doubling needs Scale, which device testkit lacks"
                        + " (these do not run: composed of acme 1.0.0 (it is composed of StochasticRoundingKernels, which testkit lacks));"
                        + " install another bundle, or choose another device",
                choice.lacks("doubling", Scale.class));
    }

    @Test
    void fastKernelsThatFallBackOnTheirOwnFamilyAreNotTaken() {
        var own = new Provider<Scale>(
                Scale.class, "testkit", Tier.FAST, Set.of(Scale.class), Support.YES, _ -> () -> "own");
        var choice = KernelChoice.of(BACKEND, List.of(offer("own", own), composed("composed", GemmKernels.class)));
        assertEquals("composed", taken(choice));
        String line = choice.describe(choice.chosen().getFirst());
        assertTrue(line.endsWith("; not by own of acme 1.0.0 (it is composed of itself)"), line);
    }

    @Test
    void aCycleOfFamiliesEndsWhereThereIsAnotherOffer() {
        var shiftOfScale = new Provider<Shift>(
                Shift.class,
                "*",
                Tier.COMPOSED,
                Set.of(Scale.class),
                Support.YES,
                device -> () -> device.kernels().find(Scale.class).orElseThrow());
        var scaleOfShift = new Provider<Scale>(
                Scale.class, "testkit", Tier.FAST, Set.of(Shift.class), Support.YES, _ -> () -> "of-shift");
        var offers = List.of(
                offer("shift", shiftOfScale), offer("of-shift", scaleOfShift), composed("composed", GemmKernels.class));
        var choice = KernelChoice.of(BACKEND, offers);
        assertTrue(choice.has(Shift.class));
        assertEquals("composed", taken(choice));
        var none = KernelChoice.of(BACKEND, offers.subList(0, 2));
        assertFalse(none.has(Shift.class) || none.has(Scale.class), "families that are composed only of each other");
    }

    @Test
    void providersThatThrowAreNotTaken() {
        for (String method : List.of("family", "tier", "composes", "backend", "supports")) {
            var broken = (KernelProvider<?>) Proxy.newProxyInstance(
                    KernelChoiceTest.class.getClassLoader(),
                    new Class<?>[] {KernelProvider.class},
                    (_, called, arguments) -> {
                        if (called.getName().equals(method)) {
                            throw new IllegalArgumentException("broken " + method);
                        }
                        var whole = new Provider<Scale>(
                                Scale.class, "testkit", Tier.FAST, Set.of(), Support.YES, _ -> () -> "broken");
                        return called.invoke(whole, arguments);
                    });
            var choice =
                    KernelChoice.of(BACKEND, List.of(offer("broken", broken), composed("composed", GemmKernels.class)));
            assertEquals("composed", taken(choice), method);
            String line = choice.describe(choice.chosen().getFirst());
            assertTrue(method.equals("family") || line.contains("(its provider failed: broken " + method), line);
        }
    }

    @Test
    void providersThatAnswerNothingAreNotTaken() {
        var choice = KernelChoice.of(
                BACKEND,
                List.of(scale("fast", "testkit", Tier.FAST, null), scale("tierless", "testkit", null, Support.YES)));
        String why = choice.lacks("doubling", Scale.class);
        assertTrue(why.contains("supports() is null") && why.contains("tier() is null"), why);
    }

    @Test
    void errorsOfOpenNameTheOffer() {
        Function<Device, Scale> throwing = _ -> {
            throw new IllegalArgumentException("no memory");
        };
        assertEquals("cannot open kernels acme-scale of acme 1.0.0: no memory", failure(throwing));
        assertEquals(
                "kernels acme-scale of acme 1.0.0: open returns null instead of " + Scale.class.getName()
                        + "; repair the bundle",
                failure(_ -> null));
        assertEquals(
                "kernels acme-scale of acme 1.0.0: open returns java.lang.String instead of " + Scale.class.getName()
                        + "; repair the bundle",
                failure(wrongType()));
    }

    /** As of a bundle that casts without a check. */
    @SuppressWarnings("unchecked")
    private static Function<Device, Scale> wrongType() {
        return (Function<Device, Scale>) (Function<?, ?>) (Function<Device, String>) _ -> "no kernels";
    }

    private static String failure(Function<Device, Scale> opens) {
        var choice = KernelChoice.of(
                BACKEND,
                List.of(offer(
                        "acme-scale", new Provider<>(Scale.class, "*", Tier.FAST, Set.of(), Support.YES, opens))));
        return assertThrows(IllegalStateException.class, () -> taken(choice)).getMessage();
    }

    @Test
    void kernelsThatLookForThemselvesAreAnError() {
        var provider = new Provider<Scale>(
                Scale.class,
                "*",
                Tier.COMPOSED,
                Set.of(),
                Support.YES,
                device -> device.kernels().find(Scale.class).orElseThrow());
        var choice = KernelChoice.of(BACKEND, List.of(offer("endless", provider)));
        assertThrows(IllegalStateException.class, () -> taken(choice));
    }

    @Test
    void completedBackendLacksLess() {
        var provider = new Provider<StochasticRoundingKernels>(
                StochasticRoundingKernels.class, "*", Tier.SCALAR, Set.of(), Support.YES, _ -> null);
        ComputeBackend completed =
                KernelChoice.of(BACKEND, List.of(offer("rounding", provider))).complete(BACKEND);
        assertTrue(BACKEND.missingKernels().contains(StochasticRoundingKernels.class));
        assertFalse(completed.missingKernels().contains(StochasticRoundingKernels.class));
        assertFalse(completed.sharedBy(2).missingKernels().contains(StochasticRoundingKernels.class));
    }

    @Test
    void kernelsAreClosedBeforeTheirDevice() {
        var closed = new ArrayList<Boolean>();
        var provider = new Provider<Scale>(Scale.class, "*", Tier.FAST, Set.of(), Support.YES, device -> new Scale() {
            private final Tensor scratch = device.allocate(MemoryCategory.WORKSPACE, Shape.of(5), DType.FP32);

            @Override
            public String who() {
                return "closing";
            }

            @Override
            public void close() {
                scratch.close();
                closed.add(true);
            }
        });
        assertEquals("closing", taken(KernelChoice.of(BACKEND, List.of(offer("closing", provider)))));
        assertEquals(List.of(true), closed);
    }
}
