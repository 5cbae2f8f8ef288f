package io.hirundo.checkpointdcp.internal.memory;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.collective.IntAllGather;
import io.hirundo.checkpointdcp.internal.collective.PeerTransfer;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.save.SaveAttempt;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.World;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a checkpoint in memory readable on every rank. Each rank verifies the data files on its node; a file that is missing or damaged
 * there is sent by a rank that has a valid copy. Collective: all ranks make the same calls in the same order, also after a failure on
 * one of them, which is thrown only when all transfers are done.
 */
public final class MemoryRestore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryRestore.class);

    private final CheckpointContext context;
    private final World world;
    private final FileOperations disk;
    private final SavedCheckpoint saved;
    private final LocalDataFiles local;
    private final List<Path> received = new ArrayList<>();

    /** The first failure of a transfer to this rank; empty for none. */
    private String failure = "";

    public MemoryRestore(CheckpointContext context, FileOperations disk, SavedCheckpoint saved) {
        this.context = context;
        this.world = context.world();
        this.disk = disk;
        this.saved = saved;
        this.local = new LocalDataFiles(saved, disk);
    }

    /**
     * Returns the checkpoint with paths of data files that this rank can read.
     *
     * @param into the shards to load, which decide the files that this rank needs
     * @throws CheckpointException if no valid copy of a needed file is left
     */
    public SavedCheckpoint restore(List<StateShard> into) {
        BitSet missing = LocalDataFiles.neededFor(saved, into);
        local.verify(missing);
        missing.andNot(local.valid());
        List<BitSet> missingByRank = allGather(missing);
        var missingAnywhere = new BitSet();
        missingByRank.forEach(missingAnywhere::or);
        if (!missingAnywhere.isEmpty()) {
            local.verify(missingAnywhere);
            List<BitSet> validByRank = allGather(local.valid());
            requireValidCopies(missingAnywhere, validByRank);
            missingAnywhere.stream().forEach(file -> transfer(file, missingByRank, validByRank));
            // A rank that closes removes folders into which other ranks of its node may still be receiving.
            world.along(Axis.values()).barrier();
        }
        if (!failure.isEmpty()) {
            throw new CheckpointException(failure);
        }
        return local.checkpoint();
    }

    /** All-gathers a set of data files as a bit mask; returns the sets in rank order. */
    private List<BitSet> allGather(BitSet own) {
        int files = saved.manifest().files().size();
        var mask = new int[Math.ceilDiv(files, Integer.SIZE)];
        own.stream().forEach(file -> mask[file / Integer.SIZE] |= 1 << file % Integer.SIZE);
        int[][] masks = new IntAllGather(world, context.device(), context.queue()).exchange(mask);
        return Arrays.stream(masks).map(MemoryRestore::toSet).toList();
    }

    private static BitSet toSet(int[] mask) {
        var set = new BitSet();
        for (int file = 0; file < mask.length * Integer.SIZE; file++) {
            set.set(file, (mask[file / Integer.SIZE] >>> file % Integer.SIZE & 1) == 1);
        }
        return set;
    }

    /** Throws on all ranks alike, because all have the same sets. */
    private void requireValidCopies(BitSet files, List<BitSet> validByRank) {
        BitSet lost = (BitSet) files.clone();
        validByRank.forEach(lost::andNot);
        if (!lost.isEmpty()) {
            String names = lost.stream().mapToObj(this::name).collect(Collectors.joining(", "));
            throw new CheckpointException(
                    saved.folder() + ": no node has a good copy of " + names + " in its memory any more");
        }
    }

    private String name(int file) {
        return saved.manifest().files().get(file).name();
    }

    /** Sends a file to each rank that lacks it. Ranks with a valid copy take turns as senders. */
    private void transfer(int file, List<BitSet> missingByRank, List<BitSet> validByRank) {
        int[] senders = ranksWith(file, validByRank);
        int[] receivers = ranksWith(file, missingByRank);
        for (int index = 0; index < receivers.length; index++) {
            int sender = senders[index % senders.length];
            if (world.rank() == sender) {
                send(file, receivers[index]);
            } else if (world.rank() == receivers[index]) {
                receive(file, sender);
            }
        }
    }

    private static int[] ranksWith(int file, List<BitSet> filesByRank) {
        return IntStream.range(0, filesByRank.size())
                .filter(rank -> filesByRank.get(rank).get(file))
                .toArray();
    }

    private void send(int file, int receiver) {
        LOG.info("sends {} of {} to rank {}", name(file), saved.folder(), receiver);
        int bufferBytes = saved.manifest().chunkBytes();
        long fileBytes = saved.manifest().files().get(file).bytes();
        try (Arena arena = Arena.ofShared();
                var transfer = new PeerTransfer(
                        world, context.device(), context.queue(), bufferBytes, receiver, PeerTransfer.NO_RANK)) {
            MemorySegment buffer = arena.allocate(bufferBytes, DataFile.ALIGNMENT_BYTES);
            for (long begin = 0; begin < fileBytes; begin += bufferBytes) {
                long bytes = Math.min(bufferBytes, fileBytes - begin);
                read(local.path(file), begin, buffer.asSlice(0, bytes).asByteBuffer());
                transfer.upload(buffer, bytes);
                transfer.sendAndReceive(bytes, 0);
            }
        }
    }

    /** After a failed read, arbitrary bytes are sent: the receiver waits for them, and rejects them by their checksums. */
    private static void read(Path path, long begin, ByteBuffer into) {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            int read = 0;
            while (into.hasRemaining() && read >= 0) {
                read = channel.read(into, begin + into.position());
            }
        } catch (IOException e) {
            LOG.error("{} could not be read: {}", path, Reason.of(e));
        }
    }

    private void receive(int file, int sender) {
        DataFile data = saved.manifest().files().get(file);
        Path path = Path.of(data.places().getFirst() + ".for-" + world.rank());
        LOG.info("receives {} of {} from rank {}", data.name(), saved.folder(), sender);
        int bufferBytes = saved.manifest().chunkBytes();
        try (Arena arena = Arena.ofShared();
                var transfer = new PeerTransfer(
                        world, context.device(), context.queue(), bufferBytes, PeerTransfer.NO_RANK, sender);
                var output = new ReceivedFile(path)) {
            MemorySegment buffer = arena.allocate(bufferBytes, DataFile.ALIGNMENT_BYTES);
            for (long begin = 0; begin < data.bytes(); begin += bufferBytes) {
                long bytes = Math.min(bufferBytes, data.bytes() - begin);
                transfer.sendAndReceive(0, bytes);
                transfer.download(buffer, bytes);
                output.write(buffer.asSlice(0, bytes).asByteBuffer(), begin);
            }
        }
        if (failure.isEmpty() && !local.verify(file, path)) {
            failure = saved.folder() + ": " + data.name() + " arrived damaged from rank " + sender;
        }
    }

    /** A file that is being received. After a failure, further bytes are dropped, and the transfer continues. */
    private final class ReceivedFile implements AutoCloseable {
        private final Path path;
        private FileOperations.Output output;

        ReceivedFile(Path path) {
            this.path = path;
            runUnlessFailed(() -> {
                NodeMemory.createFolderFor(path, disk);
                Files.deleteIfExists(path);
                received.add(path);
                output = disk.createInMemory(path);
            });
        }

        void write(ByteBuffer bytes, long position) {
            runUnlessFailed(() -> output.write(bytes, position));
        }

        @Override
        public void close() {
            runUnlessFailed(() -> output.close());
        }

        private void runUnlessFailed(SaveAttempt.Phase phase) {
            if (!failure.isEmpty()) {
                return;
            }
            try {
                phase.run();
            } catch (IOException e) {
                failure = path + " could not be fetched from another node: " + Reason.of(e);
            }
        }
    }

    /** Deletes the received files: the checkpoint is loaded, or another one is used. */
    @Override
    public void close() {
        for (Path path : received) {
            try {
                NodeMemory.delete(path);
            } catch (IOException e) {
                LOG.warn("{} could not be removed: {}", path, Reason.of(e));
            }
        }
    }
}
