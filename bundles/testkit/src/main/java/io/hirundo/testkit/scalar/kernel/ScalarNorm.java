package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.NormKernels;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Scalar RMSNorm. */
final class ScalarNorm implements NormKernels {
    @Override
    public void forward(Queue queue, Tensor xTC, Tensor weightC, double epsilon, Tensor yTC, Tensor inverseRmsT) {
        long channels = weightC.elements();
        ScalarTensor x = ScalarTensor.of("xTC", xTC);
        long tokens = x.elements() / channels;
        ScalarTensor inverse = ScalarOperands.floating("inverseRmsT", inverseRmsT, tokens);
        for (long token = 0; token < tokens; token++) {
            double squares = 0;
            for (long c = 0; c < channels; c++) {
                double value = x.get(token * channels + c);
                squares += value * value;
            }
            inverse.set(token, 1 / Math.sqrt(squares / channels + epsilon));
        }
        reapply(queue, xTC, weightC, inverseRmsT, yTC);
    }

    @Override
    public void addForward(
            Queue queue,
            Tensor xTC,
            Tensor deltaTC,
            Tensor weightC,
            double epsilon,
            Tensor sumTC,
            Tensor yTC,
            Tensor inverseRmsT) {
        ScalarTensor x = ScalarTensor.of("xTC", xTC);
        ScalarTensor delta = ScalarOperands.floating("deltaTC", deltaTC, x.elements());
        ScalarTensor sum = ScalarOperands.floating("sumTC", sumTC, x.elements());
        for (long i = 0; i < x.elements(); i++) {
            sum.set(i, x.get(i) + delta.get(i));
        }
        forward(queue, sumTC, weightC, epsilon, yTC, inverseRmsT);
    }

    @Override
    public void reapply(Queue queue, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor yTC) {
        long channels = weightC.elements();
        ScalarTensor x = ScalarTensor.of("xTC", xTC);
        ScalarTensor y = ScalarOperands.floating("yTC", yTC, x.elements());
        ScalarTensor weight = ScalarTensor.of("weightC", weightC);
        ScalarTensor inverse = ScalarOperands.floating("inverseRmsT", inverseRmsT, x.elements() / channels);
        for (long i = 0; i < x.elements(); i++) {
            y.set(i, x.get(i) * inverse.get(i / channels) * weight.get(i % channels));
        }
    }

    @Override
    public void backwardInput(
            Queue queue,
            Tensor dyTC,
            Tensor xTC,
            Tensor weightC,
            Tensor inverseRmsT,
            Tensor residualGradientTC,
            Tensor dxTC) {
        long channels = weightC.elements();
        ScalarTensor x = ScalarTensor.of("xTC", xTC);
        ScalarTensor dy = ScalarOperands.floating("dyTC", dyTC, x.elements());
        ScalarTensor dx = ScalarOperands.floating("dxTC", dxTC, x.elements());
        ScalarTensor weight = ScalarTensor.of("weightC", weightC);
        ScalarTensor inverse = ScalarOperands.floating("inverseRmsT", inverseRmsT, x.elements() / channels);
        ScalarTensor residual = residualGradientTC == null
                ? null
                : ScalarOperands.floating("residualGradientTC", residualGradientTC, x.elements());
        for (long token = 0; token < x.elements() / channels; token++) {
            double r = inverse.get(token);
            double mean = 0;
            for (long c = 0; c < channels; c++) {
                long i = token * channels + c;
                mean += weight.get(c) * dy.get(i) * x.get(i) / channels;
            }
            for (long c = 0; c < channels; c++) {
                long i = token * channels + c;
                double value = r * (weight.get(c) * dy.get(i) - x.get(i) * r * r * mean);
                dx.set(i, residual == null ? value : residual.get(i) + value);
            }
        }
    }

    @Override
    public void backwardWeight(Queue queue, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor dwC) {
        long channels = dwC.elements();
        ScalarTensor x = ScalarTensor.of("xTC", xTC);
        ScalarTensor dy = ScalarOperands.floating("dyTC", dyTC, x.elements());
        ScalarTensor dw = ScalarTensor.of("dwC", dwC);
        ScalarTensor inverse = ScalarOperands.floating("inverseRmsT", inverseRmsT, x.elements() / channels);
        for (long c = 0; c < channels; c++) {
            double sum = 0;
            for (long i = c; i < x.elements(); i += channels) {
                sum += dy.get(i) * x.get(i) * inverse.get(i / channels);
            }
            ScalarOperands.add(dw, c, sum);
        }
    }
}
