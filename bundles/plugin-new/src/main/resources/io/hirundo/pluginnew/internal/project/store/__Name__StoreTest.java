package __package__;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.testkit.CheckpointStoreContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.checkpoint.StoredBytes;
import io.hirundo.testkit.checkpoint.StoredFiles;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a checkpoint store, one test per clause. */
@HirundoContract
class __Name__StoreTest implements CheckpointStoreContract {
    @TempDir
    private Path root;

    @Override
    public CheckpointStore store() {
        return new __Name__Factory().create(new __Name__Options(root.toString()));
    }

    /** What the clauses damage: the files below the folder. */
    @Override
    public StoredBytes stored() {
        return new StoredFiles(root);
    }
}
