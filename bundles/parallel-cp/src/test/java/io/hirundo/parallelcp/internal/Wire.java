package io.hirundo.parallelcp.internal;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * A process group that copies with plain loops, as late as it may: a message passes a while after both sides have come, on a
 * thread of its own, so that whoever does not wait for its end reads old values or sends new ones.
 */
final class Wire implements Network {
    private static final long DELAY_MILLIS = 1;

    private final int ranks;
    private final Map<String, Exchange> exchanges = new HashMap<>();
    private final ExecutorService line = Executors.newSingleThreadExecutor();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    Wire(int ranks) {
        this.ranks = ranks;
    }

    @Override
    public Place join(int rank, Device device) {
        return new Group(rank);
    }

    @Override
    public void abort(Throwable cause) {
        end.completeExceptionally(cause);
    }

    @Override
    public Throwable cause(Throwable otherwise) {
        return end.isCompletedExceptionally() ? end.exceptionNow() : otherwise;
    }

    @Override
    public void close() {
        line.close();
    }

    private synchronized Pending join(String what, int parties, int rank, Tensor from, Tensor to) {
        Exchange exchange = exchanges.computeIfAbsent(what, Exchange::new);
        exchange.from[rank] = from == null ? exchange.from[rank] : (CpuTensor) from;
        exchange.to[rank] = to == null ? exchange.to[rank] : (CpuTensor) to;
        if (++exchange.joined == parties) {
            line.execute(exchange);
        }
        return () -> exchange;
    }

    private final class Exchange implements Event, Runnable {
        private final String what;
        private final CpuTensor[] from = new CpuTensor[ranks];
        private final CpuTensor[] to = new CpuTensor[ranks];
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private int joined;

        Exchange(String what) {
            this.what = what;
        }

        @Override
        public void run() {
            try {
                TimeUnit.MILLISECONDS.sleep(DELAY_MILLIS);
                if (what.startsWith("message")) {
                    copy(only(from), only(to), 0);
                } else if (what.startsWith("all-gather")) {
                    for (int source = 0; source < ranks; source++) {
                        for (CpuTensor whole : to) {
                            copy(from[source], whole, source * from[source].elements());
                        }
                    }
                } else {
                    for (int rank = 0; rank < ranks; rank++) {
                        sum(rank * to[rank].elements(), to[rank]);
                    }
                }
                done.complete(null);
            } catch (InterruptedException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        }

        private void sum(long first, CpuTensor shard) {
            for (long i = 0; i < shard.elements(); i++) {
                long at = first + i;
                shard.setDouble(
                        i,
                        IntStream.range(0, ranks)
                                .mapToDouble(rank -> from[rank].getDouble(at))
                                .sum());
            }
        }

        private static CpuTensor only(CpuTensor[] tensors) {
            List<CpuTensor> there = new ArrayList<>();
            for (CpuTensor tensor : tensors) {
                if (tensor != null) {
                    there.add(tensor);
                }
            }
            return there.size() == 1 ? there.getFirst() : null;
        }

        private static void copy(CpuTensor shard, CpuTensor whole, long first) {
            for (long i = 0; i < shard.elements(); i++) {
                whole.setDouble(first + i, shard.getDouble(i));
            }
        }

        @Override
        public boolean hasHappened() {
            return done.isDone();
        }

        @Override
        public void await() {
            try {
                CompletableFuture.anyOf(done, end).get(2, TimeUnit.MINUTES);
            } catch (ExecutionException | InterruptedException | TimeoutException e) {
                throw new CommunicationException(what + " did not end: " + e, e);
            }
        }
    }

    private final class Group implements ProcessGroup, Place {
        private final int rank;
        private final Map<String, Integer> counts = new HashMap<>();

        Group(int rank) {
            this.rank = rank;
        }

        private String next(String what) {
            return what + " number " + counts.merge(what, 1, Integer::sum);
        }

        @Override
        public ProcessGroup group() {
            return this;
        }

        @Override
        public void close() {}

        @Override
        public int rank() {
            return rank;
        }

        @Override
        public List<Integer> ranks() {
            return IntStream.range(0, ranks).boxed().toList();
        }

        @Override
        public Pending allGather(Queue after, Tensor shard, Tensor whole) {
            return join(next("all-gather"), ranks, rank, shard, whole);
        }

        @Override
        public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
            return join(next("reduce-scatter"), ranks, rank, whole, shard);
        }

        @Override
        public Pending send(Queue after, Tensor tensor, int peer) {
            return join(next("message from " + rank + " to " + peer), 2, rank, tensor, null);
        }

        @Override
        public Pending receive(Queue after, Tensor tensor, int peer) {
            return join(next("message from " + peer + " to " + rank), 2, rank, null, tensor);
        }

        @Override
        public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Pending broadcast(Queue after, Tensor inPlace, int root) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Pending allToAll(Queue after, Tensor from, Tensor to) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void barrier() {
            throw new UnsupportedOperationException();
        }
    }
}
