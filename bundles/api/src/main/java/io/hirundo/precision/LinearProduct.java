package io.hirundo.precision;

/** One of the three GEMMs of a linear layer: T tokens, N output features, K input features. */
public enum LinearProduct {
    /** {@code y[T,N] = x[T,K] w[N,K]ᵀ}. */
    OUTPUT(Operand.INPUT, Operand.WEIGHT),
    /** {@code dx[T,K] = dy[T,N] w[N,K]}. */
    INPUT_GRADIENT(Operand.OUTPUT_GRADIENT, Operand.WEIGHT),
    /** {@code dw[N,K] += dy[T,N]ᵀ x[T,K]}. */
    WEIGHT_GRADIENT(Operand.OUTPUT_GRADIENT, Operand.INPUT);

    private final Operand left;
    private final Operand right;

    LinearProduct(Operand left, Operand right) {
        this.left = left;
        this.right = right;
    }

    /** The operand that has the rows of the result. */
    public Operand left() {
        return left;
    }

    /** The operand that has the columns of the result. */
    public Operand right() {
        return right;
    }

    /** Whether {@code operand}, stored as the layer has it, has what this product sums over as its last dimension. */
    public boolean contractsLast(Operand operand) {
        return switch (this) {
            case OUTPUT -> true;
            case INPUT_GRADIENT -> operand == Operand.OUTPUT_GRADIENT;
            case WEIGHT_GRADIENT -> false;
        };
    }
}
