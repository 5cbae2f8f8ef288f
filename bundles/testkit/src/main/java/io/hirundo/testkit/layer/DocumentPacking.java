package io.hirundo.testkit.layer;

/** What the sequences of a microbatch consist of. */
enum DocumentPacking {
    ONE_DOCUMENT,
    /** The second document begins elsewhere in each sequence. */
    TWO_DOCUMENTS;

    /** The position where the document of a token of the complete microbatch starts. */
    int documentStart(int token) {
        if (this == ONE_DOCUMENT) {
            return 0;
        }
        int second = 1 + token / SplitRows.SEQUENCE_TOKENS % (SplitRows.SEQUENCE_TOKENS - 1);
        return token % SplitRows.SEQUENCE_TOKENS < second ? 0 : second;
    }
}
