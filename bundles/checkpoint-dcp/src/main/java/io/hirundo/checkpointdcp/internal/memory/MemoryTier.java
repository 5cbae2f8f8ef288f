package io.hirundo.checkpointdcp.internal.memory;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.collective.Barrier;
import io.hirundo.checkpointdcp.internal.collective.IntAllGather;
import io.hirundo.checkpointdcp.internal.collective.PeerTransfer;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.save.Committer;
import io.hirundo.checkpointdcp.internal.save.DataFilePaths;
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
 * Checkpoints whose data files are in the memory of nodes, and only their manifests in the run's folder. Each rank's data file is on
 * its own node and on that of another rank, its peer, so that any one node may be lost. The design is that of Gemini (Wang et al.,
 * SOSP 2023).
 */
public final class MemoryTier implements Tier {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryTier.class);

    /**
     * What each rank reports to all others before it writes.
     *
     * @param writesPeerCopy whether the rank can write its second copy itself, because its peer is on the same node
     * @param fileBytes length of its data file
     */
    private record RankReport(boolean hasFailed, boolean writesPeerCopy, long fileBytes) {
        int[] toInts() {
            return new int[] {
                hasFailed ? 1 : 0, writesPeerCopy ? 1 : 0, (int) (fileBytes >>> Integer.SIZE), (int) fileBytes
            };
        }

        static RankReport of(int[] values) {
            long fileBytes = (long) values[2] << Integer.SIZE | Integer.toUnsignedLong(values[3]);
            return new RankReport(values[0] == 1, values[1] == 1, fileBytes);
        }
    }

    private final World world;
    private final IntAllGather allGather;
    private final CheckpointStore store;
    private final Committer committer;
    private final Retention retention;
    private final NodeMemory memory;

    /** The rank that keeps the second copy of this rank's data file. */
    private final int peer;

    /** The rank whose second copy this rank keeps. */
    private final int backedUpRank;

    private long checkedFileBytes = -1;

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
        this.backedUpRank = Math.floorMod(world.rank() - distance, ranks);
    }

    @Override
    public CheckpointStore store() {
        return store;
    }

    @Override
    public Committer committer() {
        return committer;
    }

    /**
     * A rank writes its second copy itself if its peer is on the same node, and sends it to the peer otherwise. If any rank has failed,
     * the save has failed, and nothing is sent.
     */
    @Override
    public SaveAssignment assign(SaveAttempt attempt, long fileBytes) {
        int rank = world.rank();
        String id = attempt.folder() == null ? "" : SaveFolders.idOf(attempt.folder());
        attempt.runUnlessFailed(() -> memory.createFolder(rank, id));
        // The folders of all ranks show which ranks share this node.
        attempt.allRanks().barrier();
        attempt.runUnlessFailed(() -> requireCapacity(id, fileBytes));
        boolean hasFailed = attempt.failure() != null;
        boolean writesPeerCopy = !hasFailed && memory.isOnThisNode(peer, id);

        List<RankReport> reports = allGather(new RankReport(hasFailed, writesPeerCopy, fileBytes));
        if (hasFailed) {
            return SaveAssignment.withoutTransfer(null);
        }
        var ownFiles = new ArrayList<Path>(List.of(memory.file(rank, id, rank)));
        if (writesPeerCopy && peer != rank) {
            ownFiles.add(memory.file(peer, id, rank));
        }
        if (reports.stream().anyMatch(RankReport::hasFailed)) {
            return SaveAssignment.withoutTransfer(DataFilePaths.inMemory(ownFiles));
        }
        RankReport backedUp = reports.get(backedUpRank);
        int sendTo = writesPeerCopy ? PeerTransfer.NO_RANK : peer;
        return backedUp.writesPeerCopy()
                ? new SaveAssignment(DataFilePaths.inMemory(ownFiles), sendTo, PeerTransfer.NO_RANK)
                : new SaveAssignment(
                        DataFilePaths.inMemory(ownFiles, memory.file(rank, id, backedUpRank), backedUp.fileBytes()),
                        sendTo,
                        backedUpRank);
    }

    private List<RankReport> allGather(RankReport own) {
        return Arrays.stream(allGather.exchange(own.toInts()))
                .map(RankReport::of)
                .toList();
    }

    /**
     * Requires memory for the retained checkpoints and the one that is being saved. Counts this rank's file size for every rank of the
     * node, since shards have about the same size. Checked again only when that size changes.
     */
    private void requireCapacity(String id, long fileBytes) throws IOException {
        if (checkedFileBytes == fileBytes) {
            return;
        }
        long ranks = memory.ranksOnThisNode(id);
        long copies = world.mesh().ranks() == 1 ? 1 : 2;
        long neededBytes = ranks * fileBytes * copies * (retention.keepLast() + 1);
        long capacityBytes = memory.capacityBytes();
        if (capacityBytes < neededBytes) {
            throw new CheckpointException(
                    memory.root() + " has room for " + Quantity.bytes(capacityBytes)
                            + ", but checkpoints in memory need " + Quantity.bytes(neededBytes) + " there, of " + ranks
                            + " ranks: make its file system larger, set checkpoint.strategy.options.memory.directory, or use dcp-async");
        }
        checkedFileBytes = fileBytes;
    }

    @Override
    public void deleteOlderThan(CheckpointInfo checkpoint) throws IOException {
        CheckpointName newest = CheckpointName.of(checkpoint.path()).orElseThrow();
        memory.deleteAllBut(() -> idsInUse(newest, retention));
    }

    /** Deletes what interrupted runs have left. Called on the rank's thread when the session opens. */
    public void open() {
        try {
            deleteOrphans();
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("what an interrupted run left in {} could not be removed: {}", memory.root(), Reason.of(e));
        }
    }

    /** Deletes data that no manifest names; nothing if a manifest is damaged, because it may name any of them. */
    private void deleteOrphans() throws IOException {
        if (store.all().stream().allMatch(CheckpointFolder::isWhole)) {
            memory.deleteAllBut(() -> idsInUse(CheckpointName.LATEST_POSSIBLE, new Retention(Integer.MAX_VALUE, 0)));
        }
    }

    private Set<String> idsInUse(CheckpointName newest, Retention retained) {
        try {
            return store.idsInUse(newest, retained);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Deletes all checkpoints in memory if storage has one that is at least as new, and else only what failed saves have left. Collective:
     * called on every rank's thread when all saves have ended.
     */
    public void close(CheckpointStore durable) {
        boolean isStorageNewer = false;
        try {
            isStorageNewer = isStorageNewer(durable);
            if (isStorageNewer) {
                memory.deleteAllBut(Set::of);
            } else {
                deleteOrphans();
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("copies in memory could not be tidied up: {}", Reason.of(e));
        }
        // After the barrier, every rank has read the manifests, so rank 0 may delete them.
        if (Barrier.of(world) && world.rank() == 0) {
            deleteManifests(isStorageNewer);
        }
    }

    private boolean isStorageNewer(CheckpointStore durable) throws IOException {
        List<CheckpointFolder> inMemory = store.all();
        List<SavedCheckpoint> onStorage = durable.list();
        return !inMemory.isEmpty()
                && !onStorage.isEmpty()
                && onStorage.getFirst().name().step()
                        >= inMemory.getFirst().name().step();
    }

    private void deleteManifests(boolean all) {
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
