package io.hirundo.paralleldp.internal.fsdp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.fixture.LocalNetwork;
import io.hirundo.paralleldp.internal.fixture.Model;
import io.hirundo.paralleldp.internal.fixture.TestCoding;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks.Rank;
import io.hirundo.paralleldp.internal.fixture.Wire;
import io.hirundo.paralleldp.internal.zero1.Zero1;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.WeightCoding;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Weights that travel as codes are what the whole weights are quantized to, to the bit. */
class CodedWeightsTest {
    private static final ParameterSpec EMBEDDING = Model.spec("embedding", 37, 12);
    private static final ParameterSpec UP = Model.spec("up", 200, 144);
    private static final ParameterSpec WIDE = Model.spec("wide", 16, 400);
    private static final ParameterSpec DOWN = Model.spec("down", 144, 272);

    /** Between two that travel as codes there is one that does not. */
    private static final List<List<ParameterSpec>> BLOCKS = List.of(
            List.of(EMBEDDING),
            List.of(Model.spec("norm.0", 12), UP, Model.spec("plain", 31, 12), WIDE),
            List.of(DOWN),
            List.of(Model.spec("norm", 12), EMBEDDING));

    private static final List<ParameterSpec> CODED = List.of(UP, WIDE, DOWN);

    /** By spec and step, the bytes of its weights; with the rule, of their codes. */
    private static final Map<List<Object>, byte[]> WHOLE = new ConcurrentHashMap<>();

    private static final Map<List<Object>, byte[]> EXPECTED = new ConcurrentHashMap<>();

    static Stream<Arguments> ways() {
        return Stream.of(2, 3, 4)
                .flatMap(ranks -> Stream.of(
                        Arguments.of(ranks, new Fsdp(new FsdpOptions(true, true)), ScaleRule.POWER_OF_TWO),
                        Arguments.of(ranks, new Fsdp(new FsdpOptions(false, true)), ScaleRule.EXACT),
                        Arguments.of(ranks, new Fsdp(new FsdpOptions(true, true), true), ScaleRule.POWER_OF_TWO),
                        Arguments.of(ranks, new Zero1(new Zero1Options(1, true, true, true)), ScaleRule.POWER_OF_TWO),
                        Arguments.of(
                                ranks, new Zero1(new Zero1Options(60_000, true, true, true)), ScaleRule.POWER_OF_TWO),
                        Arguments.of(ranks, new Zero1(new Zero1Options(60_000, true, false, true)), ScaleRule.EXACT)));
    }

    /** Steps forth and back; blocks that are all zero, with numbers too small to be normal, infinite ones and none among them. */
    @ParameterizedTest
    @MethodSource("ways")
    void equalsUnshardedWeightsBitwise(int ranks, DataParallel strategy, ScaleRule rule) throws Exception {
        ThreadRanks.run(ranks, new LocalNetwork(ranks), rank -> {
            try (ShardedParameters parameters = strategy.bind(rank.device(), rank.group(), BLOCKS, DType.FP32);
                    var layers = new Layers(rank, rule)) {
                parameters.encode(layers.codings());
                for (int step = 0; step < 3; step++) {
                    // As where a run is resumed: other weights are set while those before are still on their way.
                    setOwned(parameters, step + 1);
                    parameters.weightsChanged(rank.queue());
                    setOwned(parameters, step);
                    parameters.weightsChanged(rank.queue());
                    for (int block : new int[] {0, 1, 2, 3, 2, 1, 0}) {
                        boolean changed = parameters.before(rank.queue(), block, Kind.FORWARD);
                        layers.check(parameters, block, step, changed);
                        parameters.after(rank.queue(), block, Kind.FORWARD);
                    }
                }
            }
            for (MemoryCategory category : List.of(MemoryCategory.WEIGHTS, MemoryCategory.COMMUNICATION)) {
                assertEquals(0, rank.books().live(category), category.name());
            }
            return null;
        });
    }

