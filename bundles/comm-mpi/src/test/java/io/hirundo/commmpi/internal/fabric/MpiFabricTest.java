package io.hirundo.commmpi.internal.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.commmpi.internal.wire.Wire;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.FabricContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.fabric.Ranks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ranks are threads, and what connects their processes is a stand-in for MPI. */
@HirundoContract
class MpiFabricTest implements FabricContract {
    @Override
    public List<Fabric> fabrics(int ranks, int timeoutSeconds) {
        List<Wire> wires = MemoryWire.wires(ranks);
        return IntStream.range(0, ranks)
                .<Fabric>mapToObj(rank -> new MpiFabric(
                        new MpiOptions(timeoutSeconds, ""),
                        new LaunchEnvironment(rank, ranks),
                        () -> wires.get(rank),
                        world -> {}))
                .toList();
    }

    @Override
    public ComputeBackend backend() {
        return new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    }

    @Override
    public List<String> leftBehind(World world) {
        return ((MpiWorld) world).state().threads();
    }

    @Test
    void takesTheRankOfMpirun() {
        assertEquals(List.of(2), fabric(new LaunchEnvironment(2, 6), null).localRanks(Ranks.mesh(2, 1, 3)));
        assertEquals(new LaunchEnvironment(3, 8), LaunchEnvironment.of("3", "8"));
    }

    @Test
    void rejectsProcessesThatAreNotTheRanksOfTheMesh() {
        var alone = fabric(LaunchEnvironment.of(null, null), null);
        var message = assertThrows(ConfigurationException.class, () -> alone.localRanks(Ranks.mesh(2, 1, 3)))
                .getMessage();
        assertEquals(
                "mesh.fabric: mpi has one process per rank, and this one was not started by mpirun; start 'mpirun -n 6 hirundo train"
                        + " ...', or give mesh.fabric=local",
                message);
        var four = fabric(new LaunchEnvironment(0, 4), null);
        message = assertThrows(ConfigurationException.class, () -> four.localRanks(Ranks.mesh(2, 1, 3)))
                .getMessage();
        assertEquals(
                "mesh: its axes multiply to 6 ranks, but mpirun started 4 processes; start it with -n 6, or give the axes other sizes",
                message);
        assertThrows(IllegalArgumentException.class, () -> four.connect(1, Ranks.mesh(4, 1, 1), null));
    }

    @Test
    void missingLibraryIsAConfigurationError() {
        var process = new MpiProcess();
        var failure = assertThrows(ConfigurationException.class, () -> process.world("libnothing.so.7"));
        assertTrue(failure.getMessage()
                .startsWith("mesh.fabric.options.library: libnothing.so.7 cannot be loaded; install"));
        failure = assertThrows(ConfigurationException.class, () -> process.world("libc.so.6"));
        assertTrue(failure.getMessage().contains("it is not Open MPI"), failure.getMessage());
        process.close();
    }

    @Test
    void findsGroupsInDifferentOrders() {
        var outcomes = Ranks.of(this, Ranks.mesh(2, 1, 1), 20).outcomes(rank -> {
            var orders = List.of(List.of(0, 1), List.of(1, 0));
            var first = rank.world().group(rank.number() == 1 ? orders.getLast() : orders.getFirst());
            first.barrier();
            return null;
        });
        for (int rank = 0; rank < 2; rank++) {
            String message = outcomes.get(rank).failure().getMessage();
            assertTrue(message.endsWith("called, barrier; ranks asked for their groups in different orders"), message);
        }
    }

    @Test
    void reportsBothMeshes() {
        List<Wire> wires = MemoryWire.wires(3);
        var others = List.of(connect(wires, 0, Ranks.mesh(3, 1, 1)), connect(wires, 2, Ranks.mesh(3, 1, 1)));
        var one = connect(wires, 1, Ranks.mesh(1, 1, 3));
        for (var world : List.of(others.get(0), one, others.get(1))) {
            assertEquals(
                    "rank 1: joined with the mesh {TENSOR=1, PIPELINE=1, DATA=3}, but rank 0 with {TENSOR=3, PIPELINE=1, DATA=1};"
                            + " give all ranks the same configuration",
                    assertThrows(CompletionException.class, world::join)
                            .getCause()
                            .getMessage());
        }
    }

    @Test
    void runsOneAfterTheOther() {
        List<Wire> wires = MemoryWire.wires(2);
        for (int run = 0; run < 2; run++) {
            var first = connect(wires, 0, Ranks.mesh(2, 1, 1));
            var second = connect(wires, 1, Ranks.mesh(2, 1, 1));
            var closing = CompletableFuture.runAsync(first.join()::close);
            second.join().close();
            closing.join();
            assertTrue(((MpiWorld) first.join()).state().hasEndedWell());
        }
    }

    private static MpiFabric fabric(LaunchEnvironment launched, Wire wire) {
        return new MpiFabric(new MpiOptions(1, ""), launched, () -> wire, world -> {});
    }

    private static CompletableFuture<World> connect(List<Wire> wires, int rank, Mesh mesh) {
        var fabric = fabric(new LaunchEnvironment(rank, wires.size()), wires.get(rank));
        return CompletableFuture.supplyAsync(
                () -> fabric.connect(rank, mesh, (Device) null),
                task -> Thread.ofPlatform().daemon().start(task));
    }

    @Test
    void memoryFollowsFromWhatIsBegun() {
        Ranks.of(this, Ranks.mesh(1, 1, 3), 20).run(rank -> {
            var whole = rank.tensor(DType.FP32, 300, i -> 1);
            var books = rank.bench().books();
            var taken = new ArrayList<Long>();
            rank.all().allReduce(rank.queue(), whole.rows(0, 31), Reduction.SUM);
            taken.add(books.live(MemoryCategory.COMMUNICATION));
            for (long part : List.of(10L, 16L, 3L, 17L, 32L, 100L)) {
                rank.all().reduceScatter(rank.queue(), whole.rows(0, 3 * part), rank.tensor(DType.FP32, part));
                taken.add(books.live(MemoryCategory.COMMUNICATION));
            }
            // Chunks of 16, 32 and 128 elements, each rounded up to 64 bytes.
            assertEquals(List.of(64L, 64L, 64L, 64L, 192L, 192L, 704L), taken);
            return null;
        });
    }
}
