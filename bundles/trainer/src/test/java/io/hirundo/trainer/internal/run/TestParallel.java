package io.hirundo.trainer.internal.run;

import io.hirundo.commlocal.internal.LocalFactory;
import io.hirundo.commlocal.internal.LocalOptions;
import io.hirundo.mesh.Fabric;
import io.hirundo.parallelcp.internal.OverlapOptions;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.paralleldp.internal.Zero1Factory;
import io.hirundo.paralleldp.internal.Zero1Options;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.paralleltp.internal.ColumnRowFactory;
import io.hirundo.paralleltp.internal.ColumnRowOptions;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.NoOptions;

/** The real parallel strategies with their defaults. */
final class TestParallel {
  private TestParallel() {}

  static Strategies.Parallel defaults() {
    return with(fabric(), new OneForwardOneBackwardFactory().create(new NoOptions()));
  }

  static Fabric fabric() {
    return new LocalFactory().create(new LocalOptions());
  }

  static Strategies.Parallel with(Fabric fabric, PipelineSchedule schedule) {
    return new Strategies.Parallel(
        fabric,
        schedule,
        new ColumnRowFactory().create(new ColumnRowOptions()),
        new RingFactory().create(new OverlapOptions()),
        new Zero1Factory().create(new Zero1Options()));
  }
}
