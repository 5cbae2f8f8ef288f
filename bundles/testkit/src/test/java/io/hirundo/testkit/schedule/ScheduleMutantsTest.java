package io.hirundo.testkit.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each, and the clause that detects it. */
class ScheduleMutantsTest {
    /** More microbatches than this are rejected. */
    private static final int MOST = 24;

    @Test
    void soundScheduleKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(ScheduleMutantsTest.class, ScheduleContract.class);
    }

    /** All forwards, then all backwards. */
    private static List<List<Action>> gpipe(PipelineShape shape) {
        if (shape.microbatches() > MOST) {
            throw new ConfigurationException(
                    "schedule: " + shape.microbatches() + " microbatches are too many (allowed: " + MOST + ")");
        }
        return IntStream.range(0, shape.ranks())
                .<List<Action>>mapToObj(rank -> {
                    var actions = new ArrayList<Action>();
                    IntStream.range(0, shape.microbatches())
                            .forEach(microbatch -> actions.add(new Action(Kind.FORWARD, microbatch, 0)));
                    for (int microbatch = 0; microbatch < shape.microbatches(); microbatch++) {
                        actions.add(new Action(Kind.BACKWARD_INPUT, microbatch, 0));
                        actions.add(new Action(Kind.BACKWARD_WEIGHT, microbatch, 0));
                    }
                    return actions;
                })
                .toList();
    }

    @HirundoContract
    static class Sound implements ScheduleContract {
        @Override
        public PipelineSchedule schedule() {
            return ScheduleMutantsTest::gpipe;
        }

        @Override
        public boolean supports(PipelineShape shape) {
            return shape.microbatches() <= MOST;
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

    /** The plan cannot be checked further. */
    @Breaks({"everyActionOccursOnce", "noRankWaitsForEver", "activationsAreAsClaimed", "bubbleIsAsClaimed"})
    @HirundoContract
    static class LosesTheLastBackward extends Sound {
        @Override
        public PipelineSchedule schedule() {
            return shape -> {
                List<List<Action>> plan = gpipe(shape);
                plan.getLast().removeLast();
                return plan;
            };
        }
    }

    /** Each rank's own order is possible, but the first rank waits for the gradient of a microbatch that it sends later. */
    @Breaks({"noRankWaitsForEver", "activationsAreAsClaimed", "bubbleIsAsClaimed"})
    @HirundoContract
    static class RunsTheLastForwardAfterTheBackwardsOfTheOthers extends Sound {
        @Override
        public PipelineSchedule schedule() {
            return shape -> {
                List<List<Action>> plan = gpipe(shape);
                int count = shape.microbatches();
                if (shape.ranks() > 1 && count > 1) {
                    List<Action> first = plan.getFirst();
                    Action forward = first.remove(count - 1);
                    first.add(first.size() - 2, forward);
                }
                return plan;
            };
        }
    }

    @Breaks("activationsAreAsClaimed")
    @HirundoContract
    static class ClaimsTheMemoryOfOneForwardOneBackward extends Sound {
        @Override
        public int mostLiveActivations(PipelineShape shape, int rank) {
            return Math.min(shape.ranks() - rank, shape.microbatches());
        }
    }

    @Breaks("activationsAreAsClaimed")
    @HirundoContract
    static class ClaimsTooMuch extends Sound {
        @Override
        public int mostLiveActivations(PipelineShape shape, int rank) {
            return shape.microbatches() + 1;
        }
    }

    @Breaks("bubbleIsAsClaimed")
    @HirundoContract
    static class ClaimsTheBubbleOfZeroBubble extends Sound {
        @Override
        public double mostBubble(PipelineShape shape) {
            return super.mostBubble(shape) / 3;
        }
    }

    @Breaks("plansFollowFromTheShape")
    @HirundoContract
    static class Alternates extends Sound {
        @Override
        public PipelineSchedule schedule() {
            return new PipelineSchedule() {
                private boolean reverse;

                @Override
                public List<List<Action>> plan(PipelineShape shape) {
                    List<List<Action>> plan = gpipe(shape);
                    if (reverse) {
                        // Backward-weights last: as good, and another plan.
                        plan.forEach(actions -> actions.sort((a, b) ->
                                Boolean.compare(a.kind() == Kind.BACKWARD_WEIGHT, b.kind() == Kind.BACKWARD_WEIGHT)));
                    }
                    reverse = !reverse;
                    return plan;
                }
            };
        }
    }

    @Breaks("otherShapesAreRejected")
    @HirundoContract
    static class FailsWithAnIndex extends Sound {
        @Override
        public PipelineSchedule schedule() {
            return shape -> {
                if (shape.microbatches() > MOST) {
                    throw new IndexOutOfBoundsException(shape.microbatches());
                }
                return gpipe(shape);
            };
        }
    }
}
