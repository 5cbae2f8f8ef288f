package io.hirundo.lib.engine.rank;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.accounting.CountedFabric;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** The ranks of a world in this process: threads, devices, ledgers, and the abort of their collectives. */
public final class LocalRanks implements AutoCloseable {
    private final Mesh mesh;
    private final RankTeam team;
    private final Map<Integer, Rank> ranks = new ConcurrentHashMap<>();
    private final List<AccountedLedger> ledgers = new ArrayList<>();
    private final Opened opened = new Opened();
    private volatile boolean failed;

    /** Opens a device for each rank; returns when all ranks of the mesh have joined. On failure everything is closed. */
    public LocalRanks(ComputeBackend shared, Fabric fabric, Mesh mesh) {
        Rank.requireDevice(shared);
        this.mesh = mesh;
        List<Integer> numbers = fabric.localRanks(mesh);
        ComputeBackend backend = shared.sharedBy(numbers.size());
        numbers.forEach(number -> ledgers.add(AccountedLedger.of(backend)));
        this.team = opened.add(new RankTeam(numbers), RankTeam::close);
        opened.add(ranks, all -> closeEach(all, Rank::close));
        try {
            // Devices first: otherwise a rank without a device would block the others in the rendezvous.
            team.each(index -> ranks.put(index, Rank.open(backend, index, ledgers.get(index))));
            team.each(index -> {
                ranks.get(index)
                        .join(
                                new CountedFabric(ranks.get(index).audited(fabric), ledgers.get(index)),
                                numbers.get(index),
                                mesh);
                return null;
            });
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    /** Runs the work on every rank of this process, on its thread; a failure aborts the collectives of all ranks. */
    public <T> List<T> each(IntFunction<T> work) {
        return team.each(work, (index, failure) -> {
            failed = true;
            ranks.get(index).world().abort(failure);
        });
    }

    /** As {@link #each}, for work without collectives: a failure does not abort the ranks. */
    public <T> List<T> attempt(IntFunction<T> work) {
        return team.each(work);
    }

    /** Closes what ranks have opened, each on its thread; ranks without an entry are skipped. */
    public <T> void closeEach(Map<Integer, T> open, Consumer<T> close) {
        team.each(index -> {
            if (open.containsKey(index)) {
                close.accept(open.get(index));
            }
            return null;
        });
    }

    /** Aborts the collectives of all ranks, also in other processes. */
    public void abort(Throwable cause) {
        ranks.values().forEach(rank -> rank.world().abort(cause));
    }

    /** Whether a rank has aborted the collectives. */
    public boolean haveFailed() {
        return failed;
    }

    /** {@code index} among the ranks of this process. */
    public Rank get(int index) {
        return ranks.get(index);
    }

    /** {@code index} of a rank among those of this process. */
    public AccountedLedger ledger(int index) {
        return ledgers.get(index);
    }

    /** Peak bytes so far, by category, in the order of the indices. */
    public List<Map<MemoryCategory, Long>> peakBytes() {
        return ledgers.stream().map(AccountedLedger::peakBytes).toList();
    }

    /** Rank numbers in the order of the indices. */
    public List<Integer> numbers() {
        var numbers = new ArrayList<Integer>();
        for (int index = 0; index < ranks.size(); index++) {
            numbers.add(ranks.get(index).world().rank());
        }
        return numbers;
    }

    public Mesh mesh() {
        return mesh;
    }

    /** Whether all ranks of the world are in this process. */
    public boolean areAll() {
        return team.size() == mesh.ranks();
    }

    @Override
    public void close() {
        opened.close();
    }
}
