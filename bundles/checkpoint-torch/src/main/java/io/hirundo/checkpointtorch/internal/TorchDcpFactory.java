package io.hirundo.checkpointtorch.internal;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpointtorch.internal.model.TorchDcpOptions;
import io.hirundo.family.ModelFamily;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Model format {@code torch-dcp}, of all installed model families. */
@Component
@HirundoStrategy(kind = "model-format", name = "torch-dcp")
public final class TorchDcpFactory implements StrategyFactory<TorchDcpOptions, ModelFormat> {
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  private volatile List<ModelFamily<?>> families = List.of();

  @Activate
  public TorchDcpFactory() {}

  /** With these families. */
  public TorchDcpFactory(List<ModelFamily<?>> families) {
    this.families = List.copyOf(families);
  }

  @Override
  public Class<TorchDcpOptions> optionsType() {
    return TorchDcpOptions.class;
  }

  @Override
  public Class<ModelFormat> contract() {
    return ModelFormat.class;
  }

  @Override
  public ModelFormat create(TorchDcpOptions options) {
    return new TorchDcpFormat(options, () -> families);
  }
}
