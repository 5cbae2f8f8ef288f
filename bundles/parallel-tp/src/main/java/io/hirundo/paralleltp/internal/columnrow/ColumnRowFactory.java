package io.hirundo.paralleltp.internal.columnrow;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.transformer.LogitChunks;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Tensor-parallel strategy {@code column-row}. */
@Component
@HirundoStrategy(kind = "tensor-parallel", name = "column-row")
public final class ColumnRowFactory implements StrategyFactory<ColumnRowOptions, TensorParallel> {
    @Override
    public TensorParallel create(ColumnRowOptions options) {
        if (options.splits() < 1) {
            throw new ConfigurationException(
                    "tensor-parallel column-row: splits: " + options.splits() + " is wrong (allowed: at least 1)");
        }
        return new ColumnRow(options, LogitChunks::tokens);
    }
}
