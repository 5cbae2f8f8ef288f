package io.hirundo.testkit.optimizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** How an optimizer takes over state in another form. */
public interface ConversionClauses extends OptimizerOffer {
    @Clause(
            value =
                    "conversions() convert from at least one tensor to tensors that declaredState() declares for the parameter",
            remedy = "conversions(): StateConversion.to() must be of declaredState(), with the same dtypes and blocks")
    default void convertsToDeclaredState(Bench bench) {
        Optimizer optimizer = optimizer();
        for (DType dtype : dtypes()) {
            for (ParameterSpec spec : BenchParameter.specs()) {
                List<StateSpec> declared = optimizer.declaredState(spec, dtype).orElse(List.of());
                for (StateConversion conversion : optimizer.conversions(spec, dtype)) {
                    assertTrue(
                            !conversion.from().isEmpty() && !conversion.to().isEmpty(),
                            () -> "a conversion of " + spec.name() + " is from or to nothing");
                    assertTrue(
                            declared.containsAll(conversion.to()),
                            () -> "converts " + spec.name() + " to " + conversion.to() + ", and declares " + declared);
                }
            }
        }
    }

    @Clause(
            value = "A conversion of several blocks at once computes the bits of one block at a time",
            remedy = "StateConversion.convert(): no block may depend on another one, or on what earlier calls left")
    default void blocksConvertAlone(Bench bench) {
        Optimizer optimizer = optimizer();
        for (DType dtype : dtypes()) {
            for (ParameterSpec spec : BenchParameter.specs()) {
                for (StateConversion conversion : optimizer.conversions(spec, dtype)) {
                    long unit = unit(conversion);
                    List<MemorySegment> from = memory(conversion.from(), 3 * unit);
                    fill(conversion.from(), from);
                    List<MemorySegment> together = memory(conversion.to(), 3 * unit);
                    conversion.convert(3 * unit, readOnly(from), together);
                    List<MemorySegment> alone = memory(conversion.to(), 3 * unit);
                    for (long block = 2; block >= 0; block--) {
                        conversion.convert(
                                unit,
                                readOnly(part(conversion.from(), from, block, unit)),
                                part(conversion.to(), alone, block, unit));
                    }
                    for (int tensor = 0; tensor < alone.size(); tensor++) {
                        String name = conversion.to().get(tensor).name() + " of " + spec.name();
                        assertEquals(
                                -1,
                                alone.get(tensor).mismatch(together.get(tensor)),
                                () -> name + ": the first byte that differs");
                    }
                }
            }
        }
    }

    /** Elements that are complete blocks of all tensors. */
    private static long unit(StateConversion conversion) {
        long unit = 1;
        for (StateSpec spec : Stream.concat(conversion.from().stream(), conversion.to().stream())
                .toList()) {
            long multiple = unit;
            while (multiple % spec.block() != 0) {
                multiple += unit;
            }
            unit = multiple;
        }
        return unit;
    }

    private static List<MemorySegment> memory(List<StateSpec> specs, long elements) {
        return specs.stream()
                .map(spec -> MemorySegment.ofArray(
                        new byte
                                [Math.toIntExact(
                                        elements / spec.block() * spec.dtype().byteSize())]))
                .toList();
    }

    /** FP32 numbers between -1 and 1 of many magnitudes, and random bytes in tensors of other types. */
    private static void fill(List<StateSpec> specs, List<MemorySegment> memory) {
        var random = new Random(1);
        for (int tensor = 0; tensor < specs.size(); tensor++) {
            MemorySegment to = memory.get(tensor);
            boolean isFp32 = specs.get(tensor).dtype() == DType.FP32;
            for (long at = 0; at < to.byteSize(); at += isFp32 ? Float.BYTES : 1) {
                if (isFp32) {
                    float number = (2 * random.nextFloat() - 1) * (float) Math.pow(10, -random.nextInt(6));
                    to.set(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), at, number);
                } else {
                    to.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
                }
            }
        }
    }

    private static List<MemorySegment> part(List<StateSpec> specs, List<MemorySegment> memory, long block, long unit) {
        return Stream.iterate(0, tensor -> tensor + 1)
                .limit(specs.size())
                .map(tensor -> {
                    long bytes = unit
                            / specs.get(tensor).block()
                            * specs.get(tensor).dtype().byteSize();
                    return memory.get(tensor).asSlice(block * bytes, bytes);
                })
                .toList();
    }

    private static List<MemorySegment> readOnly(List<MemorySegment> memory) {
        return memory.stream().map(MemorySegment::asReadOnly).toList();
    }
}
