package __package__;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;

/** The contract with rounded weights. */
@HirundoContract
class __Name__RoundedTest implements PrecisionContract {
    @Override
    public PrecisionStrategy strategy() {
        return new __Name__Factory().create(new __Name__Options(true));
    }

    /** A bfloat16 has 8 significant bits: a rounded weight is off by at most 1/256. */
    @Override
    public double tolerance() {
        return 1.0 / 256;
    }
}
