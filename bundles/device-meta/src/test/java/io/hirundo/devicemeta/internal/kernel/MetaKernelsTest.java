package io.hirundo.devicemeta.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicemeta.internal.BookedLedger;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.kernel.AdamWCoefficients;
import io.hirundo.kernel.AttentionShape;
import io.hirundo.kernel.Heads;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.QueryKeyValue;
import io.hirundo.kernel.MatrixRun;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaleRule;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Operations and bytes, worked out by hand; every operand misshapen once. */
class MetaKernelsTest {
  private static final Heads HEADS = new Heads(6, 2, 4);

  /** Those that have the type of the call. */
  private static final int BACKWARD_OPERANDS = 8;

  private final BookedLedger ledger = new BookedLedger();
  private final Device device = new MetaFactory().create(new MetaOptions()).open(0, ledger);
  private final Kernels kernels = device.kernels();

  @AfterEach
  void close() {
    device.close();
  }

  private Tensor fp32(long... dims) {
    return tensor(DType.FP32, dims);
  }

  private Tensor tensor(DType dtype, long... dims) {
    return device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(dims), dtype);
  }

  private QueryKeyValue heads(long sequences, long queries, long keys) {
    return new QueryKeyValue(fp32(sequences, 6, queries, 4), fp32(sequences, 2, keys, 4), fp32(sequences, 2, keys, 4));
  }

  private void booked(String... work) {
    assertEquals(List.of(work), ledger.work);
  }

  private static void refused(String operand, Executable call) {
    var refusal = assertThrows(IllegalArgumentException.class, call);
    assertTrue(refusal.getMessage().startsWith(operand + " "), refusal.getMessage());
  }

  @Test
  void products() {
    kernels.gemm().multiplyNT(null, fp32(3, 5), fp32(7, 5), fp32(3, 7), false);
    kernels.gemm().multiplyNN(null, fp32(3, 5), fp32(5, 7), fp32(3, 7), false);
    kernels.gemm().multiplyTN(null, tensor(DType.BF16, 5, 3), fp32(5, 7), fp32(3, 7), true);
    booked(
        "gemm.multiplyNT 210 " + 4 * (15 + 35 + 21),
        "gemm.multiplyNN 210 " + 4 * (15 + 35 + 21),
        "gemm.multiplyTN 210 " + (2 * 15 + 4 * 35 + 4 * 21));
    refused("bNK", () -> kernels.gemm().multiplyNT(null, fp32(3, 5), fp32(7, 6), fp32(3, 7), false));
    refused("cMN", () -> kernels.gemm().multiplyNT(null, fp32(3, 5), fp32(7, 5), fp32(7, 3), false));
    refused("bKN", () -> kernels.gemm().multiplyNN(null, fp32(3, 5), fp32(6, 7), fp32(3, 7), false));
    refused("bKN", () -> kernels.gemm().multiplyTN(null, fp32(5, 3), fp32(6, 7), fp32(3, 7), false));
    refused("aMK", () -> kernels.gemm().multiplyNN(null, tensor(DType.FP64, 3, 5), fp32(5, 7), fp32(3, 7), false));
    refused(
        "bKN",
        () -> kernels.gemm().multiplyNN(null, tensor(DType.FP64, 3, 5), fp32(5, 7), tensor(DType.FP64, 3, 7), false));
  }

  @Test
  void norms() {
    var norm = kernels.norm();
    norm.forward(null, fp32(5, 3), fp32(3), 0, fp32(5, 3), fp32(5));
    norm.addForward(null, fp32(5, 3), fp32(5, 3), fp32(3), 0, fp32(5, 3), fp32(5, 3), fp32(5));
    norm.reapply(null, fp32(5, 3), fp32(3), fp32(5), fp32(5, 3));
    norm.backwardInput(null, fp32(5, 3), fp32(5, 3), fp32(3), fp32(5), null, fp32(5, 3));
    norm.backwardInput(null, fp32(5, 3), fp32(5, 3), fp32(3), fp32(5), fp32(5, 3), fp32(5, 3));
    norm.backwardWeight(null, fp32(5, 3), fp32(5, 3), fp32(5), fp32(3));
    booked(
        "norm.forward 60 " + 4 * (2 * 15 + 8),
        "norm.addForward 75 " + 4 * (4 * 15 + 8),
        "norm.reapply 30 " + 4 * (2 * 15 + 8),
        "norm.backwardInput 90 " + 4 * (3 * 15 + 8),
        "norm.backwardInput 105 " + 4 * (4 * 15 + 8),
        "norm.backwardWeight 45 " + 4 * (2 * 15 + 8));
    refused("weightC", () -> norm.forward(null, fp32(5, 3), fp32(5), 0, fp32(5, 3), fp32(5)));
    refused("inverseRmsT", () -> norm.forward(null, fp32(5, 3), fp32(3), 0, fp32(5, 3), fp32(3)));
    refused("yTC", () -> norm.reapply(null, fp32(5, 3), fp32(3), fp32(5), fp32(3, 5)));
    refused("deltaTC", () -> norm.addForward(null, fp32(5, 3), fp32(5), fp32(3), 0, fp32(5, 3), fp32(5, 3), fp32(5)));
    refused(
        "residualGradientTC",
        () -> norm.backwardInput(null, fp32(5, 3), fp32(5, 3), fp32(3), fp32(5), fp32(5, 4), fp32(5, 3)));
    refused(
        "inverseRmsT",
        () ->
            norm.backwardWeight(
                null, tensor(DType.FP64, 5, 3), tensor(DType.FP64, 5, 3), fp32(5), tensor(DType.FP64, 3)));
  }

  @Test
  void rotation() {
    var positions = tensor(DType.INT32, 10);
    var attention = kernels.attention();
    attention.splitAndRotate(null, HEADS, 2, fp32(10, 40), fp32(16, 2), fp32(16, 2), positions, heads(2, 5, 5));
    attention.rotateBackAndJoin(null, HEADS, 2, heads(2, 5, 5), fp32(16, 2), fp32(16, 2), positions, fp32(10, 40));
    // 10 tokens of 8 rotated heads of 2 pairs; fused rows and heads, two table rows of 2 a token, positions.
    long bytes = 4 * (400 + 400 + 40 + 10);
    booked("attention.splitAndRotate 960 " + bytes, "attention.rotateBackAndJoin 960 " + bytes);
    refused(
        "qkvTE",
        () -> attention.splitAndRotate(null, HEADS, 3, fp32(10, 40), fp32(16, 2), fp32(16, 2), positions, heads(2, 5, 5)));
    refused(
        "sinPD2",
        () -> attention.splitAndRotate(null, HEADS, 2, fp32(10, 40), fp32(16, 2), fp32(15, 2), positions, heads(2, 5, 5)));
    refused(
        "keyBGSD",
        () -> attention.splitAndRotate(null, HEADS, 2, fp32(10, 40), fp32(16, 2), fp32(16, 2), positions, heads(2, 5, 6)));
    refused(
        "positionsT",
        () -> attention.splitAndRotate(null, HEADS, 2, fp32(10, 40), fp32(16, 2), fp32(16, 2), fp32(10), heads(2, 5, 5)));
  }

  @Test
  void attention() {
    var shape = AttentionShape.causal(2, 5, HEADS);
    var attention = kernels.attention();
    attention.forward(null, shape, heads(2, 5, 5), fp32(10, 24), fp32(2, 6, 5));
    attention.backward(null, shape, fp32(10, 24), heads(2, 5, 5), fp32(10, 24), fp32(2, 6, 5), heads(2, 5, 5));
    // 2 sequences, 6 heads, 25 / 2 pairs, 4 channels, a multiply-add each, for 2 and 5 products.
    booked(
        "attention.forward " + 2 * 2 * 6 * 25 * 4 + " " + 4 * (400 + 240 + 60),
        "attention.backward " + 5 * 2 * 6 * 25 * 4 + " " + 4 * (400 + 240 + 60 + 240 + 400));
    refused("valueBGSD", () -> {
      var in = new QueryKeyValue(fp32(2, 6, 5, 4), fp32(2, 2, 5, 4), fp32(2, 6, 5, 4));
      attention.forward(null, shape, in, fp32(10, 24), fp32(2, 6, 5));
    });
    refused("outputTHD", () -> attention.forward(null, shape, heads(2, 5, 5), fp32(10, 8), fp32(2, 6, 5)));
    refused("logSumExpBHS", () -> attention.forward(null, shape, heads(2, 5, 5), fp32(10, 24), fp32(2, 2, 5)));
    refused(
        "gradient.keyBGSD",
        () -> attention.backward(null, shape, fp32(10, 24), heads(2, 5, 5), fp32(10, 24), fp32(2, 6, 5), heads(2, 5, 4)));
  }

  @Test
  void visiblePairsAreThoseOfTheMask() {
    for (int queries = 0; queries <= 5; queries++) {
      for (int keys = 0; keys <= 5; keys++) {
        for (int offset = -7; offset <= 7; offset++) {
          long expected = 0;
          for (int i = 0; i < queries; i++) {
            for (int j = 0; j < keys; j++) {
              expected += j < i + offset ? 2 : j == i + offset ? 1 : 0;
            }
          }
          var shape = new AttentionShape(1, queries, keys, HEADS, offset);
          assertEquals(expected, MetaAttention.halfPairs(shape), shape.toString());
        }
      }
    }
    assertEquals(1L << 40, MetaAttention.halfPairs(AttentionShape.causal(1, 1 << 20, HEADS)));
    assertEquals(2 * 3 * 4, MetaAttention.halfPairs(new AttentionShape(1, 3, 4, HEADS, Integer.MAX_VALUE)));
  }

  @Test
  void backwardTakesMemoryForSumsWhereTheDeviceDoes() {
    // Of two heads a tile each.
    assertEquals(128 + 2 * (64 * 64 * 4 + 128), takenByBackward(true, -1));
    assertEquals(0, takenByBackward(false, -1));
  }

  /** Other kernels take such operands. */
  @Test
  void whereAnOperandBeginsAnywhereBackwardTakesNone() {
    for (int operand = 0; operand < BACKWARD_OPERANDS; operand++) {
      assertEquals(0, takenByBackward(true, operand), "operand " + operand);
    }
  }

  /** The most workspace of a backward in BF16; {@code crooked}: which operand begins one element behind a border, -1 for none. */
  private static long takenByBackward(boolean sums, int crooked) {
    var most = new long[1];
    var peaks =
        new DeviceLedger() {
          @Override
          public void reserve(MemoryCategory category, long bytes) {
            most[0] = category == MemoryCategory.WORKSPACE ? Math.max(most[0], bytes) : most[0];
          }

          @Override
          public void release(MemoryCategory category, long bytes) {}

          @Override
          public void work(String kernel, long flops, long movedBytes) {}
        };
    Shape queries = Shape.of(1, 2, 5, 64);
    Shape keys = Shape.of(1, 1, 5, 64);
    Shape outputs = Shape.of(5, 128);
    List<Shape> shapes = List.of(queries, keys, keys, outputs, outputs, queries, keys, keys);
    assertEquals(BACKWARD_OPERANDS, shapes.size());
    try (Device summing = new MetaFactory().create(new MetaOptions("x", 64, 0, sums, 0, null)).open(0, peaks)) {
      var all = new ArrayList<Tensor>();
      for (Shape shape : shapes) {
        Tensor room = summing.allocate(MemoryCategory.ACTIVATIONS, Shape.of(8 + shape.elements()), DType.BF16);
        // Eight elements are 16 bytes.
        all.add(room.view(4, Shape.of(4 + shape.elements())).view(all.size() == crooked ? 3 : 4, shape));
      }
      Tensor logSumExp = summing.allocate(MemoryCategory.ACTIVATIONS, Shape.of(11), DType.FP32).view(1, Shape.of(1, 2, 5));
      var in = new QueryKeyValue(all.get(0), all.get(1), all.get(2));
      var gradient = new QueryKeyValue(all.get(5), all.get(6), all.get(7));
      var shape = AttentionShape.causal(1, 5, new Heads(2, 1, 64));
      summing.kernels().attention().backward(null, shape, all.get(3), in, all.get(4), logSumExp, gradient);
    }
    return most[0];
  }

  @Test
  void gatedProduct() {
    kernels.gatedMlp().forward(null, fp32(3, 10), fp32(3, 5));
    kernels.gatedMlp().backward(null, fp32(3, 5), fp32(3, 10), fp32(3, 10));
    booked("gatedMlp.forward 75 180", "gatedMlp.backward 165 300");
    refused("gateUpT2F", () -> kernels.gatedMlp().forward(null, fp32(3, 5), fp32(3, 5)));
    refused("dGateUpT2F", () -> kernels.gatedMlp().backward(null, fp32(3, 5), fp32(3, 10), fp32(3, 5)));
  }

  @Test
  void embedding() {
    var tokens = tensor(DType.INT32, 6);
    kernels.embedding().forward(null, tokens, 0, fp32(1000, 5), fp32(6, 5));
    kernels.embedding().backward(null, fp32(6, 5), tokens, 0, fp32(1000, 5));
    booked("embedding.forward 0 264", "embedding.backward 30 264");
    refused("yTC", () -> kernels.embedding().forward(null, tokens, 0, fp32(1000, 5), fp32(6, 4)));
    refused("tokensT", () -> kernels.embedding().forward(null, fp32(6), 0, fp32(1000, 5), fp32(6, 5)));
  }

  @Test
  void loss() {
    var labels = tensor(DType.INT32, 3);
    var sum = tensor(DType.FP64, 1);
    kernels.loss().crossEntropy(null, fp32(3, 11), labels, fp32(3), sum);
    kernels.loss().crossEntropyWithGradient(null, fp32(3, 11), labels, fp32(3), 1, sum);
    booked("loss.crossEntropy 132 164", "loss.crossEntropyWithGradient 198 164");
    refused("labelsT", () -> kernels.loss().crossEntropy(null, fp32(4, 11), labels, fp32(4), sum));
    refused("weightsT", () -> kernels.loss().crossEntropy(null, fp32(3, 11), labels, fp32(4), sum));
    refused("lossSum1", () -> kernels.loss().crossEntropy(null, fp32(3, 11), labels, fp32(3), fp32(1)));
  }

  @Test
  void splitLoss() {
    var labels = tensor(DType.INT32, 3);
    var sum = tensor(DType.FP64, 1);
    kernels.loss().maximum(null, fp32(3, 11), fp32(3));
    kernels.loss().partialSums(null, fp32(3, 11), labels, 22, fp32(3), fp32(2, 3));
    kernels.loss().lossOfSums(null, fp32(2, 3), fp32(3), sum);
    kernels.loss().gradientOfSums(null, fp32(3, 11), labels, 22, fp32(3), fp32(2, 3), fp32(3), 1);
    kernels.loss().maximum(null, tensor(DType.BF16, 3, 11), fp32(3));
    booked(
        "loss.maximum 33 144",
        "loss.partialSums 99 180",
        "loss.lossOfSums 12 44",
        "loss.gradientOfSums 132 192",
        "loss.maximum 33 78");
    refused("maximumT", () -> kernels.loss().maximum(null, tensor(DType.FP64, 3, 11), fp32(3)));
    refused("sums2T", () -> kernels.loss().partialSums(null, fp32(3, 11), labels, 0, fp32(3), fp32(3, 2)));
    refused("firstToken", () -> kernels.loss().partialSums(null, fp32(3, 11), labels, -1, fp32(3), fp32(2, 3)));
    refused("labelsT", () -> kernels.loss().partialSums(null, fp32(3, 11), fp32(3), 0, fp32(3), fp32(2, 3)));
    refused("sums2T", () -> kernels.loss().lossOfSums(null, fp32(2, 4), fp32(3), sum));
    refused("weightsT", () -> kernels.loss().gradientOfSums(null, fp32(3, 11), labels, 0, fp32(3), fp32(2, 3), fp32(2), 1));
  }

  @Test
  void merge() {
    var shape = new AttentionShape(2, 5, 7, HEADS, 9);
    kernels.attention().merge(null, shape, fp32(10, 24), fp32(2, 6, 5), fp32(10, 24), fp32(2, 6, 5));
    booked("attention.merge 720 " + 2 * 4 * (240 + 60));
    refused("partTHD", () -> kernels.attention().merge(null, shape, fp32(9, 24), fp32(60), fp32(10, 24), fp32(60)));
    refused("partLogSumExpBHS", () -> kernels.attention().merge(null, shape, fp32(10, 24), fp32(9), fp32(10, 24), fp32(60)));
    refused("logSumExpBHS", () -> kernels.attention().merge(null, shape, fp32(10, 24), fp32(60), fp32(10, 24), fp32(9)));
  }

  @Test
  void optimizer() {
    var scalar = tensor(DType.FP64, 1);
    var coefficients = new AdamWCoefficients(1, 0, 0, 0, 0, 1);
    kernels.optimizer().addSumOfSquares(null, fp32(7), scalar);
    kernels.optimizer().clipCoefficient(null, scalar, 1, scalar, scalar);
    kernels.optimizer().adamW(null, coefficients, scalar, fp32(7), fp32(7), fp32(7), fp32(7));
    booked("optimizer.addSumOfSquares 14 36", "optimizer.clipCoefficient 4 24", "optimizer.adamW 105 120");
    refused("sum1", () -> kernels.optimizer().addSumOfSquares(null, fp32(7), fp32(1)));
    refused(
        "secondMomentN",
        () -> kernels.optimizer().adamW(null, coefficients, scalar, fp32(7), fp32(7), fp32(7), fp32(8)));
  }

  @Test
  void blockScaled() {
    var scaled = kernels.blockScaled().orElseThrow();
    Tensor x = tensor(DType.BF16, 130, 48);
    var rows = scaled(ScaleBlock.ROW, 130, 48);
    var columns = scaled(ScaleBlock.SQUARE, 48, 130);
    var other = scaled(ScaleBlock.SQUARE, 20, 48);
    scaled.quantize(null, x, ScaleRule.EXACT, rows);
    scaled.quantizeTransposed(null, x, ScaleRule.EXACT, columns);
    scaled.quantizeBoth(null, x, ScaleRule.EXACT, rows, columns);
    scaled.multiplyNT(null, rows, other, fp32(130, 20), true);
    scaled.dequantize(null, rows, x);
    // Scales: 1 by 132 of the rows, 1 by 4 of the columns and of the other matrix.
    booked(
        "blockScaled.quantize 12480 " + (130 * 48 * 3 + 132 * 4),
        "blockScaled.quantizeTransposed 12480 " + (130 * 48 * 3 + 4 * 4),
        "blockScaled.quantizeBoth 18720 " + (130 * 48 * 4 + 132 * 4 + 4 * 4),
        "blockScaled.multiplyNT " + 2 * 130 * 20 * 48 + " " + (130 * 48 + 132 * 4 + 20 * 48 + 4 * 4 + 130 * 20 * 4),
        "blockScaled.dequantize 6240 " + (130 * 48 * 3 + 132 * 4));
    refused("rowsMK.codesMK", () -> scaled.dequantize(null, columns, x));
    refused("rowsMK.codesMK", () -> scaled.quantize(null, x, ScaleRule.EXACT, columns));
    refused("columnsKM.codesMK", () -> scaled.quantizeTransposed(null, x, ScaleRule.EXACT, rows));
    refused("rowsMK.codesMK", () -> scaled.quantizeBoth(null, x, ScaleRule.EXACT, columns, columns));
    refused("columnsKM.codesMK", () -> scaled.quantizeBoth(null, x, ScaleRule.EXACT, rows, rows));
    var mixed = new ScaledMatrix(other.codesMK(), rows.inverseScales(), ScaleBlock.SQUARE);
    refused("bNK.inverseScales", () -> scaled.multiplyNT(null, rows, mixed, fp32(130, 20), true));
    refused("aMK", () -> scaled.multiplyNT(null, other, rows, fp32(20, 130), true));
    refused("aMK.codesMK", () -> scaled.multiplyNT(null, rows, other, fp32(129, 20), true));
  }

  @Test
  void matrixScaled() {
    var scaled = kernels.matrixScaled().orElseThrow();
    Tensor x = tensor(DType.BF16, 130, 48);
    Tensor amax = fp32(1);
    var rows = scaled(ScaleBlock.MATRIX, 130, 48);
    var columns = scaled(ScaleBlock.MATRIX, 48, 130);
    scaled.maximum(null, x, amax, true);
    scaled.quantize(null, x, amax, ScaleRule.EXACT, rows);
    scaled.quantizeTransposed(null, x, amax, ScaleRule.EXACT, columns);
    kernels.blockScaled().orElseThrow().multiplyNT(null, rows, rows, fp32(130, 130), true);
    booked(
        "matrixScaled.maximum 6240 " + (130 * 48 * 2 + 4),
        "matrixScaled.quantize 6240 " + (130 * 48 * 3 + 8),
        "matrixScaled.quantizeTransposed 6240 " + (130 * 48 * 3 + 8),
        "blockScaled.multiplyNT " + 2 * 130 * 130 * 48 + " " + (2 * (130 * 48 + 4) + 130 * 130 * 4));
    refused("rowsMK", () -> scaled.quantize(null, x, amax, ScaleRule.EXACT, scaled(ScaleBlock.ROW, 130, 48)));
    refused("columnsKM", () -> scaled.quantizeTransposed(null, x, amax, ScaleRule.EXACT, scaled(ScaleBlock.ROW, 48, 130)));
    refused("amax1", () -> scaled.quantize(null, x, x, ScaleRule.EXACT, rows));
    var blocks = kernels.blockScaled().orElseThrow();
    refused("rowsMK", () -> blocks.quantize(null, x, ScaleRule.EXACT, rows));
    refused("columnsKM", () -> blocks.quantizeTransposed(null, x, ScaleRule.EXACT, columns));
  }

  @Test
  void pieceScaled() {
    var pieces = kernels.pieceScaled().orElseThrow();
    var run = new MatrixRun(fp32(1000), 200, 130, 48);
    Tensor amax = fp32(2, 4);
    Tensor codes = tensor(DType.FP8_E4M3, 1000);
    var rows = scaled(ScaleBlock.SQUARE, 130, 48);
    var columns = scaled(ScaleBlock.SQUARE, 48, 130);
    pieces.measure(null, run, amax);
    pieces.quantize(null, run, amax, ScaleRule.EXACT, codes);
    pieces.complete(null, amax, ScaleRule.EXACT, rows, columns);
    booked(
        "pieceScaled.measure 1000 " + (1000 * 4 + 8 * 4),
        "pieceScaled.quantize 1000 " + (1000 * 5 + 8 * 4),
        "pieceScaled.complete 0 " + (2 * 130 * 48 + 8 * 4 + 8 * 4 + 4 * 4));
    refused("x", () -> pieces.measure(null, new MatrixRun(fp32(1000), 6000, 130, 48), amax));
    refused("amax", () -> pieces.quantize(null, run, fp32(8), ScaleRule.EXACT, codes));
    refused("codes", () -> pieces.quantize(null, run, amax, ScaleRule.EXACT, fp32(1000)));
    refused("columnsKM.codesMK", () -> pieces.complete(null, amax, ScaleRule.EXACT, rows, rows));
  }

  private ScaledMatrix scaled(ScaleBlock block, long rows, long columns) {
    Tensor scales = device.allocate(MemoryCategory.ACTIVATIONS, block.scales(rows, columns), DType.FP32);
    return new ScaledMatrix(tensor(DType.FP8_E4M3, rows, columns), scales, block);
  }

  @Test
  void elementwise() {
    kernels.elementwise().fill(null, tensor(DType.INT32, 3), 1);
    kernels.elementwise().add(null, fp32(3), fp32(3));
    kernels.elementwise().maximum(null, fp32(3), fp32(3));
    kernels.elementwise().copy(null, fp32(3), tensor(DType.BF16, 3));
    kernels.elementwise().scale(null, fp32(3), 2);
    kernels.elementwise().copyColumns(null, fp32(3, 2), fp32(3, 5), 3);
    booked(
        "elementwise.fill 0 12", "elementwise.add 3 24", "elementwise.maximum 3 24", "elementwise.copy 0 18",
        "elementwise.scale 3 12", "elementwise.copyColumns 0 48");
    refused("toMN", () -> kernels.elementwise().copyColumns(null, fp32(3, 2), fp32(4, 5), 3));
    refused("toMN", () -> kernels.elementwise().copyColumns(null, fp32(3, 2), tensor(DType.BF16, 3, 5), 3));
    refused("toMN", () -> kernels.elementwise().copyColumns(null, fp32(3, 2), fp32(3, 5), 4));
    refused("to", () -> kernels.elementwise().copy(null, tensor(DType.INT32, 3), fp32(3)));
    refused("to", () -> kernels.elementwise().copy(null, fp32(3), fp32(4)));
    refused("into", () -> kernels.elementwise().add(null, fp32(3), tensor(DType.BF16, 3)));
    refused("into", () -> kernels.elementwise().maximum(null, fp32(3), fp32(4)));
    refused("x", () -> kernels.elementwise().scale(null, tensor(DType.INT32, 3), 2));
    refused("x", () -> kernels.elementwise().fill(null, null, 2));
  }
}
