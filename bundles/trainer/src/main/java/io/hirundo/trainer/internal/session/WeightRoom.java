package io.hirundo.trainer.internal.session;

import io.hirundo.DeviceException;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.layer.RankLayers;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whether the weights that the layers of another precision read fit next to what a rank holds. */
final class WeightRoom {
  private WeightRoom() {}

  /**
   * Allocates and frees what these weights take in addition. Collective-free.
   *
   * @throws DeviceException if there is no room; says so if the reason is that layers read complete weights in FP32
   */
  static void require(ShardedParameters sharded, RankLayers layers) {
    try {
      sharded.rehearse(layers.weightTypes(), layers.codings());
    } catch (DeviceException failure) {
      List<Parameter> all = sharded.parameters();
      long inFp32 = all.stream().filter(parameter -> isReadInFp32(parameter, layers)).mapToLong(WeightRoom::elements).sum();
      if (inFp32 == 0) {
        throw failure;
      }
      throw new DeviceException(
          String.format(
              Locale.ROOT,
              "precision: its layers read complete weights in FP32, 4 bytes for %,d of this rank's %,d parameters%s, which do not fit next to what the"
                  + " rank holds (%s); take a precision whose layers read BF16 or quantized weights, or %s",
              inFp32, all.stream().mapToLong(WeightRoom::elements).sum(), sharded.keepsWeights() ? "" : " while their block works",
              failure.getMessage(), sharded.keepsWeights() ? "change mesh.dataParallel to fsdp first" : "set mesh.dataParallel.options.overlap=false first"),
          failure);
    }
  }

  private static boolean isReadInFp32(Parameter parameter, RankLayers layers) {
    String name = parameter.spec().name();
    Map<String, DType> types = layers.weightTypes();
    return types.get(name) == DType.FP32 && !layers.codings().containsKey(name);
  }

  private static long elements(Parameter parameter) {
    return parameter.spec().shape().elements();
  }
}
