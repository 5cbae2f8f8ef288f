package io.hirundo.checkpointdcp.internal.memory;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.collective.Exchange;
import io.hirundo.checkpointdcp.internal.collective.IntAllGather;
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
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings together what ranks need of a checkpoint in memory: each reads what its node has, and of what it lacks, or finds damaged,
 * another rank passes it its own. All ranks do this at once, and the same whatever goes wrong on one: failures are told behind it.
 */
public final class MemoryGathering implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryGathering.class);

    private final CheckpointContext context;
    private final World world;
    private final FileOperations disk;
    private final SavedCheckpoint saved;
    private final MemoryCopies copies;
    private final List<Path> fetched = new ArrayList<>();
    private String problem = "";

    public MemoryGathering(CheckpointContext context, FileOperations disk, SavedCheckpoint saved) {
        this.context = context;
        this.world = context.world();
        this.disk = disk;
        this.saved = saved;
        this.copies = new MemoryCopies(saved, disk);
    }

    /**
     * Returns the checkpoint with files that can be read here.
     *
     * @param into what is to be loaded
     * @throws CheckpointException where both copies of something are lost or damaged
     */
    public SavedCheckpoint gather(List<StateShard> into) {
        BitSet wanted = MemoryCopies.wantedFor(saved, into);
        copies.look(wanted);
        BitSet lacking = wanted;
        lacking.andNot(copies.files());
        List<BitSet> lackingOfAll = tell(lacking);
        var anywhere = new BitSet();
        lackingOfAll.forEach(anywhere::or);
        if (!anywhere.isEmpty()) {
            copies.look(anywhere);
            List<BitSet> havingOfAll = tell(copies.files());
            requireSomewhere(anywhere, havingOfAll);
            anywhere.stream().forEach(file -> pass(file, lackingOfAll, havingOfAll));
            // Before anybody removes folders that others of the node receive into.
            world.along(Axis.values()).barrier();
        }
        if (!problem.isEmpty()) {
            throw new CheckpointException(problem);
        }
        return copies.checkpoint();
    }

    /** What each rank says of each file, in order. */
    private List<BitSet> tell(BitSet own) {
        int files = saved.manifest().files().size();
        var words = new int[Math.ceilDiv(files, Integer.SIZE)];
        own.stream().forEach(file -> words[file / Integer.SIZE] |= 1 << file % Integer.SIZE);
        int[][] told = new IntAllGather(world, context.device(), context.queue()).exchange(words);
        var all = new ArrayList<BitSet>();
        for (int[] of : told) {
            var set = new BitSet();
            for (int file = 0; file < files; file++) {
                set.set(file, (of[file / Integer.SIZE] >>> file % Integer.SIZE & 1) == 1);
            }
            all.add(set);
        }
        return all;
    }

    /** All ranks find the same. */
    private void requireSomewhere(BitSet files, List<BitSet> havingOfAll) {
        BitSet lost = (BitSet) files.clone();
        havingOfAll.forEach(lost::andNot);
        if (!lost.isEmpty()) {
            String names = lost.stream()
                    .mapToObj(file -> saved.manifest().files().get(file).name())
                    .collect(Collectors.joining(", "));
            throw new CheckpointException(
                    saved.folder() + ": no node has a good copy of " + names + " in its memory any more");
        }
    }

    /** From those who have it, in turns, to each that lacks it. */
    private void pass(int file, List<BitSet> lackingOfAll, List<BitSet> havingOfAll) {
        int[] having = ranksWith(file, havingOfAll);
        int[] lacking = ranksWith(file, lackingOfAll);
        for (int turn = 0; turn < lacking.length; turn++) {
            int from = having[turn % having.length];
            if (world.rank() == from) {
                send(file, lacking[turn]);
            } else if (world.rank() == lacking[turn]) {
                receive(file, from);
            }
        }
    }

    private static int[] ranksWith(int file, List<BitSet> sets) {
        return IntStream.range(0, sets.size())
                .filter(rank -> sets.get(rank).get(file))
                .toArray();
    }

    private void send(int file, int to) {
        LOG.info(
                "passes {} of {} to rank {}", saved.manifest().files().get(file).name(), saved.folder(), to);
        int bufferBytes = saved.manifest().chunkBytes();
        long bytes = saved.manifest().files().get(file).bytes();
        try (Arena arena = Arena.ofShared();
                var exchange =
                        new Exchange(world, context.device(), context.queue(), bufferBytes, to, Exchange.NOBODY)) {
            MemorySegment buffer = arena.allocate(bufferBytes, DataFile.ALIGNMENT_BYTES);
            for (long begin = 0; begin < bytes; begin += bufferBytes) {
                long count = Math.min(bufferBytes, bytes - begin);
                read(copies.place(file), begin, buffer.asSlice(0, count).asByteBuffer());
                exchange.load(buffer, count);
                exchange.pass(count, 0);
            }
        }
    }

    /** Who receives holds it against the checksums: where it cannot be read any more, that is told there. */
    private static void read(Path place, long begin, ByteBuffer into) {
        try (var channel = FileChannel.open(place, StandardOpenOption.READ)) {
            int read = 0;
            while (into.hasRemaining() && read >= 0) {
                read = channel.read(into, begin + into.position());
            }
        } catch (IOException e) {
            LOG.error("{} could not be read: {}", place, Reason.of(e));
        }
    }

    private void receive(int file, int from) {
        DataFile data = saved.manifest().files().get(file);
        Path place = Path.of(data.places().getFirst() + ".for-" + world.rank());
        LOG.info("takes {} of {} from rank {}", data.name(), saved.folder(), from);
        int bufferBytes = saved.manifest().chunkBytes();
        try (Arena arena = Arena.ofShared();
                var exchange =
                        new Exchange(world, context.device(), context.queue(), bufferBytes, Exchange.NOBODY, from);
                var target = new Target(place)) {
            MemorySegment buffer = arena.allocate(bufferBytes, DataFile.ALIGNMENT_BYTES);
            for (long begin = 0; begin < data.bytes(); begin += bufferBytes) {
                long count = Math.min(bufferBytes, data.bytes() - begin);
                exchange.pass(0, count);
                exchange.unload(buffer, count);
                target.write(buffer.asSlice(0, count).asByteBuffer(), begin);
            }
        }
        if (problem.isEmpty() && !copies.add(file, place)) {
            problem = saved.folder() + ": " + data.name() + " came damaged from rank " + from;
        }
    }

    /** A file that is fetched. What goes wrong becomes the problem. */
    private final class Target implements AutoCloseable {
        private final Path place;
        private FileOperations.Output output;

        Target(Path place) {
            this.place = place;
            attempt(() -> {
                NodeMemory.makeFor(place, disk);
                Files.deleteIfExists(place);
                fetched.add(place);
                output = disk.createInMemory(place);
            });
        }

        void write(ByteBuffer bytes, long position) {
            attempt(() -> output.write(bytes, position));
        }

        @Override
        public void close() {
            attempt(() -> output.close());
        }

        private void attempt(SaveAttempt.Phase phase) {
            if (!problem.isEmpty()) {
                return;
            }
            try {
                phase.run();
            } catch (IOException e) {
                problem = place + " could not be fetched from another node: " + Reason.of(e);
            }
        }
    }

    /** Deletes what was fetched: the checkpoint is loaded, or another is taken. */
    @Override
    public void close() {
        for (Path place : fetched) {
            try {
                NodeMemory.delete(place);
            } catch (IOException e) {
                LOG.warn("{} could not be removed: {}", place, Reason.of(e));
            }
        }
    }
}
