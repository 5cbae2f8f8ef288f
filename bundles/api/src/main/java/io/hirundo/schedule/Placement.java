package io.hirundo.schedule;

import io.hirundo.ConfigurationException;
import java.util.Arrays;

/** Maps stages to ranks and chunks; checks that a schedule's map is one to one. */
final class Placement {
    private final int[][] stageOfRankChunk;
    private final int[] rankOfStage;
    private final int[] chunkOfStage;

    Placement(PipelineSchedule schedule, PipelineShape shape) {
        stageOfRankChunk = new int[shape.ranks()][shape.chunks()];
        rankOfStage = new int[shape.stages()];
        chunkOfStage = new int[shape.stages()];
        Arrays.fill(rankOfStage, -1);
        for (int rank = 0; rank < shape.ranks(); rank++) {
            for (int chunk = 0; chunk < shape.chunks(); chunk++) {
                place(rank, chunk, schedule.stage(shape, rank, chunk));
            }
        }
    }

    private void place(int rank, int chunk, int stage) {
        if (stage < 0 || stage >= rankOfStage.length) {
            throw new ConfigurationException("schedule: chunk " + chunk + " of rank " + rank + " is stage " + stage
                    + ", but stages are 0 to " + (rankOfStage.length - 1));
        }
        if (rankOfStage[stage] >= 0) {
            throw new ConfigurationException("schedule: stage " + stage + " is both chunk " + chunkOfStage[stage]
                    + " of rank " + rankOfStage[stage] + " and chunk " + chunk + " of rank " + rank);
        }
        stageOfRankChunk[rank][chunk] = stage;
        rankOfStage[stage] = rank;
        chunkOfStage[stage] = chunk;
    }

    int stage(int rank, int chunk) {
        return stageOfRankChunk[rank][chunk];
    }

    int rank(int stage) {
        return rankOfStage[stage];
    }

    int chunk(int stage) {
        return chunkOfStage[stage];
    }

    Work work(int rank, Action action) {
        return new Work(action.kind(), action.microbatch(), stage(rank, action.chunk()));
    }

    Action action(Work work) {
        return new Action(work.kind(), work.microbatch(), chunk(work.stage()));
    }
}
