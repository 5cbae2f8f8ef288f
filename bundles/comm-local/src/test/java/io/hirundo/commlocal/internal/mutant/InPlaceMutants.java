package io.hirundo.commlocal.internal.mutant;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import java.util.Arrays;

/** Collectives that write to memory of which their caller keeps the values. */
final class InPlaceMutants {
    private InPlaceMutants() {}

    @Breaks("inPlaceAllGatherDoesNotWriteOwnPart")
    @HirundoContract
    static class RestoresItsOwnPart extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending allGather(Queue after, Tensor shard, Tensor whole) {
                    return restoring(shard, super.allGather(after, shard, whole));
                }
            };
        }
    }

    @Breaks("broadcastDoesNotWriteToTheRoot")
    @HirundoContract
    static class RestoresTheRoot extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending broadcast(Queue after, Tensor inPlace, int root) {
                    return rank() == root
                            ? restoring(inPlace, super.broadcast(after, inPlace, root))
                            : super.broadcast(after, inPlace, root);
                }
            };
        }
    }

    /** Restores the tensor's current values when the collective ends. */
    private static Pending restoring(Tensor tensor, Pending real) {
        var restored = (CpuTensor) tensor;
        double[] before = new double[Math.toIntExact(tensor.elements())];
        Arrays.setAll(before, restored::getDouble);
        Event end = real.event();
        Event restoring = new Event() {
            @Override
            public boolean hasHappened() {
                return end.hasHappened();
            }

            @Override
            public void await() {
                end.await();
                for (int i = 0; i < before.length; i++) {
                    restored.setDouble(i, before[i]);
                }
            }
        };
        return () -> restoring;
    }
}
