package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.schedule.ScheduleContract;
import org.junit.jupiter.api.Nested;

/** The contract of each schedule, with the claims of the bundle's README. */
class ScheduleContractTest {
    @Nested
    @HirundoContract
    class OfGPipe implements ScheduleContract {
        @Override
        public PipelineSchedule schedule() {
            return new GPipe();
        }

        @Override
        public int mostLiveActivations(PipelineShape shape, int rank) {
            return shape.microbatches();
        }

        @Override
        public double mostBubble(PipelineShape shape) {
            return (shape.ranks() - 1.0) / shape.microbatches();
        }
    }

    @Nested
    @HirundoContract
    class OfOneForwardOneBackward implements ScheduleContract {
        @Override
        public PipelineSchedule schedule() {
            return new OneForwardOneBackward();
        }

        @Override
        public int mostLiveActivations(PipelineShape shape, int rank) {
            return Math.min(shape.ranks() - rank, shape.microbatches());
        }

        @Override
        public double mostBubble(PipelineShape shape) {
            return (shape.ranks() - 1.0) / shape.microbatches();
        }
    }

    /** The last group of 8 must have a microbatch for each rank. */
    @Nested
    @HirundoContract
    class OfInterleavedInGroups implements ScheduleContract {
        private static final int CHUNKS = 3;
        private static final int GROUP = 8;

        @Override
        public PipelineSchedule schedule() {
            return new Interleaved(CHUNKS, GROUP);
        }

        @Override
        public boolean supports(PipelineShape shape) {
            int last = shape.microbatches() % GROUP;
            return shape.microbatches() >= GROUP && (last == 0 || last >= shape.ranks());
        }

        @Override
        public int mostLiveActivations(PipelineShape shape, int rank) {
            return Math.min(2 * (shape.ranks() - rank - 1) + (CHUNKS - 1) * GROUP + 1, CHUNKS * shape.microbatches());
        }
    }

    @Nested
    @HirundoContract
    class OfInterleaved implements ScheduleContract {
        private static final int CHUNKS = 2;

        @Override
        public PipelineSchedule schedule() {
            return new Interleaved(CHUNKS, 0);
        }

        @Override
        public boolean supports(PipelineShape shape) {
            return shape.microbatches() % shape.ranks() == 0;
        }

        @Override
        public int mostLiveActivations(PipelineShape shape, int rank) {
            return Math.min(
                    2 * (shape.ranks() - rank - 1) + (CHUNKS - 1) * shape.ranks() + 1, CHUNKS * shape.microbatches());
        }

        @Override
        public double mostBubble(PipelineShape shape) {
            return (shape.ranks() - 1.0) / (CHUNKS * shape.microbatches());
        }
    }

    @Nested
    @HirundoContract
    class OfZeroBubbleH1 implements ScheduleContract {
        @Override
        public PipelineSchedule schedule() {
            return new ZeroBubbleH1();
        }

        @Override
        public int mostLiveActivations(PipelineShape shape, int rank) {
            return Math.min(shape.ranks(), shape.microbatches());
        }

        /** With fewer microbatches than ranks the README claims nothing. */
        @Override
        public double mostBubble(PipelineShape shape) {
            return shape.microbatches() < shape.ranks()
                    ? Double.POSITIVE_INFINITY
                    : (shape.ranks() - 1.0) / (3 * shape.microbatches());
        }
    }

    @Nested
    @HirundoContract
    class OfZeroBubbleV implements ScheduleContract {
        @Override
        public PipelineSchedule schedule() {
            return new ZeroBubbleV();
        }

        @Override
        public int mostLiveActivations(PipelineShape shape, int rank) {
            return 2 * shape.ranks();
        }

        @Override
        public double mostBubble(PipelineShape shape) {
            boolean enough = shape.microbatches() >= 2 * shape.ranks() - 1;
            return enough ? (shape.ranks() - 1.0) / (6 * shape.microbatches()) : Double.POSITIVE_INFINITY;
        }
    }
}
