package io.hirundo.trainer.internal.document;

import java.math.BigDecimal;
import java.math.BigInteger;

/** Numbers of a document, exactly, and as people write them. */
public final class Numbers {
  /** More digits before the point than any double has. */
  private static final int MOST_DIGITS = 320;

  private Numbers() {}

  /** The exact value; null if it is not finite, or so large or small that no Java number comes near. */
  public static BigDecimal exact(Number number) {
    BigDecimal value =
        switch (number) {
          case BigDecimal decimal -> decimal;
          case BigInteger whole -> new BigDecimal(whole);
          case Double d -> Double.isFinite(d) ? new BigDecimal(d.toString()) : null;
          case Float f -> Float.isFinite(f) ? new BigDecimal(f.toString()) : null;
          default -> BigDecimal.valueOf(number.longValue());
        };
    // Guards the conversions below: 1e999999999 as an integer would fill the memory.
    return value != null && (long) value.precision() - value.scale() > MOST_DIGITS ? null : value;
  }

  /** True for 12, 12.0 and 1.2e1. */
  public static boolean isWhole(BigDecimal value) {
    return value.signum() == 0 || value.scale() <= 0 || value.stripTrailingZeros().scale() <= 0;
  }

  /** Shortest text that reads back as the same number: 0.0003, 1.0E-8, 1000000. */
  public static String text(Number number) {
    if (!(number instanceof Double || number instanceof Float)) {
      return number.toString();
    }
    String shortest = number.toString();
    double size = Math.abs(number.doubleValue());
    if (size == Math.rint(size) && size < 1e15) {
      return new BigDecimal(shortest).setScale(0).toString();
    }
    return size >= 1e-5 && size < 1e7 ? new BigDecimal(shortest).stripTrailingZeros().toPlainString() : shortest;
  }
}
