package __package__;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.schedule.ScheduleContract;
import org.junit.jupiter.api.Test;

/** The contract of a pipeline schedule, one test per clause; and a test of the check of its own. */
@HirundoContract
class __Name__ScheduleTest implements ScheduleContract {
    private static final int EAGERNESS = 2;

    @Override
    public PipelineSchedule schedule() {
        return new __Name__Factory().create(new __Name__Options(EAGERNESS));
    }

    /** The claims of memory and time. A schedule that does not support every shape overrides supports() too. */
    @Override
    public int mostLiveActivations(PipelineShape shape, int rank) {
        return Math.min(EAGERNESS * (shape.ranks() - rank - 1) + 1, shape.microbatches());
    }

    @Override
    public double mostBubble(PipelineShape shape) {
        return (shape.ranks() - 1.0) / shape.microbatches();
    }

    @Test
    void rejectsSeveralChunks() {
        var failure =
                assertThrows(ConfigurationException.class, () -> schedule().plan(new PipelineShape(2, 3, 4)));
        assertTrue(failure.getMessage().contains("one model chunk per rank, not 3"), failure.getMessage());
    }
}
