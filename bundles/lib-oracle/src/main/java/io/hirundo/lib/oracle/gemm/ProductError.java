package io.hirundo.lib.oracle.gemm;

/**
 * What was found where a product is furthest from what it must be.
 *
 * @param share of what is allowed that is used up: above 1, or not a number, is wrong
 * @param row first row of the tile; -1 where the product as a whole is scaled
 * @param column first column of the tile
 * @param relative the difference by the norm of the tile as it must be; or by which factor, less 1, the whole is scaled
 */
public record ProductError(double share, long row, long column, double relative) {
  /** Of a product without elements. */
  public static final ProductError NONE = new ProductError(0, 0, 0, 0);

  public boolean isWrong() {
    return !(share <= 1);
  }

  /** The one that is further from what is allowed; what is not a number is furthest. */
  public ProductError worse(ProductError other) {
    return Double.compare(other.share, share) > 0 ? other : this;
  }
}
