package io.hirundo.commlocal.internal.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.fabric.local.LocalWorld;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.FabricContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.fabric.Ranks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

@HirundoContract
public class LocalFabricTest implements FabricContract {
    @Override
    public List<Fabric> fabrics(int ranks, int timeoutSeconds) {
        return Collections.nCopies(ranks, new LocalFactory().create(new LocalOptions(timeoutSeconds, null)));
    }

    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    @Override
    public boolean ranksReadEachOther() {
        return true;
    }

    @Override
    public List<String> leftBehind(World world) {
        String own = "hirundo rank " + world.rank() + " ";
        return ((LocalWorld) world)
                .threads().stream().filter(name -> name.startsWith(own)).toList();
    }

    @Test
    void allRanksLiveHere() {
        assertEquals(List.of(0, 1, 2, 3, 4, 5), fabrics(1, 1).getFirst().localRanks(Ranks.mesh(2, 1, 3)));
    }

    @Test
    void aRankThatIsInterruptedWhileItJoinsEndsTheWorldOfTheOthers() throws InterruptedException {
        var patient = fabrics(3, 60).getFirst();
        var messages = new ArrayList<String>();
        var threads = new ArrayList<Thread>();
        for (int rank = 0; rank < 2; rank++) {
            int own = rank;
            threads.add(Thread.ofPlatform().start(() -> {
                var e = assertThrows(
                        CommunicationException.class, () -> patient.connect(own, Ranks.mesh(3, 1, 1), null));
                synchronized (messages) {
                    messages.add(e.getMessage());
                }
            }));
        }
        for (Thread thread : threads) {
            while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
        }
        threads.get(1).interrupt();
        for (Thread thread : threads) {
            thread.join(Duration.ofSeconds(30));
        }
        assertEquals(2, messages.size());
        for (String message : messages) {
            assertTrue(message.endsWith("rank 1 was interrupted while ranks [2] had not joined"), message);
        }
    }

    @Test
    void memoryFollowsFromWhatIsBegun() {
        Ranks.of(this, Ranks.mesh(1, 1, 3), 20).run(rank -> {
            var whole = rank.tensor(DType.FP32, 300, i -> 1);
            var books = rank.bench().books();
            var taken = new ArrayList<Long>();
            rank.all().allReduce(rank.queue(), whole, Reduction.SUM);
            taken.add(books.live(MemoryCategory.COMMUNICATION));
            for (long part : List.of(10L, 16L, 3L, 17L, 32L, 100L)) {
                rank.all().reduceScatter(rank.queue(), whole.rows(0, 3 * part), rank.tensor(DType.FP32, part));
                taken.add(books.live(MemoryCategory.COMMUNICATION));
            }
            var other = rank.world().group(List.of(0, 1, 2));
            other.reduceScatter(rank.queue(), whole.rows(0, 3), rank.tensor(DType.FP32, 1));
            taken.add(books.live(MemoryCategory.COMMUNICATION));
            // Chunks of 16, 32 and 128 elements, and one of the other group, each rounded up to 64 bytes.
            assertEquals(List.of(0L, 64L, 64L, 64L, 192L, 192L, 704L, 768L), taken);
            return null;
        });
    }
}
