package io.hirundo.parallelpp.internal.csv;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.nio.file.Path;
import org.osgi.service.component.annotations.Component;

/** Schedule {@code csv}: read from a user's table. */
@Component
@HirundoStrategy(kind = "schedule", name = "csv")
public final class CsvFactory implements StrategyFactory<CsvOptions, PipelineSchedule> {
    @Override
    public PipelineSchedule create(CsvOptions options) {
        if (options.file() == null) {
            throw new ConfigurationException("schedule csv: file is missing; give the path of a table");
        }
        var table = CsvTable.read(Path.of(options.file()));
        if (options.placement() == ChunkPlacement.V && table.chunks() != 2) {
            throw new ConfigurationException("schedule csv: placement v is for 2 chunks on each rank, but "
                    + table.source() + " has " + table.chunks());
        }
        return new CsvSchedule(table, options.placement(), options.fuseBackward());
    }
}
