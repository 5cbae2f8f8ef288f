package io.hirundo.checkpointdcp.internal.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.fixture.Way;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetentionTest {
    private static List<CheckpointName> steps(long... newestFirst) {
        return Arrays.stream(newestFirst)
                .mapToObj(step -> new CheckpointName(step, 0))
                .toList();
    }

    @Test
    void keepsTheNewest() {
        assertEquals(steps(30, 20, 10), new Retention(2, 0).superfluous(steps(50, 40, 30, 20, 10)));
        assertEquals(List.of(), new Retention(6, 0).superfluous(steps(50, 40, 30, 20, 10)));
    }

    @Test
    void keepsRoundStepsOfAnyAge() {
        assertEquals(steps(70, 50, 30), new Retention(1, 40).superfluous(steps(90, 80, 70, 50, 40, 30, 0)));
        // A round one among the newest is one of them.
        assertEquals(steps(60, 50), new Retention(2, 40).superfluous(steps(80, 70, 60, 50, 40)));
    }

    @Test
    void keepsTheLastOfTheSameStep() {
        var names = Stream.of(2, 1, 0)
                .map(revision -> new CheckpointName(40, revision))
                .toList();
        assertEquals(names.subList(1, 3), new Retention(3, 40).superfluous(names));
    }

    @ParameterizedTest
    @EnumSource
    void saveAppliesRetention(Way way, @TempDir Path folder) {
        try (var session = way.open(folder, ThreadWorld.alone(), new Retention(2, 30), new DiskOperations())) {
            for (int step = 10; step <= 80; step += 10) {
                session.save(States.state(step, step)).awaitDurable();
            }
            assertEquals(
                    List.of(80L, 70L, 60L, 30L),
                    session.list().stream().map(CheckpointInfo::step).toList());
            States.assertLoads(session, session.list().getLast(), 30);
        }
    }
}
