package io.hirundo.devicemeta.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicemeta.internal.BookedLedger;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.function.Executable;

/** Kernels that book their operations and bytes. */
abstract class CountedKernels {
    private final BookedLedger ledger = new BookedLedger();
    final Device device = new MetaFactory().create(new MetaOptions()).open(0, ledger);
    final Kernels kernels = device.kernels();

    @AfterEach
    void close() {
        device.close();
    }

    Tensor fp32(long... dims) {
        return tensor(DType.FP32, dims);
    }

    Tensor tensor(DType dtype, long... dims) {
        return device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(dims), dtype);
    }

    void booked(String... work) {
        assertEquals(List.of(work), ledger.work);
    }

    static void rejected(String operand, Executable call) {
        var failure = assertThrows(IllegalArgumentException.class, call);
        assertTrue(failure.getMessage().startsWith(operand + " "), failure.getMessage());
    }
}
