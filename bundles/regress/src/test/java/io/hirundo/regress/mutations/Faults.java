package io.hirundo.regress.mutations;

import static io.hirundo.precision.LinearProduct.INPUT_GRADIENT;
import static io.hirundo.precision.LinearProduct.OUTPUT;
import static io.hirundo.precision.LinearProduct.WEIGHT_GRADIENT;
import static io.hirundo.regress.mutations.Spoil.after;

import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.mesh.Axis;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.regress.mutations.Fault.Unnoticed;
import io.hirundo.regress.mutations.SpoiledFabric.Operation;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import java.util.ArrayList;
import java.util.List;

/** The faults of docs/correctness.md. */
final class Faults {
    private static final PrecisionStrategy FP32 = new Fp32Factory().create(new NoOptions());
    private static final PrecisionStrategy BF16 = new Bf16Factory().create(new Bf16Options());
    private static final PrecisionStrategy BLOCKWISE = new Fp8BlockwiseFactory().create(new Fp8BlockwiseOptions());

    /** Tokens of a microbatch. */
    private static final List<String> FEW = List.of();

    private static final List<String> MANY =
            List.of("training.sequenceTokens=512", "training.microBatch=16", "training.globalBatch=16");
    private static final Unnoticed NOBODY = Unnoticed.BY_NOBODY;

    /** A call in the second step of four microbatches; the swap happens before it. */
    private static final int PASSING = 6;

    private static final String NO_TILE = "it recomputes GEMMs and collectives, nothing else";
    private static final String NO_SWAP = "the parity check computes neither optimizer nor data";
    private static final String NO_FABRIC = "the fabric cannot be swapped";

    private Faults() {}

    static List<Fault> all() {
        var all = new ArrayList<Fault>();
        addGemms(all);
        addPassing(all);
        addQuantized(all);
        addCollectives(all);
        addOthers(all);
        return List.copyOf(all);
    }

    /** No fault. */
    static Fault none() {
        return precision("none", FP32, Spoil.SOUND, false, NOBODY, FEW, "fp32");
    }

    private static void addGemms(List<Fault> all) {
        all.add(gemm(
                "weight gradient transposed",
                g -> g.math().weightGradient(g.queue(), g.right(), g.left(), g.result()),
                WEIGHT_GRADIENT));
        all.add(gemm(
                "weight gradient overwritten instead of accumulated",
                g -> {
                    g.device().kernels().elementwise().fill(g.queue(), g.result(), 0);
                    g.sound().run();
                },
                WEIGHT_GRADIENT));
        for (double factor : new double[] {1.001, 1.01, 1.1}) {
            all.add(gemm("output x " + factor, after(g -> g.scale(g.result(), factor)), OUTPUT));
        }
        for (double factor : new double[] {1.001, 1.01, 1.1}) {
            all.add(gemm(
                    "weight gradient x " + factor + ", one microbatch a step",
                    after(g -> g.scale(g.result(), factor)),
                    WEIGHT_GRADIENT,
                    NOBODY,
                    single()));
        }
        all.add(gemm("input gradient x 1.01", after(g -> g.scale(g.result(), 1.01)), INPUT_GRADIENT));
        all.add(gemm(
                "output lacks the last of 64 tokens",
                after(g -> g.scale(g.row(g.rows() - 1, 0, g.columns()), 0)),
                OUTPUT));
        all.add(gemm(
                "output lacks the last of 8,192 tokens",
                after(g -> g.scale(g.row(g.rows() - 1, 0, g.columns()), 0)),
                OUTPUT,
                NOBODY.audit("not in 100 steps: it is in one tile row of 256 in one GEMM of 45"),
                MANY));
        all.add(gemm("weight gradient lacks the last of 64 tokens", Faults::withoutLast, WEIGHT_GRADIENT));
        all.add(gemm(
                "weight gradient lacks the last of 8,192 tokens", Faults::withoutLast, WEIGHT_GRADIENT, NOBODY, MANY));
        all.add(gemm("output: tile at the edge is zero", after(Faults::withoutEdge), OUTPUT));
        all.add(gemm("input gradient: tile at the edge is zero", after(Faults::withoutEdge), INPUT_GRADIENT));
        all.add(gemm("output: one element x 1.0625, always", after(g -> g.scale(g.element(7, 9), 1.0625)), OUTPUT));
    }

    private static List<String> single() {
        return List.of("training.microBatch=4");
    }

    private static void withoutLast(Spoil.Gemm gemm) {
        long tokens = gemm.left().shape().rows() - 1;
        gemm.math()
                .weightGradient(
                        gemm.queue(), gemm.left().rows(0, tokens), gemm.right().rows(0, tokens), gemm.result());
    }

    private static void withoutEdge(Spoil.Gemm gemm) {
        for (long row = Math.max(0, gemm.rows() - 32); row < gemm.rows(); row++) {
            gemm.scale(gemm.row(row, gemm.columns() - 32, 32), 0);
        }
    }

    private static void addPassing(List<Fault> all) {
        var passing = NOBODY.gate("it happens before or after the microbatch that is checked")
                .audit("found by luck only: it happens once");
        all.add(gemm(
                "bit in the mantissa's high half, once",
                after(g -> g.scale(g.element(5, 3), 1.125)).once(PASSING),
                OUTPUT,
                passing,
                FEW));
        all.add(gemm(
                "exponent bit, once",
                after(g -> g.scale(g.element(5, 3), 256)).once(PASSING),
                WEIGHT_GRADIENT,
                passing,
                FEW));
    }

