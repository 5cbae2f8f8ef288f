package io.hirundo.regress.mutations;

import io.hirundo.device.MemoryCategory;
import io.hirundo.regress.mutations.SpoiledFabric.Collective;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Faults in the results of collectives. */
final class Stale {
    private Stale() {}

    /** Returns the result of the previous collective of the same size, as if its buffer were read too early. */
    static void exchange(Collective done) {
        String shape = String.valueOf(done.into().shape());
        boolean isFirst = !done.memory().containsKey(shape);
        Tensor before = done.memory().computeIfAbsent(shape, each -> like(done, done.into()));
        var kernels = done.device().kernels().elementwise();
        if (isFirst) {
            kernels.copy(done.after(), done.into(), before);
        } else {
            swap(done, done.into(), before);
        }
    }

    /** Exchanges the parts of two ranks. */
    static void reverseHalves(Collective done) {
        long half = done.into().elements() / 2;
        swap(done, done.into().view(0, Shape.of(half)), done.into().view(half, Shape.of(half)));
    }

    private static void swap(Collective done, Tensor a, Tensor b) {
        Tensor third = done.memory().computeIfAbsent("copy " + a.shape(), each -> like(done, a));
        var kernels = done.device().kernels().elementwise();
        kernels.copy(done.after(), a, third);
        kernels.copy(done.after(), b, a);
        kernels.copy(done.after(), third, b);
    }

    /** Replaces the first eighth by this rank's own input. */
    static void ownEighth(Collective done) {
        long count = done.into().elements() / 8;
        long begin = done.group().rank() * done.into().elements();
        var shape = Shape.of(count);
        done.device()
                .kernels()
                .elementwise()
                .copy(done.after(), done.from().view(begin, shape), done.into().view(0, shape));
    }

    private static Tensor like(Collective done, Tensor tensor) {
        return done.device().allocate(MemoryCategory.WORKSPACE, tensor.shape(), tensor.dtype());
    }
}
