package __package__;

import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.LayerContract;
import io.hirundo.testkit.layer.LayerCase;
import io.hirundo.testkit.layer.LayerKind;
import java.util.List;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of layers, for the kinds that the strategy makes: every split computes what one rank computes. Add a kind for each provider
 * that you add; without names, all kinds of the API are tested.
 */
@ParameterizedClass
@EnumSource(names = {"QUERY_KEY_VALUE_PROJECTION", "OUTPUT_PROJECTION", "DOWN_PROJECTION_IN_HALVES"})
@HirundoContract
record __Name__SplitTest(LayerKind kind) implements LayerContract {
  @Override
  public LayerCase<?> layer() {
    return kind.layer();
  }

  @Override
  public List<LayerProvider<?, ?>> providers() {
    return PlainProviders.all();
  }

  /** Without sequence parallelism, whatever the argument. */
  @Override
  public TensorParallel tensorParallel(boolean sequenceParallel) {
    return new __Name__Factory().create(new __Name__Options());
  }
}
