package __package__;

import io.hirundo.lib.fabric.local.LocalFabric;
import io.hirundo.mesh.Fabric;
import io.hirundo.testkit.FabricContract;
import io.hirundo.testkit.HirundoContract;
import java.util.Collections;
import java.util.List;

/** The contract of a fabric, one test per clause, on the fabric that connects threads. */
@HirundoContract
class __Name__FabricTest implements FabricContract {
    @Override
    public List<Fabric> fabrics(int ranks, int timeoutSeconds) {
        return Collections.nCopies(ranks, new __Name__Fabric(new LocalFabric(timeoutSeconds)));
    }

    /** As threads do. A fabric that copies operands before it sends them leaves this out. */
    @Override
    public boolean ranksReadEachOther() {
        return true;
    }
}
