package io.hirundo.paralleldp.internal.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.fixture.LocalNetwork;
import io.hirundo.paralleldp.internal.fixture.Model;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fsdp.FsdpFactory;
import io.hirundo.paralleldp.internal.fsdp.FsdpOptions;
import io.hirundo.paralleldp.internal.fsdp.Zero2Factory;
import io.hirundo.paralleldp.internal.fsdp.Zero2Options;
import io.hirundo.paralleldp.internal.gradients.GradientType;
import io.hirundo.paralleldp.internal.gradients.ReduceEvery;
import io.hirundo.paralleldp.internal.zero1.Zero1Factory;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Gradients that ranks reduce in BF16. */
class ReductionTest {
    private static final List<DataParallel> STRATEGIES = List.of(
            // Many buckets, of which two may be on their way.
            new Zero1Factory().create(new Zero1Options(1, true, true, true, true, GradientType.FP32)),
            new Zero1Factory().create(new Zero1Options(1, false, true, true, true, GradientType.FP32)),
            new Zero2Factory().create(new Zero2Options(true, true, true, GradientType.FP32, 0)),
            new FsdpFactory().create(new FsdpOptions(true, true, true, GradientType.FP32, 0)),
            new FsdpFactory().create(new FsdpOptions(false, true, true, GradientType.FP32, 0)),
            // Gradients that are accumulated in BF16 are reduced so, too.
            new Zero1Factory().create(new Zero1Options(400, true, true, true, false, GradientType.BF16)),
            new Zero2Factory().create(new Zero2Options(true, true, false, GradientType.BF16, 0)),
            new FsdpFactory().create(new FsdpOptions(true, true, true, GradientType.BF16, 0)),
            new Zero2Factory().create(new Zero2Options(true, true, true, GradientType.FP32, 0, ReduceEvery.STEP)),
            new FsdpFactory()
                    .create(new FsdpOptions(true, true, false, GradientType.BF16, 0, ReduceEvery.STEP, false)));

    static Stream<Arguments> strategies() {
        return IntStream.of(2, 4)
                .boxed()
                .flatMap(ranks -> STRATEGIES.stream().map(strategy -> Arguments.of(ranks, strategy)));
    }

    /** Summands and sum are rounded: twice at most 2^-8 of the magnitudes. */
    @ParameterizedTest
    @MethodSource("strategies")
    void sumsRoundedGradients(int ranks, DataParallel strategy) throws Exception {
        ThreadRanks.run(ranks, new LocalNetwork(ranks), rank -> {
            try (ShardedParameters parameters = strategy.bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP32)) {
                parameters.allocateGradients();
                parameters.weightsChanged(rank.queue());
                for (int step = 0; step < 2; step++) {
                    parameters.zeroGradients(rank.queue());
                    backward(parameters, rank, step);
                    parameters.finishGradients(rank.queue());
                    int exact = 0;
                    int all = 0;
                    for (Parameter run : parameters.owned()) {
                        var gradient = (CpuTensor) run.gradient();
                        assertEquals(DType.FP32, gradient.dtype());
                        for (long i = 0; i < gradient.elements(); i++) {
                            long element = run.firstElement() + i;
                            double sum = 0;
                            double magnitude = 0;
                            for (int other = 0; other < ranks; other++) {
                                double summand =
                                        (float) Model.gradient(run.spec().name(), element, other, step);
                                sum += summand;
                                magnitude += Math.abs(summand);
                            }
                            assertEquals(
                                    sum,
                                    gradient.getDouble(i),
                                    magnitude * 0x1p-7,
                                    run.spec().name());
                            exact += Math.abs(sum - gradient.getDouble(i)) < 1e-6 ? 1 : 0;
                            all++;
                        }
                    }
                    assertTrue(exact < all / 10 + 1, exact + " of " + all + " sums are exact: nothing was rounded");
                }
            }
            return null;
        });
    }

    /** Of two buckets that follow each other the largest have 384 and 512 elements in a backward, 384 and 384 in the order of buckets. */
    @Test
    void zero1HoldsTwoRoundedBuckets() throws Exception {
        for (int which = 0; which < 2; which++) {
            DataParallel strategy = STRATEGIES.get(which);
            int elements = which == 0 ? 384 + 512 : 384 + 384;
            ThreadRanks.run(2, new LocalNetwork(2), rank -> {
                try (ShardedParameters parameters =
                        strategy.bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP32)) {
                    parameters.allocateGradients();
                    parameters.weightsChanged(rank.queue());
                    parameters.zeroGradients(rank.queue());
                    backward(parameters, rank, 0);
                    parameters.finishGradients(rank.queue());
                    assertEquals(elements * 2, rank.books().peak(MemoryCategory.COMMUNICATION));
                }
                return null;
            });
        }
    }

    private static void backward(ShardedParameters parameters, ThreadRanks.Rank rank, int step) {
        for (int block = Model.BLOCKS.size() - 1; block >= 0; block--) {
            parameters.before(rank.queue(), block, Kind.BACKWARD_INPUT);
            for (Parameter parameter : Model.ofBlock(parameters, block)) {
                boolean shared = parameter.spec().name().equals("embedding");
                if (!shared || block == 0) {
                    var gradient = (CpuTensor) parameter.gradient();
                    for (long i = 0; i < gradient.elements(); i++) {
                        gradient.setDouble(
                                i,
                                Model.gradient(
                                        parameter.spec().name(), i, rank.group().rank(), step));
                    }
                }
                if (!shared || block == 0 || parameters.reducesEveryMicrobatch()) {
                    parameters.gradientReady(rank.queue(), parameter, List.of());
                }
            }
            parameters.after(rank.queue(), block, Kind.BACKWARD_INPUT);
        }
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void rejectsGradientsThatAreNotFp32(int ranks, DataParallel strategy) throws Exception {
        ThreadRanks.run(ranks, new LocalNetwork(ranks), rank -> {
            var rejected = assertThrows(
                    ConfigurationException.class,
                    () -> strategy.bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP64));
            String message = rejected.getMessage();
            assertTrue(message.contains(".reduceInBf16: ") || message.contains(".gradientType: "), message);
            assertTrue(message.contains("(allowed: with FP32"), message);
            return null;
        });
    }
}
