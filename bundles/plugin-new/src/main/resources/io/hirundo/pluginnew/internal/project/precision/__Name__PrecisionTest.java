package __package__;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;

/** Everything that a training asks of a precision, each clause as a test. */
@HirundoContract
class __Name__PrecisionTest implements PrecisionContract {
  @Override
  public PrecisionStrategy strategy() {
    return new __Name__Factory().create(new __Name__Options());
  }
}