    /** After a change of precision somebody reads the weights themselves, and later the codes again. */
    @ParameterizedTest
    @MethodSource("ways")
    void gathersFullPrecisionOnceCodingsAreGone(int ranks, DataParallel strategy, ScaleRule rule) throws Exception {
        ThreadRanks.run(ranks, new LocalNetwork(ranks), rank -> {
            try (ShardedParameters parameters = strategy.bind(rank.device(), rank.group(), BLOCKS, DType.FP32);
                    var layers = new Layers(rank, rule)) {
                setOwned(parameters, 0);
                parameters.weightsChanged(rank.queue());
                for (boolean coded : new boolean[] {true, false, true}) {
                    parameters.encode(coded ? layers.codings() : Map.of());
                    for (int block = 0; block < BLOCKS.size(); block++) {
                        assertTrue(parameters.before(rank.queue(), block, Kind.FORWARD), "new for its reader");
                        for (Parameter parameter : ofBlock(parameters, block)) {
                            if (CODED.contains(parameter.spec()) && coded) {
                                assertThrows(IllegalStateException.class, parameter::value);
                            } else {
                                assertTrue(parameters
                                        .coded(parameter.spec().name())
                                        .isEmpty());
                                assertArrayEquals(
                                        whole(parameter.spec(), 0),
                                        bytes(parameter.value()),
                                        parameter.spec().name());
                            }
                        }
                        layers.check(parameters, block, 0, coded);
                        parameters.after(rank.queue(), block, Kind.FORWARD);
                    }
                }
            }
            return null;
        });
    }

    @Test
    void sendsOneAmaxTransferPerStepAndOneBytePerElement() throws Exception {
        var wire = new Wire(2);
        ThreadRanks.run(2, wire, rank -> {
            var blocks = List.of(List.of(DOWN, Model.spec("norm", 12)), List.of(UP));
            try (ShardedParameters parameters = new Fsdp(new FsdpOptions(false, true))
                            .bind(rank.device(), rank.group(), blocks, DType.FP32);
                    var layers = new Layers(rank, ScaleRule.EXACT)) {
                parameters.encode(layers.codings());
                setOwned(parameters, 0);
                parameters.weightsChanged(rank.queue());
                for (int block : new int[] {0, 1, 0}) {
                    parameters.before(rank.queue(), block, Kind.FORWARD);
                    parameters.after(rank.queue(), block, Kind.FORWARD);
                }
                return null;
            }
        });
        // Magnitudes with their padding: of down and up 2 x 4, of wide 1 x 4. Codes of 144 x 272, of which the first
        // rank has 19,712,
        // and 12 others; of 200 x 144.
        assertEquals(
                List.of(
                        "all-reduce 20",
                        "all-gather 39424",
                        "all-gather 256",
                        "all-gather 28928",
                        "all-gather 39424",
                        "all-gather 256"),
                wire.log());
    }

    @Test
    void quantizesNothingIfSwitchedOff() throws Exception {
        for (DataParallel off :
                List.of(new Fsdp(new FsdpOptions(true, false)), new Zero1(new Zero1Options(0, true, true, false)))) {
            ThreadRanks.run(2, new LocalNetwork(2), rank -> {
                try (ShardedParameters parameters = off.bind(rank.device(), rank.group(), BLOCKS, DType.FP32);
                        var layers = new Layers(rank, ScaleRule.EXACT)) {
                    parameters.encode(layers.codings());
                    setOwned(parameters, 0);
                    parameters.weightsChanged(rank.queue());
                    parameters.before(rank.queue(), 2, Kind.FORWARD);
                    assertTrue(parameters.coded("down").isEmpty());
                    assertArrayEquals(
                            whole(DOWN, 0),
                            bytes(ofBlock(parameters, 2).getFirst().value()));
                    parameters.after(rank.queue(), 2, Kind.FORWARD);
                    return null;
                }
            });
        }
    }

    /** The layers of {@link #CODED}. */
    private record Layers(Rank rank, ScaleRule rule, Map<String, LinearMath> products) implements AutoCloseable {
        Layers(Rank rank, ScaleRule rule) {
            this(rank, rule, new LinkedHashMap<>());
            CODED.forEach(spec -> products.put(spec.name(), TestCoding.products(rank.device(), spec, rule)));
        }

        Map<String, WeightCoding> codings() {
            var codings = new HashMap<String, WeightCoding>();
            products.forEach((name, math) -> codings.put(name, math.coding().orElseThrow()));
            return codings;
        }

