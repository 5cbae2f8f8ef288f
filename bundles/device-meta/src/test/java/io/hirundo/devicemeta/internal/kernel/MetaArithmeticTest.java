package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.tensor.DType;
import org.junit.jupiter.api.Test;

class MetaArithmeticTest extends CountedKernels {
    @Test
    void booksOperationsAndBytes() {
        var arithmetic = kernels.arithmetic().orElseThrow();
        arithmetic.axpby(null, Factor.of(1, tensor(DType.FP64, 1)), fp32(7), 1, fp32(7));
        arithmetic.multiply(null, fp32(7), fp32(7));
        arithmetic.divide(null, fp32(7), 0, fp32(7));
        arithmetic.squareRoot(null, fp32(7));
        arithmetic.sign(null, tensor(DType.BF16, 7));
        booked(
                "arithmetic.axpby 21 56",
                "arithmetic.multiply 7 56",
                "arithmetic.divide 14 56",
                "arithmetic.squareRoot 7 28",
                "arithmetic.sign 7 14");
    }

    @Test
    void rejectsWrongOperandsByName() {
        var arithmetic = kernels.arithmetic().orElseThrow();
        rejected("xN", () -> arithmetic.axpby(null, Factor.of(1), fp32(8), 1, fp32(7)));
        rejected("xN", () -> arithmetic.multiply(null, tensor(DType.BF16, 7), fp32(7)));
        rejected("yN", () -> arithmetic.divide(null, fp32(7), 0, tensor(DType.INT32, 7)));
        rejected("xN", () -> arithmetic.sign(null, tensor(DType.INT32, 7)));
    }
}
