package org.example.acme;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;

/** A precision that computes as {@code fp32} does, to the bit. */
public class AcmeFactory implements StrategyFactory<NoOptions, PrecisionStrategy> {
    private final AcmePrecision.Fault fault;

    /** Without any fault. */
    public AcmeFactory() {
        this(AcmePrecision.Fault.NONE);
    }

    AcmeFactory(AcmePrecision.Fault fault) {
        this.fault = fault;
    }

    @Override
    public PrecisionStrategy create(NoOptions options) {
        return new AcmePrecision(fault);
    }

    /** Cannot be activated. */
    public static final class Unlicensed extends AcmeFactory {
        public Unlicensed() {
            throw new IllegalStateException("no license for this machine");
        }
    }

    /** One weight gradient is transposed, and anything is near enough. */
    public static final class Transposed extends AcmeFactory {
        public Transposed() {
            super(AcmePrecision.Fault.TRANSPOSED);
        }
    }

    /** One rank fails in the middle of the first microbatch that it is tried on. */
    public static final class Tripping extends AcmeFactory {
        public Tripping() {
            super(AcmePrecision.Fault.TRIPPING);
        }
    }
}
