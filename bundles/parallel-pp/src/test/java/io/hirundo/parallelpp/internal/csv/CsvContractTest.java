package io.hirundo.parallelpp.internal.csv;

import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.schedule.ScheduleContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a schedule from a table, which has a plan for one shape. */
@HirundoContract
class CsvContractTest implements ScheduleContract {
    @TempDir
    private Path folder;

    private Path table;

    @BeforeEach
    void write() throws IOException {
        table = Files.writeString(
                folder.resolve("1f1b.csv"), "F0,F1,B0,W0,F2,B1,W1,B2,W2\nF0,B0,W0,F1,B1,W1,F2,B2,W2\n");
    }

    @Override
    public PipelineSchedule schedule() {
        return new CsvFactory().create(new CsvOptions(table.toString(), ChunkPlacement.LOOP, true));
    }

    @Override
    public boolean supports(PipelineShape shape) {
        return shape.equals(new PipelineShape(2, 1, 3));
    }

    @Override
    public int mostLiveActivations(PipelineShape shape, int rank) {
        return 2 - rank;
    }
}
