package __package__;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;

/** The contract of a precision, one test per clause. */
@HirundoContract
class __Name__PrecisionTest implements PrecisionContract {
    @Override
    public PrecisionStrategy strategy() {
        return new __Name__Factory().create(new __Name__Options());
    }
}
