package io.hirundo.trainer.internal.layer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.LossKernels;
import io.hirundo.kernel.NormKernels;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.accounting.AccountedLedger;
import io.hirundo.trainer.internal.fixture.BiasModel;
import io.hirundo.trainer.internal.fixture.TestParallel;
import io.hirundo.trainer.internal.layout.StageRequest;
import io.hirundo.trainer.internal.model.RankModel;
import io.hirundo.trainer.internal.rank.Rank;
import io.hirundo.trainer.internal.strategy.Strategies;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A device without the kernels that a model needs rejects the model when its layers are created, and names what it lacks. */
class MissingKernelsTest {
  private static final BiasModel MODEL = new BiasModel(97, 24, 40, new Heads(4, 2, 16), 2, 32, BiasModel.Options.all(7));

  @ParameterizedTest
  @ValueSource(classes = {BiasKernels.class, SoftCapKernels.class})
  void namesTheFamily(Class<?> missing) {
    String message = rejection(missing);
    assertTrue(message.startsWith("device: "), message);
    assertTrue(message.contains(" has no " + missing.getSimpleName() + ", which layer "), message);
  }

  @ParameterizedTest
  @ValueSource(classes = AttentionKernels.class)
  void namesTheOptionsOfAttention(Class<?> missing) {
    String message = rejection(missing);
    assertTrue(message.contains("has no attention kernels for scale "), message);
    assertTrue(message.contains(", window 7; choose"), message);
  }

  @ParameterizedTest
  @ValueSource(classes = GatedMlpKernels.class)
  void namesTheActivation(Class<?> missing) {
    String message = rejection(missing);
    assertTrue(message.contains("has no kernels for activation GELU_TANH, which layer "), message);
  }

  private static String rejection(Class<?> missing) {
    var ledger = new AccountedLedger(Long.MAX_VALUE);
    var backend = without(missing);
    var parallel = TestParallel.defaults();
    try (var rank = Rank.alone(backend, parallel.fabric(), ledger)) {
      Map<MemoryCategory, Long> before = Map.copyOf(ledger.liveBytes());
      var compute = new Strategies.Compute(backend, new Fp32Factory().create(new NoOptions()));
      String message =
          assertThrows(ConfigurationException.class, () -> RankModel.open(rank, compute, parallel, MODEL, StageRequest.ONE_STAGE)).getMessage();
      assertEquals(before, ledger.liveBytes(), "the rejected model leaves no memory behind");
      return message;
    }
  }

  /** The CPU, without some kernels. */
  private static ComputeBackend without(Class<?> missing) {
    ComputeBackend cpu = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    UnaryOperator<Object> bare = kernels -> new Bare((Kernels) kernels, missing);
    return replacing(ComputeBackend.class, cpu, "open", device -> replacing(Device.class, (Device) device, "kernels", bare));
  }

  private static <T> T replacing(Class<T> type, T target, String name, UnaryOperator<Object> replaced) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(target, arguments);
                return method.getName().equals(name) ? replaced.apply(result) : result;
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            }));
  }

  /** Kernels without a family, or with attention that takes no options. */
  private record Bare(Kernels base, Class<?> missing) implements Kernels {
    @Override
    public GemmKernels gemm() {
      return base.gemm();
    }

    @Override
    public NormKernels norm() {
      return base.norm();
    }

    @Override
    public AttentionKernels attention() {
      return missing == AttentionKernels.class
          ? replacing(AttentionKernels.class, base.attention(), "supports", any -> false)
          : base.attention();
    }

    @Override
    public GatedMlpKernels gatedMlp() {
      return missing == GatedMlpKernels.class
          ? replacing(GatedMlpKernels.class, base.gatedMlp(), "supports", any -> false)
          : base.gatedMlp();
    }

    @Override
    public EmbeddingKernels embedding() {
      return base.embedding();
    }

    @Override
    public LossKernels loss() {
      return base.loss();
    }

    @Override
    public OptimizerKernels optimizer() {
      return base.optimizer();
    }

    @Override
    public ElementwiseKernels elementwise() {
      return base.elementwise();
    }

    @Override
    public Optional<BiasKernels> bias() {
      return missing == BiasKernels.class ? Optional.empty() : base.bias();
    }

    @Override
    public Optional<SoftCapKernels> softCap() {
      return missing == SoftCapKernels.class ? Optional.empty() : base.softCap();
    }
  }
}
