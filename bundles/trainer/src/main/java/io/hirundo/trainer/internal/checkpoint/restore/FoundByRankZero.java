package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RankRun;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** The checkpoints that rank 0 finds: all ranks must restore from the same ones, also where a file system shows them late. */
final class FoundByRankZero {
    private FoundByRankZero() {}

    /** Newest first. Collective. */
    static List<FoundCheckpoint> newestFirst(LocalRun run, Function<RankRun, CheckpointSession> sessions) {
        List<FoundCheckpoint> seen = run.onEachRank(
                        part -> part.model().rank().world().rank() == 0
                                ? sessions.apply(part).found()
                                : List.<FoundCheckpoint>of())
                .getFirst();
        var lines = new StringBuilder();
        for (FoundCheckpoint found : seen) {
            var info = found.checkpoint();
            lines.append(info.step())
                    .append('\t')
                    .append(info.bytes())
                    .append('\t')
                    .append(info.isInMemory())
                    .append('\t');
            lines.append(info.path()).append('\t');
            lines.append(oneLine(found.problem())).append('\n');
        }
        return run.exchange(lines.toString())
                .getFirst()
                .lines()
                .map(FoundByRankZero::parse)
                .toList();
    }

    private static FoundCheckpoint parse(String line) {
        String[] fields = line.split("\t", 5);
        var info = new CheckpointInfo(
                Path.of(fields[3]),
                Long.parseLong(fields[0]),
                Long.parseLong(fields[1]),
                Boolean.parseBoolean(fields[2]));
        return new FoundCheckpoint(info, fields[4]);
    }

    static String oneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
