package io.hirundo.checkpointdcp.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Checkpoint strategy {@code dcp-async}: training waits until its state is in host memory, and goes on while it is written. */
@Component
@HirundoStrategy(kind = "checkpoint", name = "dcp-async")
public final class AsyncFactory implements StrategyFactory<AsyncOptions, CheckpointStrategy> {
  private final String createdBy;

  @Activate
  public AsyncFactory(BundleContext context) {
    this.createdBy = context.getBundle().getSymbolicName() + " " + context.getBundle().getVersion();
  }

  @Override
  public Class<AsyncOptions> optionsType() {
    return AsyncOptions.class;
  }

  @Override
  public Class<CheckpointStrategy> contract() {
    return CheckpointStrategy.class;
  }

  @Override
  public CheckpointStrategy create(AsyncOptions options) {
    OptionsCheck.check("dcp-async", options.retention(), options.chunkBytes());
    if (options.stagingBytes() < 2L * options.chunkBytes()) {
      throw new ConfigurationException(
          "checkpoint dcp-async: stagingBytes is " + options.stagingBytes() + ", but must hold two chunks of "
              + options.chunkBytes());
    }
    if (options.timeoutSeconds() < 1) {
      throw new ConfigurationException(
          "checkpoint dcp-async: timeoutSeconds is " + options.timeoutSeconds() + ", but must be at least 1");
    }
    return context -> DcpSession.async(context, options, createdBy, new DiskOperations());
  }
}
