package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Operations and bytes, worked out by hand; every operand misshapen once. */
class MetaKernelsTest extends CountedKernels {
    @Test
    void products() {
        kernels.gemm().multiplyNT(null, fp32(3, 5), fp32(7, 5), fp32(3, 7), false);
        kernels.gemm().multiplyNN(null, fp32(3, 5), fp32(5, 7), fp32(3, 7), false);
        kernels.gemm().multiplyTN(null, tensor(DType.BF16, 5, 3), fp32(5, 7), fp32(3, 7), true);
        booked(
                "gemm.multiplyNT 210 " + 4 * (15 + 35 + 21),
                "gemm.multiplyNN 210 " + 4 * (15 + 35 + 21),
                "gemm.multiplyTN 210 " + (2 * 15 + 4 * 35 + 4 * 21));
        rejected("bNK", () -> kernels.gemm().multiplyNT(null, fp32(3, 5), fp32(7, 6), fp32(3, 7), false));
        rejected("cMN", () -> kernels.gemm().multiplyNT(null, fp32(3, 5), fp32(7, 5), fp32(7, 3), false));
        rejected("bKN", () -> kernels.gemm().multiplyNN(null, fp32(3, 5), fp32(6, 7), fp32(3, 7), false));
        rejected("bKN", () -> kernels.gemm().multiplyTN(null, fp32(5, 3), fp32(6, 7), fp32(3, 7), false));
        rejected("aMK", () -> kernels.gemm().multiplyNN(null, tensor(DType.FP64, 3, 5), fp32(5, 7), fp32(3, 7), false));
        rejected(
                "bKN",
                () -> kernels.gemm()
                        .multiplyNN(null, tensor(DType.FP64, 3, 5), fp32(5, 7), tensor(DType.FP64, 3, 7), false));
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
        rejected("weightC", () -> norm.forward(null, fp32(5, 3), fp32(5), 0, fp32(5, 3), fp32(5)));
        rejected("inverseRmsT", () -> norm.forward(null, fp32(5, 3), fp32(3), 0, fp32(5, 3), fp32(3)));
        rejected("yTC", () -> norm.reapply(null, fp32(5, 3), fp32(3), fp32(5), fp32(3, 5)));
        rejected(
                "deltaTC",
                () -> norm.addForward(null, fp32(5, 3), fp32(5), fp32(3), 0, fp32(5, 3), fp32(5, 3), fp32(5)));
        rejected(
                "residualGradientTC",
                () -> norm.backwardInput(null, fp32(5, 3), fp32(5, 3), fp32(3), fp32(5), fp32(5, 4), fp32(5, 3)));
        rejected(
                "inverseRmsT",
                () -> norm.backwardWeight(
                        null, tensor(DType.FP64, 5, 3), tensor(DType.FP64, 5, 3), fp32(5), tensor(DType.FP64, 3)));
    }

    @Test
    void gatedProduct() {
        kernels.gatedMlp().forward(null, fp32(3, 10), fp32(3, 5));
        kernels.gatedMlp().backward(null, fp32(3, 5), fp32(3, 10), fp32(3, 10));
        booked("gatedMlp.forward 75 180", "gatedMlp.backward 165 300");
        rejected("gateUpT2F", () -> kernels.gatedMlp().forward(null, fp32(3, 5), fp32(3, 5)));
        rejected("dGateUpT2F", () -> kernels.gatedMlp().backward(null, fp32(3, 5), fp32(3, 10), fp32(3, 5)));
    }

    @Test
    void embedding() {
        var tokens = tensor(DType.INT32, 6);
        kernels.embedding().forward(null, tokens, 0, fp32(1000, 5), fp32(6, 5));
        kernels.embedding().backward(null, fp32(6, 5), tokens, 0, fp32(1000, 5));
        booked("embedding.forward 0 264", "embedding.backward 30 264");
        rejected("yTC", () -> kernels.embedding().forward(null, tokens, 0, fp32(1000, 5), fp32(6, 4)));
        rejected("tokensT", () -> kernels.embedding().forward(null, fp32(6), 0, fp32(1000, 5), fp32(6, 5)));
    }

