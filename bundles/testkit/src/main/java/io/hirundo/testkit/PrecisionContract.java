package io.hirundo.testkit;

import io.hirundo.testkit.precision.ArithmeticClauses;
import io.hirundo.testkit.precision.GemmClauses;
import io.hirundo.testkit.precision.LayerClauses;
import io.hirundo.testkit.precision.QuantizedTransferClauses;
import io.hirundo.testkit.precision.RunClauses;

/**
 * Contract tests for a {@code PrecisionStrategy}: its GEMMs; where it has them, quantized weights, packed operands and quantized
 * transfers; its reported quantization error; and its behavior when ranks shard a weight or a parity check is discarded.
 */
public interface PrecisionContract
        extends GemmClauses, LayerClauses, ArithmeticClauses, QuantizedTransferClauses, RunClauses {}
