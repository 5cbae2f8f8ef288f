package org.example.acmefp8;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.testkit.Fp8Contract;
import io.hirundo.testkit.HirundoContract;

/** On the testkit's device: a third party has no other. */
@HirundoContract
class AcmeFp8Test implements Fp8Contract {
    @Override
    public PrecisionStrategy strategy() {
        return new AcmeFp8Factory().create(new NoOptions());
    }

    /** Of two operands that are rounded by a sixteenth at most, 0.026 on average. */
    @Override
    public double tolerance() {
        return 0.05;
    }
}
