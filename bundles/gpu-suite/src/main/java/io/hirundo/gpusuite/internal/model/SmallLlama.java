package io.hirundo.gpusuite.internal.model;

import io.hirundo.strategy.Choice;
import java.util.Map;

/**
 * A Llama with grouped heads, and how much of a step it gets.
 *
 * @param hidden channels
 * @param headChannels of them, of a head
 * @param intermediate inner channels of the MLP
 * @param sequences of a step, one microbatch each
 */
public record SmallLlama(int vocabulary, int hidden, int headChannels, int intermediate, int layers, int sequences, int sequenceTokens) {
  /**
   * Parts of blocks at the ends of rows and columns, which are yet multiples of 16, as cuBLASLt wants them; a scalar reference does a
   * step of it in seconds.
   */
  public static final SmallLlama COMPARED = new SmallLlama(320, 256, 64, 384, 2, 2, 48);

  /** Large enough that a GPU has work to do. */
  public static final SmallLlama TRAINED = new SmallLlama(1024, 512, 64, 1408, 4, 8, 256);

  /** The same with smaller or larger heads, and so more or fewer. */
  SmallLlama withHeads(int channels) {
    return new SmallLlama(vocabulary, hidden, channels, intermediate, layers, sequences, sequenceTokens);
  }

  public Map<String, Object> configuration(Choice device, String precision, int steps) {
    int heads = hidden / headChannels;
    var architecture =
        Map.<String, Object>of(
            "vocabSize", vocabulary,
            "hiddenSize", hidden,
            "intermediateSize", intermediate,
            "numHiddenLayers", layers,
            "numAttentionHeads", heads,
            "numKeyValueHeads", heads / 2,
            "maxPositionEmbeddings", sequenceTokens);
    return new SyntheticRun(architecture, sequences, sequenceTokens).configuration(device, precision, steps);
  }
}
