package io.hirundo.commlocal.internal.mutant;

import io.hirundo.testkit.FabricContract;
import io.hirundo.testkit.mutant.Mutants;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** This fabric, broken in one way each, and a clause of the fabric contract that finds it. The testkit itself has no fabric. */
class FabricMutantsTest {
    /** Enough that those that hang wait for their deadlines together; few enough that correct clauses still finish before their deadlines. */
    private static final int AT_ONCE = 6;

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.atLeast(
                List.of(CollectiveMutants.class, InPlaceMutants.class, WorldMutants.class, FailureMutants.class),
                FabricContract.class,
                AT_ONCE);
    }
}
