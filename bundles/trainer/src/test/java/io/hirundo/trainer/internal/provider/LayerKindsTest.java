package io.hirundo.trainer.internal.provider;

import io.hirundo.commlocal.internal.collective.LocalOptions;
import io.hirundo.commlocal.internal.fabric.LocalFactory;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.mesh.Fabric;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.parameter.Initialization;
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
import io.hirundo.testkit.layer.LayerDrives;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Nested;

/** The kinds of layers of the API, with {@code column-row} and {@code ring}. */
class LayerKindsTest {
  private static final Initialization NORMAL = Initialization.normal(0.02);
  private static final long HIDDEN = 6;
  private static final long INNER = 12;
  private static final long VOCABULARY = 12;

  /** Four ranks share two key/value heads. */
  private static final Heads HEADS = new Heads(4, 2, 4);

  private static final Dim QUERY_HEADS = Dims.queryHeads(HEADS.query());
  private static final List<Dim> QUERY = List.of(QUERY_HEADS, Dims.head(HEADS.dim()));
  private static final List<Dim> KEY = List.of(Dims.keyValueHeads(HEADS.keyValue(), QUERY_HEADS), Dims.head(HEADS.dim()));

  interface OurKind extends LayerContract {
    @Override
    default List<LayerProvider<?, ?>> providers() {
      return PlainProviders.all();
    }

    @Override
    default TensorParallel tensorParallel(boolean sequenceParallel) {
      return new ColumnRowFactory().create(new ColumnRowOptions(sequenceParallel, true, true, true, true, 2, true));
    }

    @Override
    default Optional<ContextParallel> contextParallel() {
      return Optional.of(new RingFactory().create(new OverlapOptions()));
    }

    @Override
    default Fabric fabric() {
      return new LocalFactory().create(new LocalOptions());
    }
  }

  @Nested
  @HirundoContract
  class QueryKeyValueProjection implements OurKind {
    @Override
    public LayerCase<?> layer() {
      var parts = List.of(new LinearPart("q.weight", QUERY), new LinearPart("k.weight", KEY), new LinearPart("v.weight", KEY));
      return new LayerCase<>(LayerSpec.Linear.fromResidual("qkv", parts, HIDDEN, NORMAL), LayerDrives.linear());
    }
  }

  @Nested
  @HirundoContract
  class OutputProjection implements OurKind {
    @Override
    public LayerCase<?> layer() {
      return new LayerCase<>(LayerSpec.Linear.toResidual("o", "o.weight", QUERY, HIDDEN, NORMAL), LayerDrives.linear());
    }
  }

  @Nested
  @HirundoContract
  class DownProjectionInHalves implements OurKind {
    @Override
    public LayerCase<?> layer() {
      var inner = List.of(Dims.inner(INNER));
      return new LayerCase<>(LayerSpec.Linear.toResidual("down", "down.weight", inner, HIDDEN, NORMAL), LayerDrives.linearInHalves());
    }
  }

  @Nested
  @HirundoContract
  class BiasOfQueryKeyValue implements OurKind {
    @Override
    public LayerCase<?> layer() {
      var bias = new LayerSpec.Bias("qkv.bias", List.of("q.bias", "k.bias", "v.bias"), Activation.inside(QUERY, KEY, KEY));
      return new LayerCase<>(bias, LayerDrives.bias());
    }
  }

  @Nested
  @HirundoContract
  class BiasOfResidualStream implements OurKind {
    @Override
    public LayerCase<?> layer() {
      return new LayerCase<>(new LayerSpec.Bias("o.bias", Activation.residual(HIDDEN)), LayerDrives.bias());
    }
  }

  @Nested
  @HirundoContract
  class NormOfResidualStream implements OurKind {
    @Override
    public LayerCase<?> layer() {
      return new LayerCase<>(new LayerSpec.Norm("norm.weight", Activation.residual(HIDDEN), 1e-5, 1), LayerDrives.norm(HIDDEN));
    }
  }

  @Nested
  @HirundoContract
  class NormOfSum implements OurKind {
    @Override
    public LayerCase<?> layer() {
      return new LayerCase<>(new LayerSpec.Norm("norm.weight", Activation.residual(HIDDEN), 1e-5), LayerDrives.residualNorm(HIDDEN));
    }
  }

  @Nested
  @HirundoContract
  class NormOfKeys implements OurKind {
    @Override
    public LayerCase<?> layer() {
      return new LayerCase<>(new LayerSpec.Norm("k_norm.weight", Activation.inside(KEY), 1e-5), LayerDrives.norm(HEADS.dim()));
    }
  }

  @Nested
  @HirundoContract
  class GatedMlp implements OurKind {
    @Override
    public LayerCase<?> layer() {
      return new LayerCase<>(new LayerSpec.GatedMlp("mlp", INNER, GateActivation.GELU_TANH), LayerDrives.gatedMlp());
    }
  }

  @Nested
  @HirundoContract
  class Attention implements OurKind {
    @Override
    public LayerCase<?> layer() {
      var options = AttentionOptions.NONE.withSoftCap(2).withWindow(3);
      return new LayerCase<>(new LayerSpec.Attention("attention", HEADS, List.of(1.0, 0.3), 8, options), LayerDrives.attention());
    }
  }

  @Nested
  @HirundoContract
  class Embedding implements OurKind {
    @Override
    public LayerCase<?> layer() {
      return new LayerCase<>(new LayerSpec.Embedding("embed.weight", VOCABULARY, HIDDEN, NORMAL, 2.5), LayerDrives.embedding());
    }
  }

  @Nested
  @HirundoContract
  class LossHead implements OurKind {
    @Override
    public LayerCase<?> layer() {
      var head = new LayerSpec.LossHead("head.weight", VOCABULARY, HIDDEN, NORMAL, OptionalDouble.of(3));
      return new LayerCase<>(head, LayerDrives.lossHead());
    }
  }
}
