package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.testkit.CheckpointContract;
import io.hirundo.testkit.HirundoContract;

@HirundoContract
class SyncContractTest implements CheckpointContract {
    @Override
    public CheckpointStrategy strategy() {
        return context -> DcpSession.sync(context, new SyncOptions(3, 0, 4096), "test 1", new DiskOperations());
    }
}
