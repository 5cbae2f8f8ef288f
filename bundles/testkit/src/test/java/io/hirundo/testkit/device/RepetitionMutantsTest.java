package io.hirundo.testkit.device;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.device.Repetition;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.fabric.Substitute;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Mutants that each replay one part of repeated work as it was the first time. */
class RepetitionMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(RepetitionMutantsTest.class, RepetitionClauses.class);
    }

    /** Records a kernel's calls of the first round. */
    abstract static class Mutant extends DeviceMutantsTest.Mutant {
        private final List<Object[]> first = new ArrayList<>();
        private boolean isUnderWay;
        private boolean isFirst = true;
        private int calls;

        /** {@code device}, with a kernel that {@link #again} handles within repeated work. */
        Device remembering(Device device, String kernel) {
            Device told = elementwise(device, kernel, (real, arguments) -> {
                if (!isUnderWay) {
                    return real.call();
                }
                if (isFirst) {
                    first.add(arguments.clone());
                }
                return again(real, arguments, calls < first.size() ? first.get(calls++) : null);
            });
            return Substitute.like(
                    Device.class,
                    told,
                    "newQueue",
                    (real, arguments) ->
                            Substitute.like(Queue.class, (Queue) real.call(), "repetition", (call, work) -> begin()));
        }

        private Repetition begin() {
            isUnderWay = true;
            calls = 0;
            return () -> {
                isUnderWay = false;
                isFirst = false;
            };
        }

        /** {@code before}: the arguments of the first round; null if it had no such call. */
        abstract Object again(Substitute.Real real, Object[] arguments, Object[] before) throws Throwable;
    }

    /** The kernel uses the scalar argument of the first round. */
    abstract static class TakesTheFirstNumber extends Mutant {
        private static final int NUMBER = 2;

        @Override
        Object again(Substitute.Real real, Object[] arguments, Object[] before) throws Throwable {
            arguments[NUMBER] = before[NUMBER];
            return real.call();
        }
    }

    @Breaks("repeatedWorkIsDoneAsAsked")
    @HirundoContract
    static class FillsWithTheFirstValue extends TakesTheFirstNumber {
        @Override
        Device mutant(Device device) {
            return remembering(device, "fill");
        }
    }

    @Breaks("repeatedWorkIsDoneAsAsked")
    @HirundoContract
    static class ScalesByTheFirstFactor extends TakesTheFirstNumber {
        @Override
        Device mutant(Device device) {
            return remembering(device, "scale");
        }
    }

    @Breaks("repeatedWorkIsDoneAsAsked")
    @HirundoContract
    static class AddsNoMoreThanAtFirst extends Mutant {
        @Override
        Device mutant(Device device) {
            return remembering(device, "add");
        }

        @Override
        Object again(Substitute.Real real, Object[] arguments, Object[] before) throws Throwable {
            return before == null ? null : real.call();
        }
    }
}