    @Test
    void loss() {
        var labels = tensor(DType.INT32, 3);
        var sum = tensor(DType.FP64, 1);
        kernels.loss().crossEntropy(null, fp32(3, 11), labels, fp32(3), sum);
        kernels.loss().crossEntropyWithGradient(null, fp32(3, 11), labels, fp32(3), 1, sum);
        booked("loss.crossEntropy 132 164", "loss.crossEntropyWithGradient 198 164");
        rejected("labelsT", () -> kernels.loss().crossEntropy(null, fp32(4, 11), labels, fp32(4), sum));
        rejected("weightsT", () -> kernels.loss().crossEntropy(null, fp32(3, 11), labels, fp32(4), sum));
        rejected("lossSum1", () -> kernels.loss().crossEntropy(null, fp32(3, 11), labels, fp32(3), fp32(1)));
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
        rejected("maximumT", () -> kernels.loss().maximum(null, tensor(DType.FP64, 3, 11), fp32(3)));
        rejected("sums2T", () -> kernels.loss().partialSums(null, fp32(3, 11), labels, 0, fp32(3), fp32(3, 2)));
        rejected("firstToken", () -> kernels.loss().partialSums(null, fp32(3, 11), labels, -1, fp32(3), fp32(2, 3)));
        rejected("labelsT", () -> kernels.loss().partialSums(null, fp32(3, 11), fp32(3), 0, fp32(3), fp32(2, 3)));
        rejected("sums2T", () -> kernels.loss().lossOfSums(null, fp32(2, 4), fp32(3), sum));
        rejected(
                "weightsT",
                () -> kernels.loss().gradientOfSums(null, fp32(3, 11), labels, 0, fp32(3), fp32(2, 3), fp32(2), 1));
    }