    private static void addQuantized(List<Fault> all) {
        all.add(precision(
                "fp8-blockwise: scales of two tokens 2 times too large and too small",
                BLOCKWISE,
                after(g -> {
                            g.scale(g.row(0, 0, g.columns()), 2);
                            g.scale(g.row(1, 0, g.columns()), 0.5);
                        })
                        .only(OUTPUT),
                false,
                NOBODY,
                FEW,
                "fp8-blockwise"));
        all.add(precision(
                "bf16: stale weights: every GEMM uses those of the first step",
                BF16,
                Spoil.SOUND,
                true,
                NOBODY.audit("operands are taken as the strategy multiplies them"),
                FEW,
                "bf16"));
        all.add(precision(
                "bf16: output x 1.01",
                BF16,
                after(g -> g.scale(g.result(), 1.01)).only(OUTPUT),
                false,
                NOBODY.gate("in the four tiles of so small a layer 1 % is within the rounding of bf16"),
                FEW,
                "bf16"));
    }

    private static void addCollectives(List<Fault> all) {
        List<String> data = List.of("mesh.data=2");
        List<String> tensor = List.of("mesh.tensor=2");
        List<String> stages = List.of("mesh.pipeline=2");
        all.add(collective("data: gradients are not reduced", data, Axis.DATA, Operation.REDUCE_SCATTER, c -> {
            long first = c.group().rank() * c.into().elements();
            c.device()
                    .kernels()
                    .elementwise()
                    .copy(c.after(), c.from().view(first, c.into().shape()), c.into());
            return c.after()::record;
        }));
        all.add(collective(
                "data: the sum of gradients counts each twice",
                data,
                Axis.DATA,
                Operation.REDUCE_SCATTER,
                c -> c.then(() -> c.device().kernels().elementwise().scale(c.after(), c.into(), 2))));
        all.add(collective(
                "data: gradients of the bucket before arrive",
                data,
                Axis.DATA,
                Operation.REDUCE_SCATTER,
                c -> c.then(() -> Stale.exchange(c))));
        all.add(collective(
                "data: gathered weights in the wrong order of ranks",
                data,
                Axis.DATA,
                Operation.ALL_GATHER,
                c -> c.then(() -> Stale.reverseHalves(c))));
        all.add(collective(
                "tensor: an eighth of a sum lacks the other ranks",
                tensor,
                Axis.TENSOR,
                Operation.REDUCE_SCATTER,
                c -> c.then(() -> Stale.ownEighth(c))));
        all.add(collective(
                "pipeline: activations of the microbatch before arrive", stages, Axis.PIPELINE, Operation.SEND, c -> {
                    Stale.exchange(c);
                    return c.sound().get();
                }));
    }

    private static void addOthers(List<Fault> all) {
        Unnoticed update = NOBODY.gate(NO_SWAP).audit(NO_TILE);
        all.add(other("AdamW's epsilon 1e-4 instead of 1e-3", Planted.epsilon(1e-4), update));
        all.add(other("AdamW's beta2 0.999 instead of 0.95", Planted.beta2(0.999), update));
        all.add(other("weight decay of norms, too", Planted.decayOfVectors(), update));
        all.add(other("bias correction of a later step", Planted.laterStep(), update));
        all.add(other(
                "learning rate of the next step in the warm-up",
                Planted.nextRate(),
                update,
                List.of("learningRate.options.warmupSteps=4")));
        all.add(other("samples in another order", Planted.otherOrder(), update));
        all.add(other("last label of each sample wrong", Planted.wrongLabel(), update));
    }

    private static Fault gemm(String name, Spoil spoil, LinearProduct kind) {
        return gemm(name, spoil, kind, NOBODY);
    }

    private static Fault gemm(String name, Spoil spoil, LinearProduct kind, Unnoticed unnoticed) {
        return gemm(name, spoil, kind, unnoticed, FEW);
    }

    private static Fault gemm(String name, Spoil spoil, LinearProduct kind, Unnoticed unnoticed, List<String> setting) {
        return precision(name, FP32, spoil.only(kind), false, unnoticed, setting, "fp32");
    }

    private static Fault precision(
            String name,
            PrecisionStrategy sound,
            Spoil spoil,
            boolean stale,
            Unnoticed unnoticed,
            List<String> setting,
            String precision) {
        var settings = new ArrayList<>(setting);
        settings.add("precision=" + precision);
        return new Fault(
                name,
                settings,
                offer("precision", precision, new SpoiledPrecision(sound, spoil, stale)),
                true,
                unnoticed);
    }

    private static Fault collective(
            String name, List<String> setting, Axis axis, Operation operation, SpoiledFabric.Spoiled spoiled) {
        return new Fault(
                name,
                setting,
                offer("fabric", "local", new SpoiledFabric(axis, operation, spoiled)),
                false,
                NOBODY.gate(NO_FABRIC));
    }

    private static Fault other(String name, Offer planted, Unnoticed unnoticed) {
        return other(name, planted, unnoticed, FEW);
    }

    private static Fault other(String name, Offer planted, Unnoticed unnoticed, List<String> setting) {
        return new Fault(name, setting, planted, false, unnoticed);
    }

    static Offer offer(String kind, String name, StrategyFactory<?, ?> factory) {
        return new Offer(kind, name, "fault", factory);
    }
}
