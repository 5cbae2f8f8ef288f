package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.testkit.CheckpointContract;
import io.hirundo.testkit.HirundoContract;

/** With a pool that is much smaller than the states. */
@HirundoContract
class AsyncContractTest implements CheckpointContract {
    @Override
    public CheckpointStrategy strategy() {
        return context ->
                DcpSession.async(context, new AsyncOptions(3, 0, 4096, 8192, 60), "test 1", new DiskOperations());
    }
}
