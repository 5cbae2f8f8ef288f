package io.hirundo.parallelpp.internal.csv;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.List;

/** A schedule from a table, which fixes the number of ranks and microbatches. */
record CsvSchedule(CsvTable table, ChunkPlacement placement, boolean fusesBackward) implements PipelineSchedule {
    @Override
    public int chunks() {
        return table.chunks();
    }

    @Override
    public int stage(PipelineShape shape, int rank, int chunk) {
        return placement.stage(shape.ranks(), rank, chunk);
    }

    @Override
    public List<List<Action>> plan(PipelineShape shape) {
        require("rows, one for each rank", table.rows().size(), "ranks in the pipeline", shape.ranks());
        require("chunks on each rank", table.chunks(), "chunks", shape.chunks());
        require("microbatches", table.microbatches(), "microbatches in a step", shape.microbatches());
        table.requireWholeRows();
        requireNoDeadlock(shape);
        return table.actions();
    }

    /** Adds the file name to the deadlock that the plan's own check finds. */
    private void requireNoDeadlock(PipelineShape shape) {
        try {
            PipelinePlan.of(new Unchecked(this), shape.ranks(), shape.microbatches());
        } catch (ConfigurationException deadlock) {
            throw new ConfigurationException(
                    "schedule csv: " + table.source() + ": " + deadlock.getMessage() + "; change the order", deadlock);
        }
    }

    private record Unchecked(CsvSchedule schedule) implements PipelineSchedule {
        @Override
        public int chunks() {
            return schedule.chunks();
        }

        @Override
        public int stage(PipelineShape shape, int rank, int chunk) {
            return schedule.stage(shape, rank, chunk);
        }

        @Override
        public boolean fusesBackward() {
            return schedule.fusesBackward();
        }

        @Override
        public List<List<Action>> plan(PipelineShape shape) {
            return schedule.table().actions();
        }
    }

    private void require(String what, int has, String wanted, int needed) {
        if (has != needed) {
            throw new ConfigurationException("schedule csv: " + table.source() + " has " + has + " " + what
                    + ", but there are " + needed + " " + wanted);
        }
    }
}
