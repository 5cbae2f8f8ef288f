package __package__;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.mesh.Axis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The checkpoints of one run. Every rank makes the same calls; only rank 0 renames folders. */
final class __Name__Session implements CheckpointSession {
    private static final Pattern NAME = Pattern.compile("step-(\\d+)");
    private static final String UNFINISHED = ".part";

    /** Separates rank and number of ranks in a file name. */
    private static final String OF = "-of-";

    private final CheckpointContext context;
    private final int keep;

    __Name__Session(CheckpointContext context, int keep) {
        this.context = context;
        this.keep = keep;
    }

    /** All ranks write into a hidden folder; rank 0 then renames it. A crash leaves other checkpoints unchanged. */
    @Override
    public PendingSave save(TrainingState state) {
        Path folder = context.directory().resolve("step-" + state.step());
        Path part = context.directory().resolve(folder.getFileName() + UNFINISHED);
        try {
            if (isFirst()) {
                delete(part);
                Files.createDirectories(part);
            }
            awaitAll();
            write(
                    part.resolve("rank-" + context.world().rank() + OF
                            + context.world().mesh().ranks()),
                    state);
            awaitAll();
            if (isFirst()) {
                force(part);
                delete(folder);
                Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
                force(context.directory());
                for (CheckpointInfo old : list().stream().skip(keep).toList()) {
                    delete(old.path());
                }
            }
            awaitAll();
            return new Saved(info(folder, state.step()));
        } catch (IOException | UncheckedIOException e) {
            throw new CheckpointException(
                    "cannot write " + folder + ": " + Reason.of(e) + "; free space or fix its permissions", e);
        }
    }

    private void write(Path file, TrainingState state) throws IOException {
        try (__Name__Writer writer = __Name__Writer.create(file)) {
            writer.values(state.values());
            for (StateShard shard : state.shards()) {
                if (shard.replica() != 0) {
                    continue; // Another rank writes the same shard.
                }
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment host =
                            arena.allocate(Math.max(1, shard.local().byteSize()));
                    context.device().transfer().download(context.queue(), shard.local(), host);
                    context.queue().drain();
                    writer.piece(__Name__Piece.of(shard), host);
                }
            }
        }
    }

    @Override
    public List<CheckpointInfo> list() {
        if (Files.notExists(context.directory())) {
            return List.of();
        }
        try (Stream<Path> folders = Files.list(context.directory())) {
            return folders.filter(folder ->
                            NAME.matcher(folder.getFileName().toString()).matches())
                    .map(folder -> info(
                            folder,
                            Long.parseLong(folder.getFileName().toString().substring("step-".length()))))
                    .sorted(Comparator.comparingLong(CheckpointInfo::step).reversed())
                    .toList();
        } catch (IOException e) {
            throw new CheckpointException("cannot read " + context.directory() + ": " + Reason.of(e), e);
        }
    }

    @Override
    public Map<String, Object> values(CheckpointInfo checkpoint) {
        Path first = whole(checkpoint.path()).getFirst();
        try (__Name__Reader reader = __Name__Reader.open(first)) {
            return reader.values();
        } catch (IOException e) {
            throw damaged(first, e);
        }
    }

    /** Reads all ranks' files and copies what overlaps the requested shards, which may be sharded differently. */
    @Override
    public void load(CheckpointInfo checkpoint, List<StateShard> into) {
        try (Arena arena = Arena.ofConfined()) {
            List<__Name__Target> targets =
                    into.stream().map(shard -> __Name__Target.of(shard, arena)).toList();
            for (Path file : whole(checkpoint.path())) {
                try (__Name__Reader reader = __Name__Reader.open(file)) {
                    reader.values();
                    reader.pieces((piece, bytes) -> targets.forEach(target -> target.take(piece, bytes)));
                } catch (IOException e) {
                    throw damaged(file, e);
                }
            }
            for (__Name__Target target : targets) {
                target.requireWhole(checkpoint.path());
                context.device()
                        .transfer()
                        .upload(context.queue(), target.bytes(), target.shard().local());
            }
            context.queue().drain();
        }
    }

    private static CheckpointException damaged(Path file, IOException failure) {
        return new CheckpointException(
                file + " is missing or damaged: " + Reason.of(failure) + "; use an older checkpoint", failure);
    }

    private static CheckpointInfo info(Path folder, long step) {
        long bytes = 0;
        for (Path file : files(folder)) {
            bytes += file.toFile().length();
        }
        return new CheckpointInfo(folder, step, bytes);
    }

    /** The files of all ranks, rank 0 first. */
    private static List<Path> whole(Path folder) {
        List<Path> files = files(folder);
        if (files.isEmpty() || !files.getFirst().getFileName().toString().equals("rank-0" + OF + files.size())) {
            throw new CheckpointException(folder + " lacks files of some ranks; use an older checkpoint");
        }
        return files;
    }

    private static List<Path> files(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new CheckpointException("cannot read " + folder + ": " + Reason.of(e), e);
        }
    }

    /** Deletes a link, never its target. */
    private static void delete(Path folder) throws IOException {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            for (Path file : files(folder)) {
                Files.delete(file);
            }
        }
        Files.deleteIfExists(folder);
    }

    /** Syncs the folder: file names are then on the disk, like their contents. */
    private static void force(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder)) {
            channel.force(true);
        }
    }

    private boolean isFirst() {
        return context.world().rank() == 0;
    }

    private void awaitAll() {
        context.world().along(Axis.values()).barrier();
    }

    /** No save is in progress: {@link #save} waits. */
    @Override
    public void close() {}

    /** A completed save. */
    private record Saved(CheckpointInfo info) implements PendingSave {
        @Override
        public boolean isDurable() {
            return true;
        }

        @Override
        public CheckpointInfo awaitDurable() {
            return info;
        }
    }
}
