package io.hirundo.checkpointdcp.internal.memory;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.collective.Barrier;
import io.hirundo.checkpointdcp.internal.collective.Exchange;
import io.hirundo.checkpointdcp.internal.collective.IntAllGather;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.save.Committer;
import io.hirundo.checkpointdcp.internal.save.Placement;
import io.hirundo.checkpointdcp.internal.save.SaveAssignment;
import io.hirundo.checkpointdcp.internal.save.SaveAttempt;
import io.hirundo.checkpointdcp.internal.save.Tier;
import io.hirundo.checkpointdcp.internal.store.CheckpointFolder;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import io.hirundo.checkpointdcp.internal.store.Retention;
import io.hirundo.checkpointdcp.internal.store.SaveFolders;
import io.hirundo.command.Quantity;
import io.hirundo.mesh.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints whose data are in the memory of the nodes, each rank's on its own and on that of its peer, so that any one node may be
 * lost; only their manifests are in the run's folder. The design is that of Gemini (Wang et al., SOSP 2023).
 */
public final class MemoryTier implements Tier {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryTier.class);

    /** What the ranks tell each other, in this order. */
    private static final int FAILED = 0;

    private static final int SEES_PEER = 1;
    private static final int BYTES_HIGH = 2;
    private static final int BYTES_LOW = 3;

    private final World world;
    private final IntAllGather allGather;
    private final CheckpointStore store;
    private final Committer committer;
    private final Retention retention;
    private final NodeMemory memory;
    private final int peer;
    private final int ward;
    private long hadRoomForBytes = -1;

    /** {@code store}: of the manifests. */
    public MemoryTier(
            CheckpointContext context,
            MemoryOptions options,
            CheckpointStore store,
            Committer committer,
            NodeMemory memory) {
        this.world = context.world();
        this.allGather = new IntAllGather(world, context.device(), context.queue());
        this.store = store;
        this.committer = committer;
        this.retention = options.retention();
        this.memory = memory;
        int ranks = world.mesh().ranks();
        int distance = options.peerDistance() == 0 ? Math.max(1, ranks / 2) : options.peerDistance();
        if (ranks > 1 && distance % ranks == 0) {
            throw new ConfigurationException(
                    "checkpoint dcp-tiered: memory.peerDistance is " + distance + ", which makes each of " + ranks
                            + " ranks its own peer; give the number of ranks on a node, or 0");
        }
        this.peer = (world.rank() + distance) % ranks;
        this.ward = Math.floorMod(world.rank() - distance, ranks);
    }

    @Override
    public CheckpointStore store() {
        return store;
    }

    @Override
    public Committer committer() {
        return committer;
    }

    @Override
    public SaveAssignment handOver(SaveAttempt attempt, long fileBytes) {
        int rank = world.rank();
        String id = attempt.folder() == null ? "" : SaveFolders.idOf(attempt.folder());
        attempt.attempt(() -> memory.make(rank, id));
        attempt.all().barrier();
        attempt.attempt(() -> requireRoom(id, fileBytes));
        boolean seesPeer = attempt.failure() == null && memory.sees(peer, id);
        var own = new int[4];
        own[FAILED] = attempt.failure() == null ? 0 : 1;
        own[SEES_PEER] = seesPeer ? 1 : 0;
        own[BYTES_HIGH] = (int) (fileBytes >>> Integer.SIZE);
        own[BYTES_LOW] = (int) fileBytes;
        int[][] told = allGather.exchange(own);
        if (attempt.failure() != null) {
            return SaveAssignment.toNobody(null);
        }
        var files = new ArrayList<Path>(List.of(memory.file(rank, id, rank)));
        if (seesPeer && peer != rank) {
            files.add(memory.file(peer, id, rank));
        }
        if (Arrays.stream(told).anyMatch(one -> one[FAILED] == 1)) {
            return SaveAssignment.toNobody(new Placement(files, null, 0, true));
        }
        boolean receives = told[ward][SEES_PEER] == 0;
        Path received = receives ? memory.file(rank, id, ward) : null;
        long wardBytes =
                ((long) told[ward][BYTES_HIGH] << Integer.SIZE) | Integer.toUnsignedLong(told[ward][BYTES_LOW]);
        var placement = new Placement(files, received, receives ? wardBytes : 0, true);
        return new SaveAssignment(placement, seesPeer ? Exchange.NOBODY : peer, receives ? ward : Exchange.NOBODY);
    }

    /** For the copies that are kept and the one that is being made. Ranks of a node have shares of the same size, or nearly. */
    private void requireRoom(String id, long fileBytes) throws IOException {
        if (hadRoomForBytes == fileBytes) {
            return;
        }
        long ranks = memory.ranksThatSave(id);
        long places = world.mesh().ranks() == 1 ? 1 : 2;
        long neededBytes = ranks * fileBytes * places * (retention.keepLast() + 1);
        long roomBytes = memory.roomBytes();
        if (roomBytes < neededBytes) {
            throw new CheckpointException(
                    memory.root() + " has room for " + Quantity.bytes(roomBytes) + ", but checkpoints in memory need "
                            + Quantity.bytes(neededBytes) + " there, of " + ranks
                            + " ranks: make its file system larger, set checkpoint.strategy.options.memory.directory, or use dcp-async");
        }
        hadRoomForBytes = fileBytes;
    }

    @Override
    public void saved(CheckpointInfo checkpoint) throws IOException {
        CheckpointName newest = CheckpointName.of(checkpoint.path()).orElseThrow();
        memory.sweep(() -> idsInUse(newest, retention));
    }

    /** The rank's thread, when the session is opened: what interrupted runs have left goes. */
    public void open() {
        try {
            sweep();
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("what an interrupted run left in {} could not be removed: {}", memory.root(), Reason.of(e));
        }
    }

    /** All goes that belongs to no checkpoint; nothing where a manifest is damaged, because nobody knows whose data it speaks of. */
    private void sweep() throws IOException {
        if (store.all().stream().allMatch(CheckpointFolder::isWhole)) {
            memory.sweep(() -> idsInUse(CheckpointName.LATEST_POSSIBLE, new Retention(Integer.MAX_VALUE, 0)));
        }
    }

    private Set<String> idsInUse(CheckpointName newest, Retention kept) {
        try {
            return store.idsInUse(newest, kept);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The rank's thread, on all ranks, when all saves have ended: copies that a checkpoint on storage has made superfluous go, and what
     * failed saves left.
     */
    public void close(CheckpointStore durable) {
        boolean superfluous = false;
        try {
            List<CheckpointFolder> copies = store.all();
            List<SavedCheckpoint> onStorage = durable.list();
            superfluous = !copies.isEmpty()
                    && !onStorage.isEmpty()
                    && onStorage.getFirst().name().step()
                            >= copies.getFirst().name().step();
            if (superfluous) {
                memory.sweep(Set::of);
            } else {
                sweep();
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("copies in memory could not be tidied up: {}", Reason.of(e));
        }
        // All have looked before any manifest goes.
        if (Barrier.of(world) && world.rank() == 0) {
            discard(superfluous);
        }
    }

    private void discard(boolean all) {
        try {
            if (all) {
                store.discardAll();
            }
            store.trash().removeLeftovers();
        } catch (IOException e) {
            LOG.warn("manifests of copies in memory could not be tidied up: {}", Reason.of(e));
        }
    }
}
