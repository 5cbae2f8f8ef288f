package io.hirundo.parallelcp.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Keys and values of a rank's chunks, or their gradients. Both tensors are [N, G, s, D].
 */
record KeyValue(Tensor keyNGsD, Tensor valueNGsD) implements AutoCloseable {
    static KeyValue of(QueryKeyValue in) {
        return new KeyValue(in.keyBGSD(), in.valueBGSD());
    }

    /** Allocates a transfer buffer; the caller owns it. */
    static KeyValue allocate(Device device, Shape shape, DType dtype) {
        Tensor key = device.allocate(MemoryCategory.COMMUNICATION, shape, dtype);
        try {
            return new KeyValue(key, device.allocate(MemoryCategory.COMMUNICATION, shape, dtype));
        } catch (RuntimeException e) {
            key.close();
            throw e;
        }
    }

    /** One chunk of every sequence: rows {@code [index B, index B + B)}. */
    KeyValue piece(int index, int sequences) {
        return rows((long) index * sequences, sequences);
    }

    /** The part of one rank in a gathered tensor. */
    KeyValue ofRank(int rank, int sequences) {
        long rows = (long) BalancedContext.CHUNKS * sequences;
        return rows(rank * rows, rows);
    }

    void addTo(ElementwiseKernels kernels, Queue queue, KeyValue sum) {
        kernels.add(queue, keyNGsD, sum.keyNGsD);
        kernels.add(queue, valueNGsD, sum.valueNGsD);
    }

    void zero(ElementwiseKernels kernels, Queue queue) {
        kernels.fill(queue, keyNGsD, 0);
        kernels.fill(queue, valueNGsD, 0);
    }

    @Override
    public void close() {
        keyNGsD.close();
        valueNGsD.close();
    }

    private KeyValue rows(long first, long count) {
        return new KeyValue(keyNGsD.rows(first, count), valueNGsD.rows(first, count));
    }
}
