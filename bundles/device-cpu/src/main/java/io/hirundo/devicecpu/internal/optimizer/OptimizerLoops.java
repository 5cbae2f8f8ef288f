package io.hirundo.devicecpu.internal.optimizer;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** The loops of the optimizer step over one block; FP32, by address. An object holds the scalars of one AdamW step. */
final class OptimizerLoops {
    private static final VectorSpecies<Double> DOUBLES = VectorSpecies.of(double.class, FLOATS.vectorShape());
    /** As many floats as doubles fit into a vector. */
    private static final VectorSpecies<Float> HALF =
            VectorSpecies.of(float.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

    private final float gradientFactor1;
    private final float gradientFactor2;
    private final float beta1;
    private final float beta2;
    private final float decay;
    private final float rate;
    private final float inverseRoot;
    private final float epsilon;

    /**
     * @param gradientCoefficient what gradients are multiplied by first
     */
    OptimizerLoops(AdamWCoefficients coefficients, double gradientCoefficient) {
        double b1 = coefficients.beta1();
        double b2 = coefficients.beta2();
        gradientFactor1 = (float) ((1 - b1) * gradientCoefficient);
        // The root is taken out of 1 - beta2, so that the factor can be applied before the square.
        gradientFactor2 = (float) (Math.sqrt(1 - b2) * gradientCoefficient);
        beta1 = (float) b1;
        beta2 = (float) b2;
        decay = (float) (1 - coefficients.learningRate() * coefficients.weightDecay());
        rate = (float) (coefficients.learningRate() / (1 - Math.pow(b1, coefficients.step())));
        inverseRoot = (float) (1 / Math.sqrt(1 - Math.pow(b2, coefficients.step())));
        epsilon = (float) coefficients.epsilon();
    }

    /** One AdamW step; the formula is at {@code io.hirundo.kernel.optimizer.OptimizerKernels}. */
    void adamW(long gradient, long parameter, long firstMoment, long secondMoment, int count) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            long at = i * 4L;
            FloatVector g = fromMemorySegment(FLOATS, ALL, gradient + at, ORDER);
            FloatVector g2 = g.mul(gradientFactor2);
            FloatVector oldFirst = fromMemorySegment(FLOATS, ALL, firstMoment + at, ORDER);
            FloatVector m = oldFirst.fma(broadcast(FLOATS, beta1), g.mul(gradientFactor1));
            FloatVector v = g2.fma(
                    g2, fromMemorySegment(FLOATS, ALL, secondMoment + at, ORDER).mul(beta2));
            m.intoMemorySegment(ALL, firstMoment + at, ORDER);
            v.intoMemorySegment(ALL, secondMoment + at, ORDER);
            FloatVector root = v.lanewise(VectorOperators.SQRT);
            FloatVector denominator = root.fma(broadcast(FLOATS, inverseRoot), broadcast(FLOATS, epsilon));
            FloatVector decayed =
                    fromMemorySegment(FLOATS, ALL, parameter + at, ORDER).mul(decay);
            decayed.sub(m.mul(rate).div(denominator)).intoMemorySegment(ALL, parameter + at, ORDER);
        }
        for (int i = whole; i < count; i++) {
            adamWOfOne(gradient + i * 4L, parameter + i * 4L, firstMoment + i * 4L, secondMoment + i * 4L);
        }
    }

    private void adamWOfOne(long gradient, long parameter, long firstMoment, long secondMoment) {
        float g = getFloat(gradient);
        float g2 = g * gradientFactor2;
        float m = Math.fma(getFloat(firstMoment), beta1, g * gradientFactor1);
        float v = Math.fma(g2, g2, getFloat(secondMoment) * beta2);
        setFloat(firstMoment, m);
        setFloat(secondMoment, v);
        float denominator = Math.fma((float) Math.sqrt(v), inverseRoot, epsilon);
        setFloat(parameter, getFloat(parameter) * decay - m * rate / denominator);
    }

    /** {@code sum of x²} in FP64. */
    static double sumOfSquares(long x, int count) {
        int step = 4 * DOUBLES.length();
        int whole = count / step * step;
        long bytes = HALF.vectorByteSize();
        DoubleVector sum0 = DoubleVector.zero(DOUBLES);
        DoubleVector sum1 = DoubleVector.zero(DOUBLES);
        DoubleVector sum2 = DoubleVector.zero(DOUBLES);
        DoubleVector sum3 = DoubleVector.zero(DOUBLES);
        for (int i = 0; i < whole; i += step) {
            long at = x + i * 4L;
            var x0 = fromMemorySegment(HALF, ALL, at, ORDER).convertShape(VectorOperators.F2D, DOUBLES, 0);
            var x1 = fromMemorySegment(HALF, ALL, at + bytes, ORDER).convertShape(VectorOperators.F2D, DOUBLES, 0);
            var x2 = fromMemorySegment(HALF, ALL, at + 2 * bytes, ORDER).convertShape(VectorOperators.F2D, DOUBLES, 0);
            var x3 = fromMemorySegment(HALF, ALL, at + 3 * bytes, ORDER).convertShape(VectorOperators.F2D, DOUBLES, 0);
            sum0 = ((DoubleVector) x0).fma(x0, sum0);
            sum1 = ((DoubleVector) x1).fma(x1, sum1);
            sum2 = ((DoubleVector) x2).fma(x2, sum2);
            sum3 = ((DoubleVector) x3).fma(x3, sum3);
        }
        DoubleVector lanes = sum0.add(sum1).add(sum2.add(sum3));
        double sum = 0;
        for (int lane = 0; lane < DOUBLES.length(); lane++) {
            sum += lanes.lane(lane);
        }
        for (int i = whole; i < count; i++) {
            double rest = getFloat(x + i * 4L);
            sum += rest * rest;
        }
        return sum;
    }
}
