package io.hirundo.trainer.internal.session;

import io.hirundo.DeviceException;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.layer.RankLayers;
import java.util.List;
import java.util.Locale;

/**
 * Whether the weights that the layers of another precision read fit next to what a rank holds.
 *
 * @param dataParallel the strategy that gathers them, with its options
 * @param shardSize ranks that share one copy of the weights
 */
record WeightMemoryCheck(Choice dataParallel, int shardSize) {
  private static final String OPTIONS = "mesh.dataParallel.options.";
  private static final String GATHER_QUANTIZED = "gatherCodes";
  private static final String OVERLAP = "overlap";

  /**
   * Allocates and frees what these weights take in addition. No collectives.
   *
   * @throws DeviceException if there is not enough memory; says so if the reason is that layers read complete weights in FP32
   */
  void require(ShardedParameters sharded, RankLayers layers) {
    try {
      sharded.rehearse(layers.weightTypes(), layers.codings());
    } catch (DeviceException failure) {
      List<Parameter> all = sharded.parameters();
      long inFp32 = elements(all.stream().filter(parameter -> isGatheredInFp32(parameter, layers)).toList());
      // A single rank reads its master weights, without a copy.
      if (inFp32 == 0 || shardSize == 1) {
        throw failure;
      }
      throw new DeviceException(
          String.format(
              Locale.ROOT,
              "precision: its layers read complete weights in FP32, 4 bytes for %,d of this rank's %,d parameters%s, which do not fit next to what the"
                  + " rank holds (%s); take a precision whose layers read BF16 or quantized weights%s",
              inFp32, elements(all), sharded.keepsWeights() ? "" : " while their block works", failure.getMessage(),
              otherRemedy(sharded.keepsWeights(), !layers.codings().isEmpty())),
          failure);
    }
  }

  private boolean isGatheredInFp32(Parameter parameter, RankLayers layers) {
    String name = parameter.spec().name();
    boolean isQuantized = isOn(GATHER_QUANTIZED) && layers.codings().containsKey(name);
    return layers.weightTypes().get(name) == DType.FP32 && !isQuantized;
  }

  private String otherRemedy(boolean keepsWeights, boolean canQuantize) {
    if (canQuantize && !isOn(GATHER_QUANTIZED)) {
      return ", or set " + OPTIONS + GATHER_QUANTIZED + "=true first";
    }
    if (keepsWeights) {
      return ", or change mesh.dataParallel to fsdp first";
    }
    return isOn(OVERLAP) ? ", or set " + OPTIONS + OVERLAP + "=false first" : "";
  }

  /** Both options are on unless a configuration says otherwise. */
  private boolean isOn(String option) {
    return !Boolean.FALSE.equals(dataParallel.options().get(option));
  }

  private static long elements(List<Parameter> parameters) {
    return parameters.stream().mapToLong(parameter -> parameter.spec().shape().elements()).sum();
  }
}
