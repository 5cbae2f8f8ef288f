package io.hirundo.commlocal.internal.fabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hirundo.lib.fabric.local.LocalFabric;
import io.hirundo.lib.fabric.local.LocalWorld;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.fabric.Rank;
import io.hirundo.testkit.fabric.Ranks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where little is moved, the rank that comes last does it; lanes do the rest, and the order stays the program's. */
class LittleMessagesTest {
    private static final int RANKS = 3;

    /** Of FP32 elements; of all ranks together just more than what one moves for all. */
    private static final int MUCH = (int) (LocalFabric.SMALL_TRANSFER_BYTES / 4 / RANKS) + 1;

    private static final int LITTLE = 12;

    @Test
    void needNoThread() {
        assertEquals(List.of(List.of(), List.of(), List.of()), run(rank -> threadsAfter(rank, LITTLE)));
    }

    @Test
    void largeOnesHaveThreads() {
        run(rank -> threadsAfter(rank, MUCH)).forEach(threads -> assertFalse(threads.isEmpty()));
    }

    private static List<String> threadsAfter(Rank rank, int elements) {
        rank.all()
                .allReduce(rank.queue(), rank.tensor(DType.FP32, elements), Reduction.SUM)
                .await();
        rank.all().barrier();
        return ((LocalWorld) rank.world()).threads();
    }

    /** Each reads what the one before it wrote, and nobody waits between them: any other order gives other values. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void keepTheProgramsOrderAmongLargeOnes(long seed) {
        for (double[] found : run(rank -> chain(rank, new Random(seed)))) {
            assertArrayEquals(expected(new Random(seed)), found);
        }
    }

    private static double[] chain(Rank rank, Random random) throws InterruptedException {
        Tensor values = rank.tensor(DType.FP32, MUCH, i -> 1 + rank.number());
        var own = new Random(rank.number());
        var pendings = new ArrayList<Pending>();
        for (int i = 0; i < 12; i++) {
            int elements = random.nextBoolean() ? MUCH : LITTLE;
            Tensor part = values.view(0, Shape.of(elements));
            pendings.add(
                    random.nextBoolean()
                            ? rank.all().allReduce(rank.queue(), part, Reduction.SUM)
                            : rank.all().broadcast(rank.queue(), part, random.nextInt(RANKS)));
            if (own.nextInt(4) == 0) {
                Thread.sleep(1);
            }
        }
        pendings.forEach(Pending::await);
        return rank.values(values);
    }

    /** After the first sum all ranks have the same values, and a sum of equal ones is a multiple. */
    private static double[] expected(Random random) {
        double[][] values = new double[RANKS][MUCH];
        for (int rank = 0; rank < RANKS; rank++) {
            Arrays.fill(values[rank], 1 + rank);
        }
        for (int i = 0; i < 12; i++) {
            int elements = random.nextBoolean() ? MUCH : LITTLE;
            boolean sum = random.nextBoolean();
            int root = sum ? 0 : random.nextInt(RANKS);
            for (int element = 0; element < elements; element++) {
                double result =
                        sum ? values[0][element] + values[1][element] + values[2][element] : values[root][element];
                for (double[] of : values) {
                    of[element] = result;
                }
            }
        }
        return values[0];
    }

    private static <T> List<T> run(Ranks.Program<T> work) {
        return Ranks.of(new LocalFabricTest(), Ranks.mesh(1, 1, RANKS), 20).run(work);
    }
}
