package io.hirundo.storefolder.internal;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.testkit.CheckpointStoreContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.checkpoint.StoredBytes;
import io.hirundo.testkit.checkpoint.StoredFiles;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

@HirundoContract
class FolderContractTest implements CheckpointStoreContract {
    @TempDir
    private Path root;

    @Override
    public CheckpointStore store() {
        return new FolderFactory().create(new FolderOptions(root.toString()));
    }

    @Override
    public StoredBytes stored() {
        return new StoredFiles(root);
    }
}
