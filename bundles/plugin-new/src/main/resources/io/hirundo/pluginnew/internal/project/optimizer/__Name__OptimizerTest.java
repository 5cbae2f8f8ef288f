package __package__;

import io.hirundo.optimizer.Optimizer;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.OptimizerContract;

/** The contract of an optimizer, one test per clause. */
@HirundoContract
class __Name__OptimizerTest implements OptimizerContract {
    @Override
    public Optimizer optimizer() {
        return new __Name__Factory().create(new __Name__Options(0.9, 0.1));
    }
}
