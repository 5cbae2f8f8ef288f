package __package__;

import io.hirundo.parallel.DataParallel;
import io.hirundo.testkit.DataParallelContract;
import io.hirundo.testkit.HirundoContract;
import java.util.List;

/** The contract of a data-parallel strategy, one test per clause. */
@HirundoContract
class __Name__SlicesTest implements DataParallelContract {
    @Override
    public DataParallel strategy() {
        return new __Name__Factory().create(new __Name__Options());
    }

    @Override
    public List<DataParallel> sameBits() {
        return List.of(new __Name__Factory().create(new __Name__Options(false)));
    }
}