    @Test
    void optimizer() {
        var scalar = tensor(DType.FP64, 1);
        var coefficients = new AdamWCoefficients(1, 0, 0, 0, 0, 1);
        kernels.optimizer().addSumOfSquares(null, fp32(7), scalar);
        kernels.optimizer().clipCoefficient(null, scalar, 1, scalar, scalar);
        kernels.optimizer().adamW(null, coefficients, scalar, fp32(7), fp32(7), fp32(7), fp32(7));
        booked("optimizer.addSumOfSquares 14 36", "optimizer.clipCoefficient 4 24", "optimizer.adamW 105 120");
        rejected("sum1", () -> kernels.optimizer().addSumOfSquares(null, fp32(7), fp32(1)));
        rejected(
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
                "blockScaled.multiplyNT " + 2 * 130 * 20 * 48 + " "
                        + (130 * 48 + 132 * 4 + 20 * 48 + 4 * 4 + 130 * 20 * 4),
                "blockScaled.dequantize 6240 " + (130 * 48 * 3 + 132 * 4));
        rejected("rowsMK.codesMK", () -> scaled.dequantize(null, columns, x));
        rejected("rowsMK.codesMK", () -> scaled.quantize(null, x, ScaleRule.EXACT, columns));
        rejected("columnsKM.codesMK", () -> scaled.quantizeTransposed(null, x, ScaleRule.EXACT, rows));
        rejected("rowsMK.codesMK", () -> scaled.quantizeBoth(null, x, ScaleRule.EXACT, columns, columns));
        rejected("columnsKM.codesMK", () -> scaled.quantizeBoth(null, x, ScaleRule.EXACT, rows, rows));
        var mixed = new ScaledMatrix(other.codesMK(), rows.inverseScales(), ScaleBlock.SQUARE);
        rejected("bNK.inverseScales", () -> scaled.multiplyNT(null, rows, mixed, fp32(130, 20), true));
        rejected("aMK", () -> scaled.multiplyNT(null, other, rows, fp32(20, 130), true));
        rejected("aMK.codesMK", () -> scaled.multiplyNT(null, rows, other, fp32(129, 20), true));
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
        rejected("rowsMK", () -> scaled.quantize(null, x, amax, ScaleRule.EXACT, scaled(ScaleBlock.ROW, 130, 48)));
        rejected(
                "columnsKM",
                () -> scaled.quantizeTransposed(null, x, amax, ScaleRule.EXACT, scaled(ScaleBlock.ROW, 48, 130)));
        rejected("amax1", () -> scaled.quantize(null, x, x, ScaleRule.EXACT, rows));
        var blocks = kernels.blockScaled().orElseThrow();
        rejected("rowsMK", () -> blocks.quantize(null, x, ScaleRule.EXACT, rows));
        rejected("columnsKM", () -> blocks.quantizeTransposed(null, x, ScaleRule.EXACT, columns));
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
        rejected("x", () -> pieces.measure(null, new MatrixRun(fp32(1000), 6000, 130, 48), amax));
        rejected("amax", () -> pieces.quantize(null, run, fp32(8), ScaleRule.EXACT, codes));
        rejected("codes", () -> pieces.quantize(null, run, amax, ScaleRule.EXACT, fp32(1000)));
        rejected("columnsKM.codesMK", () -> pieces.complete(null, amax, ScaleRule.EXACT, rows, rows));
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
                "elementwise.fill 0 12",
                "elementwise.add 3 24",
                "elementwise.maximum 3 24",
                "elementwise.copy 0 18",
                "elementwise.scale 3 12",
                "elementwise.copyColumns 0 48");
        rejected("toMN", () -> kernels.elementwise().copyColumns(null, fp32(3, 2), fp32(4, 5), 3));
        rejected("toMN", () -> kernels.elementwise().copyColumns(null, fp32(3, 2), tensor(DType.BF16, 3, 5), 3));
        rejected("toMN", () -> kernels.elementwise().copyColumns(null, fp32(3, 2), fp32(3, 5), 4));
        rejected("to", () -> kernels.elementwise().copy(null, tensor(DType.INT32, 3), fp32(3)));
        rejected("to", () -> kernels.elementwise().copy(null, fp32(3), fp32(4)));
        rejected("into", () -> kernels.elementwise().add(null, fp32(3), tensor(DType.BF16, 3)));
        rejected("into", () -> kernels.elementwise().maximum(null, fp32(3), fp32(4)));
        rejected("x", () -> kernels.elementwise().scale(null, tensor(DType.INT32, 3), 2));
        rejected("x", () -> kernels.elementwise().fill(null, null, 2));
    }

    @Test
    void biases() {
        var biases = kernels.bias().orElseThrow();
        biases.add(null, fp32(3), fp32(2, 5), 1);
        biases.addColumnSums(null, tensor(DType.BF16, 2, 5), 2, fp32(3));
        booked("bias.add 6 36", "bias.addColumnSums 6 24");
        rejected("biasN", () -> biases.add(null, fp32(3), fp32(2, 5), 3));
        rejected("dBiasN", () -> biases.addColumnSums(null, fp32(2, 5), 0, tensor(DType.BF16, 3)));
    }

    @Test
    void softCapsAndGelu() {
        var caps = kernels.softCap().orElseThrow();
        caps.cap(null, fp32(2, 5), 30);
        caps.gradient(null, fp32(2, 5), 30, fp32(2, 5));
        kernels.gatedMlp().forward(null, GateActivation.GELU_TANH, fp32(3, 10), fp32(3, 5));
        kernels.gatedMlp().backward(null, GateActivation.GELU_TANH, fp32(3, 5), fp32(3, 10), fp32(3, 10));
        booked(
                "softCap.cap 30 40",
                "softCap.gradient 40 80",
                "gatedMlp.forward " + 8 * 15 + " " + 4 * 45,
                "gatedMlp.backward " + 17 * 15 + " " + 4 * 75);
        rejected("capped", () -> caps.gradient(null, fp32(4), 30, fp32(2, 5)));
    }
}
