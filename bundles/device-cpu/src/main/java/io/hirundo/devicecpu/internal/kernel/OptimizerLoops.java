package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.kernel.AdamWCoefficients;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** The loops of the optimizer step over one block; FP32, by address. An object holds the scalars of one AdamW step. */
final class OptimizerLoops {
  private static final VectorSpecies<Double> DOUBLES = VectorSpecies.of(double.class, Lanes.FLOATS.vectorShape());
  /** As many floats as doubles fit into a vector. */
  private static final VectorSpecies<Float> HALF =
      VectorSpecies.of(float.class, VectorShape.forBitSize(Lanes.FLOATS.vectorBitSize() / 2));

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
    gradientFactor2 = (float) (Math.sqrt(1 - b2) * gradientCoefficient);
    beta1 = (float) b1;
    beta2 = (float) b2;
    decay = (float) (1 - coefficients.learningRate() * coefficients.weightDecay());
    rate = (float) (coefficients.learningRate() / (1 - Math.pow(b1, coefficients.step())));
    inverseRoot = (float) (1 / Math.sqrt(1 - Math.pow(b2, coefficients.step())));
    epsilon = (float) coefficients.epsilon();
  }

  /** One AdamW step; the formula is at {@code io.hirundo.kernel.OptimizerKernels}. */
  void adamW(long gradient, long parameter, long firstMoment, long secondMoment, int count) {
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      long at = i * 4L;
      FloatVector g = Lanes.load(gradient + at);
      FloatVector m = first(Lanes.load(firstMoment + at), g);
      FloatVector v = second(Lanes.load(secondMoment + at), g);
      Lanes.store(m, firstMoment + at);
      Lanes.store(v, secondMoment + at);
      Lanes.store(step(Lanes.load(parameter + at), m, v), parameter + at);
    }
    if (whole < count) {
      VectorMask<Float> tail = Lanes.tail(count - whole);
      long at = whole * 4L;
      FloatVector g = Lanes.load(gradient + at, tail);
      FloatVector m = first(Lanes.load(firstMoment + at, tail), g);
      FloatVector v = second(Lanes.load(secondMoment + at, tail), g);
      Lanes.store(m, firstMoment + at, tail);
      Lanes.store(v, secondMoment + at, tail);
      Lanes.store(step(Lanes.load(parameter + at, tail), m, v), parameter + at, tail);
    }
  }

  private FloatVector first(FloatVector moment, FloatVector g) {
    return moment.fma(Lanes.splat(beta1), g.mul(gradientFactor1));
  }

  /** The root of 1 - beta2 is in the factor, so that the square of a tiny gradient does not underflow earlier than it must. */
  private FloatVector second(FloatVector moment, FloatVector g) {
    FloatVector scaled = g.mul(gradientFactor2);
    return scaled.fma(scaled, moment.mul(beta2));
  }

  private FloatVector step(FloatVector parameter, FloatVector m, FloatVector v) {
    FloatVector denominator = v.lanewise(VectorOperators.SQRT).fma(Lanes.splat(inverseRoot), Lanes.splat(epsilon));
    return parameter.mul(decay).sub(m.mul(rate).div(denominator));
  }

  /** {@code sum of x²} in FP64. */
  static double sumOfSquares(long x, int count) {
    int step = 4 * DOUBLES.length();
    int whole = count / step * step;
    long vectorBytes = DOUBLES.length() * 4L;
    DoubleVector sum0 = DoubleVector.zero(DOUBLES);
    DoubleVector sum1 = sum0;
    DoubleVector sum2 = sum0;
    DoubleVector sum3 = sum0;
    for (int i = 0; i < whole; i += step) {
      long at = x + i * 4L;
      DoubleVector x0 = loadAsDoubles(at);
      DoubleVector x1 = loadAsDoubles(at + vectorBytes);
      DoubleVector x2 = loadAsDoubles(at + 2 * vectorBytes);
      DoubleVector x3 = loadAsDoubles(at + 3 * vectorBytes);
      sum0 = x0.fma(x0, sum0);
      sum1 = x1.fma(x1, sum1);
      sum2 = x2.fma(x2, sum2);
      sum3 = x3.fma(x3, sum3);
    }
    DoubleVector lanes = sum0.add(sum1).add(sum2.add(sum3));
    double sum = 0;
    for (int lane = 0; lane < DOUBLES.length(); lane++) {
      sum += lanes.lane(lane);
    }
    for (int i = whole; i < count; i++) {
      double rest = Memory.getFloat(x + i * 4L);
      sum += rest * rest;
    }
    return sum;
  }

  private static DoubleVector loadAsDoubles(long address) {
    FloatVector floats = FloatVector.fromMemorySegment(HALF, Memory.ALL, address, Memory.ORDER);
    return (DoubleVector) floats.convertShape(VectorOperators.F2D, DOUBLES, 0);
  }
}
