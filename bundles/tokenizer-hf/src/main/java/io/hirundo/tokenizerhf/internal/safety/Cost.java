package io.hirundo.tokenizerhf.internal.safety;

/**
 * An upper bound {@code constant + linear * n} for n characters of text; faster growth is {@link #UNBOUNDED}.
 *
 * @param constant part that does not depend on the text
 * @param linear part per character
 */
record Cost(double constant, double linear) {
    static final Cost ZERO = new Cost(0, 0);
    static final Cost ONE = new Cost(1, 0);
    static final Cost UNBOUNDED = new Cost(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);

    /** One per character that a repetition matches. */
    static final Cost PER_CHARACTER = new Cost(1, 1);

    /** Far above what published patterns need, far below the library's limit. */
    private static final double MOST = 1e5;

    boolean isBounded() {
        return Double.isFinite(constant);
    }

    private static Cost of(double constant, double linear) {
        return constant <= MOST && linear <= MOST ? new Cost(constant, linear) : UNBOUNDED;
    }

    Cost plus(Cost other) {
        return of(constant + other.constant, linear + other.linear);
    }

    Cost times(Cost other) {
        if (equals(ZERO) || other.equals(ZERO)) {
            return ZERO;
        }
        if (!isBounded() || !other.isBounded() || linear > 0 && other.linear > 0) {
            return UNBOUNDED;
        }
        return of(constant * other.constant, constant * other.linear + linear * other.constant);
    }
}
