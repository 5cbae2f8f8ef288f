package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.CudaTensor;
import io.hirundo.devicecuda.internal.Launch;
import io.hirundo.devicecuda.internal.Modules;
import io.hirundo.devicecuda.internal.SaidOnce;
import io.hirundo.kernel.AttentionShape;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The kernels with tensor cores of {@code attention_bf16.cu} and {@code attention_backward_bf16.cu}: a block for 128 rows. */
enum TiledAttention {
  FORWARD("attention_bf16"),
  DELTA("attention_backward_bf16"),
  KEYS("attention_backward_bf16"),
  QUERIES("attention_backward_bf16");

  private static final List<Integer> CHANNELS = List.of(64, 128);
  private static final int BF16_BYTES = 2;
  private static final int ROWS = 128;

  private final String file;

  TiledAttention(String file) {
    this.file = file;
  }

  /** Whether they take these operands, all of a type; what keeps BF16 from them is said once. */
  static boolean takes(SaidOnce log, int channels, Stream<CudaTensor> operands) {
    List<CudaTensor> all = operands.toList();
    if (all.getFirst().dtype() != DType.BF16) {
      return false;
    }
    String slow = "attention in BF16 takes the naive kernels, which are slow: ";
    if (!CHANNELS.contains(channels)) {
      log.info(slow + "heads have " + channels + " channels, those with tensor cores are for one of " + CHANNELS);
      return false;
    }
    if (!all.stream().allMatch(tensor -> tensor.isAligned())) {
      log.info(slow + "an operand does not begin at a multiple of " + CudaTensor.ALIGNMENT_BYTES + " bytes");
      return false;
    }
    return true;
  }

  /** Begins a launch. */
  Launch launch(Modules modules, Queue queue, int channels) {
    return modules.launch(queue, file, name().toLowerCase(Locale.ROOT) + "_" + channels).shared(sharedBytes(channels));
  }

  /** As the kernels' files say: rows of BF16 that stay, two tiles each of two operands that go by, L and delta. */
  private int sharedBytes(int channels) {
    return switch (this) {
      case FORWARD -> BF16_BYTES * (ROWS * channels + 4 * 8192);
      case DELTA -> 0;
      case KEYS -> BF16_BYTES * (2 * ROWS * channels + 4 * 64 * channels) + 4 * 64 * Float.BYTES;
      case QUERIES -> BF16_BYTES * (2 * ROWS * channels + 4 * 4096);
    };
  }

  /** Ends a launch. */
  void run(Launch launch, AttentionShape shape) {
    boolean ofKeys = this == KEYS;
    int channels = shape.heads().dim();
    long heads = ofKeys ? shape.heads().keyValue() : shape.heads().query();
    long tiles = Math.ceilDiv(ofKeys ? shape.keyTokens() : shape.queryTokens(), ROWS);
    launch.run(shape.sequences() * heads * tiles, ofKeys ? 2 * channels : 128);
  }
}
