package __package__;

import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.testkit.CheckpointContract;
import io.hirundo.testkit.HirundoContract;

/** The contract of a checkpoint store, one test per clause. */
@HirundoContract
class __Name__StoreTest implements CheckpointContract {
    @Override
    public CheckpointStrategy strategy() {
        return new __Name__Factory().create(new __Name__Options());
    }
}
