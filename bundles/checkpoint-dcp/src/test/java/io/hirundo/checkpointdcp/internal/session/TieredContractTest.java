package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.memory.MemoryOptions;
import io.hirundo.testkit.CheckpointContract;
import io.hirundo.testkit.HirundoContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** All of them in memory. */
@HirundoContract
class TieredContractTest implements CheckpointContract {
    @TempDir
    Path memory;

    @Override
    public CheckpointStrategy strategy() {
        var options = new TieredOptions(3, 0, 4096, 8192, 60, 1000, new MemoryOptions(memory.toString(), 3, 0));
        return context -> DcpSession.tiered(context, options, "test 1", new DiskOperations());
    }
}
