package io.hirundo.model;

import java.util.List;
import java.util.Optional;

/** The dimensions that our strategies know. Any other name is allowed; it is never split. */
public final class Dims {
    /** Sequences of a microbatch; split by the data axis and the expert axis. */
    public static final Dim SEQUENCES = new Dim("sequences", Dim.PER_MICROBATCH);

    /** Positions of a sequence inside attention and MLP; split by the context axis. */
    public static final Dim POSITIONS = new Dim("positions", Dim.PER_MICROBATCH);

    /** Positions of a sequence in the residual stream; with sequence parallelism the tensor axis splits them, too. */
    public static final Dim RESIDUAL_POSITIONS = new Dim("residual-positions", Dim.PER_MICROBATCH);

    /** Rows of activations inside attention and MLP. */
    public static final List<Dim> ROWS = List.of(SEQUENCES, POSITIONS);

    /** Rows of the residual stream. */
    public static final List<Dim> RESIDUAL_ROWS = List.of(SEQUENCES, RESIDUAL_POSITIONS);

    /** Sequences whose tokens a rank's experts get: those of all ranks of the expert axis. Split by the data axis alone. */
    public static final Dim DISPATCHED_SEQUENCES = new Dim("dispatched-sequences", Dim.PER_MICROBATCH);

    /** Rows that experts compute on. Of a token that several experts get, each expert has a row. */
    public static final List<Dim> DISPATCHED_ROWS = List.of(DISPATCHED_SEQUENCES, RESIDUAL_POSITIONS);

    public static final String VOCABULARY = "vocabulary";
    public static final String HIDDEN = "hidden";
    public static final String QUERY_HEADS = "query-heads";
    public static final String KEY_VALUE_HEADS = "kv-heads";
    public static final String HEAD = "head";
    public static final String INNER = "inner";
    public static final String EXPERTS = "experts";

    private Dims() {}

    /** V. */
    public static Dim vocabulary(long tokens) {
        return new Dim(VOCABULARY, tokens);
    }

    /** C, channels of the residual stream. */
    public static Dim hidden(long channels) {
        return new Dim(HIDDEN, channels);
    }

    /** H. */
    public static Dim queryHeads(long heads) {
        return new Dim(QUERY_HEADS, heads);
    }

    /** G, each of which serves a group of query heads. */
    public static Dim keyValueHeads(long heads, Dim queryHeads) {
        return new Dim(KEY_VALUE_HEADS, heads, Optional.of(queryHeads));
    }

    /** D, channels of one head. */
    public static Dim head(long channels) {
        return new Dim(HEAD, channels);
    }

    /** F, channels inside an MLP. */
    public static Dim inner(long channels) {
        return new Dim(INNER, channels);
    }

    /** E, experts of a layer; split by the expert axis. */
    public static Dim experts(long experts) {
        return new Dim(EXPERTS, experts);
    }
}
