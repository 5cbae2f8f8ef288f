package io.hirundo.parallelcp.internal;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.host.HostTensor;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Ranks as threads, each with a device; their messages pass through a {@link Network}. */
final class ThreadRanks {
    /** What one rank has at hand. */
    record Rank(Device device, Queue queue, ProcessGroup group, Books books) {}

    @FunctionalInterface
    interface Work<T> {
        T run(Rank rank) throws Exception;
    }

    private ThreadRanks() {}

    /** Results in rank order; the first failure of any rank is thrown. */
    static <T> List<T> run(int ranks, Network network, Work<T> work) throws Exception {
        ComputeBackend backend = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.REFERENCE));
        try (var threads = Executors.newFixedThreadPool(ranks)) {
            var results = new ArrayList<Future<T>>();
            for (int rank = 0; rank < ranks; rank++) {
                int number = rank;
                Callable<T> whole = () -> {
                    var books = new Books();
                    try (Device device = backend.open(0, books);
                            Queue queue = device.newQueue("test");
                            Network.Place place = network.join(number, device)) {
                        fillWithGarbage(device);
                        return aborting(network, work, new Rank(device, queue, place.group(), books));
                    }
                };
                results.add(threads.submit(whole));
            }
            var values = new ArrayList<T>();
            for (Future<T> result : results) {
                try {
                    values.add(result.get());
                } catch (ExecutionException e) {
                    throw new AssertionError(network.cause(e.getCause()));
                }
            }
            return values;
        } finally {
            network.close();
        }
    }

    private static <T> T aborting(Network network, Work<T> work, Rank rank) throws Exception {
        try {
            return work.run(rank);
        } catch (Throwable e) {
            network.abort(e);
            throw e;
        }
    }

    /** So that memory that nobody has written is not zero by chance: elements of all floating types are NaN. */
    private static void fillWithGarbage(Device device) {
        try (Tensor garbage = device.allocate(MemoryCategory.WORKSPACE, Shape.of(1 << 20), DType.FP64)) {
            HostTensor.of("garbage", garbage).memory().fill((byte) 0xff);
        }
    }
}
