package io.hirundo.checkpointhf.internal;

import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.support.LlamaChoice;
import io.hirundo.checkpoint.support.LlamaTensors;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A Llama of odd sizes with seeded weights, which every floating type holds exactly: small multiples of 1/64. */
final class TinyLlama {
  static final int HIDDEN = 12;
  static final int VOCABULARY = 37;

  private TinyLlama() {}

  static Choice architecture(boolean tied) {
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("vocabSize", VOCABULARY);
    options.put("hiddenSize", HIDDEN);
    options.put("intermediateSize", 17);
    options.put("numHiddenLayers", 2);
    options.put("numAttentionHeads", 3);
    options.put("numKeyValueHeads", 1);
    options.put("headDim", 4);
    options.put("maxPositionEmbeddings", 64);
    options.put("rmsNormEps", 1e-5);
    options.put("ropeTheta", 500000.0);
    options.put("ropeScaling", null);
    options.put("tieWordEmbeddings", tied);
    options.put("initializerRange", 0.02);
    return new Choice("llama", options);
  }

  static Map<String, Shape> shapes(boolean tied) {
    return LlamaTensors.of(LlamaChoice.read(architecture(tied)));
  }

  static double[] values(String name, Shape shape) {
    var random = new Random(name.hashCode());
    return random.doubles(shape.elements()).map(value -> Math.floor(value * 256 - 128) / 64).toArray();
  }

  static List<ModelPart> parts(boolean tied, DType dtype) {
    var parts = new ArrayList<ModelPart>();
    shapes(tied).forEach((name, shape) -> parts.add(part(name, shape, dtype)));
    return parts;
  }

  static ModelPart part(String name, Shape shape, DType dtype) {
    return new ModelPart(name, shape, dtype, host -> fill(host, dtype, values(name, shape)));
  }

  static void fill(MemorySegment host, DType dtype, double[] values) {
    for (int i = 0; i < values.length; i++) {
      switch (dtype) {
        case FP64 -> host.setAtIndex(ValueLayout.JAVA_DOUBLE, i, values[i]);
        case FP32 -> host.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) values[i]);
        case BF16 -> host.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (Float.floatToIntBits((float) values[i]) >>> 16));
        case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalArgumentException();
      }
    }
  }

  static double[] values(MemorySegment host, DType dtype, int count) {
    var values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] =
          switch (dtype) {
            case FP64 -> host.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            case FP32 -> host.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            case BF16 -> Float.intBitsToFloat(host.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16);
            case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalArgumentException();
          };
    }
    return values;
  }
}
