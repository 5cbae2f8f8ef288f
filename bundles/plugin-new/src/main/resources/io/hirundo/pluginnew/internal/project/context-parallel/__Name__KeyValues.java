package __package__;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;

/** Keys and values of all ranks, or their gradients: [ranks B, G, S, D], those of rank 0 first. */
record __Name__KeyValues(Tensor keyNGSD, Tensor valueNGSD, long sequences) implements AutoCloseable {
    /** For heads like these; the caller closes them. */
    static __Name__KeyValues ofAllRanks(Device device, QueryKeyValue own, int ranks) {
        var dims = new ArrayList<>(own.keyBGSD().shape().dims());
        long sequences = dims.getFirst();
        dims.set(0, ranks * sequences);
        var shape = new Shape(dims);
        Tensor key = device.allocate(
                MemoryCategory.COMMUNICATION, shape, own.keyBGSD().dtype());
        try {
            return new __Name__KeyValues(
                    key,
                    device.allocate(
                            MemoryCategory.COMMUNICATION, shape, own.keyBGSD().dtype()),
                    sequences);
        } catch (RuntimeException | Error failure) {
            key.close();
            throw failure;
        }
    }

    /** These queries with a rank's keys and values. */
    QueryKeyValue with(Tensor queryBHSD, int rank) {
        return new QueryKeyValue(
                queryBHSD, keyNGSD.rows(rank * sequences, sequences), valueNGSD.rows(rank * sequences, sequences));
    }

    @Override
    public void close() {
        keyNGSD.close();
        valueNGSD.close();
    }
}
