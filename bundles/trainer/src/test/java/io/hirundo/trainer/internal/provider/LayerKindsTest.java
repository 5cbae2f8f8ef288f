package io.hirundo.trainer.internal.provider;

import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.parallelcp.internal.OverlapOptions;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowFactory;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowOptions;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.LayerContract;
import io.hirundo.testkit.layer.LayerCase;
import io.hirundo.testkit.layer.LayerKind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The kinds of layers of the API, with {@code column-row} and {@code ring}. */
@ParameterizedClass
@EnumSource
@HirundoContract
record LayerKindsTest(LayerKind kind) implements LayerContract {
  @Override
  public LayerCase<?> layer() {
    return kind.layer();
  }

  @Override
  public List<LayerProvider<?, ?>> providers() {
    return PlainProviders.all();
  }

  @Override
  public TensorParallel tensorParallel(boolean sequenceParallel) {
    return new ColumnRowFactory().create(new ColumnRowOptions(sequenceParallel, true, true, true, true, 2, true));
  }

  @Override
  public Optional<ContextParallel> contextParallel() {
    return Optional.of(new RingFactory().create(new OverlapOptions()));
  }
}
