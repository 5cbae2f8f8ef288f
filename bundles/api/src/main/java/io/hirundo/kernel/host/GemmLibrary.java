package io.hirundo.kernel.host;

import io.hirundo.tensor.DType;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A library that multiplies matrices in host memory. An OSGi service: a bundle that offers it makes the device {@code cpu} faster.
 * Thread-safe. A device that has prepared products keeps them when the bundle stops, so native code must stay loaded.
 *
 * <p>Its results must be a function of the operands alone. A row of an FP32 result has the same bits whatever the number of rows, and a
 * column whatever the number of columns, as long as a product has at least two of each: devices compute single rows and columns apart. A
 * BF16 result that has no more columns than rows is the FP32 result, rounded once; devices round wider ones themselves.
 */
@ConsumerType
public interface GemmLibrary {
    /** As configurations name it: lower case, digits and hyphens. */
    String name();

    /**
     * For logs: what multiplies, as in {@code oneDNN 3.13.0, BF16 with avx512_core_bf16}. Loads the library.
     *
     * @throws io.hirundo.HirundoException if it cannot be loaded
     */
    String description();

    /**
     * Why operands of this type should not be multiplied by this library on this machine, as the end of a sentence; empty if they should.
     * Never throws: a library that cannot be loaded is an obstacle.
     *
     * @param operands FP32 or BF16, of both operands
     */
    Optional<String> obstacle(DType operands);

    /**
     * Whether operands of this type multiply faster here than by Java's Vector API; asked where there is no {@link #obstacle}. A device
     * that is to choose takes the library for these types alone, since the Vector API has the same bits on every machine.
     */
    default boolean isFaster(DType operands) {
        return true;
    }

    /**
     * Prepares a product for repeated use. May take milliseconds, since libraries generate code.
     *
     * @throws io.hirundo.DeviceException if the library has no kernel for it
     */
    PreparedProduct prepare(TileProduct product);
}
