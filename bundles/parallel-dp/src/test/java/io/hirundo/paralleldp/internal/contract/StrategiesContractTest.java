package io.hirundo.paralleldp.internal.contract;

import io.hirundo.parallel.DataParallel;
import io.hirundo.paralleldp.internal.fsdp.FsdpFactory;
import io.hirundo.paralleldp.internal.fsdp.FsdpOptions;
import io.hirundo.paralleldp.internal.fsdp.Zero2Factory;
import io.hirundo.paralleldp.internal.fsdp.Zero2Options;
import io.hirundo.paralleldp.internal.gradients.GradientType;
import io.hirundo.paralleldp.internal.gradients.ReduceEvery;
import io.hirundo.paralleldp.internal.zero1.Zero1Factory;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.DataParallelContract;
import io.hirundo.testkit.HirundoContract;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** All strategies of this bundle, with and without overlap; where gradients are rounded to BF16; with replicas. */
@ParameterizedClass
@EnumSource
@HirundoContract
record StrategiesContractTest(Strategy under) implements DataParallelContract {
    enum Strategy {
        /** Several buckets. */
        ZERO1(() -> zero1(380, true, true), () -> zero1(380, false, true), () -> zero1(380, true, false)),
        ZERO1_ONE_BUCKET(() -> zero1(1 << 20, false, false), () -> zero1(1 << 20, true, true)),
        ZERO1_LATE_GRADIENTS(() -> zero1(380, GradientType.FP32, false, true)),
        ZERO1_BF16_GRADIENTS(() -> zero1(380, GradientType.BF16, false, false)),
        ZERO1_REDUCED_IN_BF16(() -> zero1(380, GradientType.FP32, true, false)),
        ZERO1_BF16_MASTERS(() -> zero1(380, true, true), () -> zero1(380, false, false)),
        ZERO2(() -> zero2(true), () -> zero2(false)),
        FSDP(() -> fsdp(true, 0), () -> fsdp(false, 0)),
        FSDP_BF16_GRADIENTS(() -> new FsdpFactory().create(new FsdpOptions(true, true, false, GradientType.BF16, 0))),
        FSDP_REDUCED_IN_BF16(() -> new FsdpFactory().create(new FsdpOptions(true, true, true, GradientType.FP32, 0))),
        ZERO2_ONCE_A_STEP(() ->
                new Zero2Factory().create(new Zero2Options(true, true, false, GradientType.FP32, 0, ReduceEvery.STEP))),
        FSDP_ONCE_A_STEP(() -> new FsdpFactory()
                .create(new FsdpOptions(true, true, false, GradientType.FP32, 0, ReduceEvery.STEP, false))),
        FSDP_LATE_GRADIENTS(() -> late(0)),
        FSDP_LATE_WITH_REPLICAS(() -> late(1)),
        FSDP_BF16_MASTERS(() -> fsdp(true, 0), () -> fsdp(false, 0)),
        FSDP_WITH_REPLICAS(() -> fsdp(true, 2), () -> fsdp(false, 2));

        private final Supplier<DataParallel> strategy;
        private final List<Supplier<DataParallel>> sameBits;

        @SafeVarargs
        Strategy(Supplier<DataParallel> strategy, Supplier<DataParallel>... sameBits) {
            this.strategy = strategy;
            this.sameBits = List.of(sameBits);
        }

        private static DataParallel zero1(long bucketElements, boolean overlapGradients, boolean overlapParameters) {
            return new Zero1Factory()
                    .create(new Zero1Options(bucketElements, overlapGradients, overlapParameters, true));
        }

        private static DataParallel zero1(
                long bucketElements, String gradientType, boolean reduceInBf16, boolean lateGradients) {
            return new Zero1Factory()
                    .create(new Zero1Options(
                            bucketElements, true, true, true, reduceInBf16, gradientType, lateGradients));
        }

        private static DataParallel zero2(boolean overlap) {
            return new Zero2Factory().create(new Zero2Options(overlap, true));
        }

        private static DataParallel late(int shardSize) {
            return new FsdpFactory()
                    .create(new FsdpOptions(
                            true, true, false, GradientType.FP32, shardSize, ReduceEvery.MICROBATCH, true));
        }

        private static DataParallel fsdp(boolean overlap, int shardSize) {
            return new FsdpFactory().create(new FsdpOptions(overlap, true, false, GradientType.FP32, shardSize));
        }
    }

    @Override
    public DataParallel strategy() {
        return under.strategy.get();
    }

    @Override
    public List<DataParallel> sameBits() {
        return under.sameBits.stream().map(Supplier::get).toList();
    }

    @Override
    public DType weightType() {
        return under.name().endsWith("BF16_MASTERS") ? DType.BF16 : DType.FP32;
    }

    @Override
    public List<Integer> ranks() {
        return switch (under) {
            case ZERO1, ZERO2, FSDP -> DataParallelContract.super.ranks();
            case FSDP_LATE_GRADIENTS -> List.of(1);
            case FSDP_WITH_REPLICAS -> List.of(2, 4);
            default -> List.of(2);
        };
    }

    /** Summands and sums are rounded to BF16, each by 2^-9 of their magnitude. */
    @Override
    public double tolerance() {
        return under.name().contains("BF16_GRADIENTS") || under.name().contains("REDUCED_IN_BF16") ? 0.01 : 1e-6;
    }
}