        void check(ShardedParameters parameters, int block, int step, boolean changed) {
            for (Parameter parameter : ofBlock(parameters, block)) {
                ParameterSpec spec = parameter.spec();
                if (!CODED.contains(spec)) {
                    assertArrayEquals(whole(spec, step), bytes(parameter.value()), spec.name());
                } else if (changed) {
                    CodedWeight coded = parameters.coded(spec.name()).orElseThrow();
                    checkCodes(spec, coded, step);
                }
            }
        }

        private void checkCodes(ParameterSpec spec, CodedWeight coded, int step) {
            byte[] found = new byte[(int) spec.shape().elements()];
            int elements = 0;
            for (CodedWeight.Run run : coded.runs()) {
                byte[] codes = bytes(run.codes());
                System.arraycopy(codes, 0, found, (int) run.firstElement(), codes.length);
                elements += codes.length;
            }
            assertEquals(found.length, elements);
            byte[] expected = EXPECTED.computeIfAbsent(List.of(spec, step, rule), unknown -> quantized(spec, step));
            assertArrayEquals(expected, found, spec.name());
        }

        private byte[] quantized(ParameterSpec spec, int step) {
            long rows = spec.shape().dim(0);
            long columns = spec.shape().dim(1);
            try (Tensor codes = tensor(spec.shape(), DType.FP8_E4M3);
                    Tensor scales = tensor(ScaleBlock.SQUARE.scales(rows, columns), DType.FP32);
                    Tensor x = tensor(spec.shape(), DType.FP32)) {
                Memory.ALL
                        .asSlice(((CpuTensor) x).address(), x.byteSize())
                        .copyFrom(MemorySegment.ofArray(whole(spec, step)));
                var kernels = rank.device().kernels().blockScaled().orElseThrow();
                kernels.quantize(rank.queue(), x, rule, new ScaledMatrix(codes, scales, ScaleBlock.SQUARE));
                return bytes(codes);
            }
        }

        private Tensor tensor(Shape shape, DType dtype) {
            return rank.device().allocate(MemoryCategory.WORKSPACE, shape, dtype);
        }

        @Override
        public void close() {
            products.values().forEach(LinearMath::close);
        }
    }

    /** Of every square of 128 x 128 another kind of values. */
    private static double weight(ParameterSpec spec, long columns, long element, int step) {
        long square = element / columns / 128 + element % columns / 128 + step;
        double value = new SplittableRandom(spec.name().hashCode() + element * 31 + step).nextDouble(-1, 1);
        return switch ((int) (square % 5)) {
            case 0 -> value;
            case 1 -> element % 977 == 0 ? 1e4 * value : 0.01 * value;
            case 2 -> 0;
            case 3 -> value * 0x1p-130;
            default -> element % 4099 == 0 ? Double.NaN : element % 4091 == 0 ? Double.NEGATIVE_INFINITY : value;
        };
    }

    private static void setOwned(ShardedParameters parameters, int step) {
        for (Parameter run : parameters.owned()) {
            var value = (CpuTensor) run.value();
            // Before the loop, because shape() computes on each call.
            long columns = run.spec().shape().dim(-1);
            for (long i = 0; i < value.elements(); i++) {
                value.setDouble(i, weight(run.spec(), columns, run.firstElement() + i, step));
            }
        }
    }

    private static byte[] whole(ParameterSpec spec, int step) {
        return WHOLE.computeIfAbsent(List.of(spec, step), unknown -> {
            var values =
                    ByteBuffer.allocate((int) spec.shape().byteSize(DType.FP32)).order(ByteOrder.LITTLE_ENDIAN);
            long elements = spec.shape().elements();
            long columns = spec.shape().dim(-1);
            for (long i = 0; i < elements; i++) {
                values.putFloat((float) weight(spec, columns, i, step));
            }
            return values.array();
        });
    }

    private static List<Parameter> ofBlock(ShardedParameters parameters, int block) {
        return BLOCKS.get(block).stream()
                .map(spec -> parameters.parameters().stream()
                        .filter(each -> each.spec().equals(spec))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    private static byte[] bytes(Tensor tensor) {
        long address = ((CpuTensor) tensor).address();
        return Memory.ALL.asSlice(address, tensor.byteSize()).toArray(ValueLayout.JAVA_BYTE);
    }
}
