package io.hirundo.trainer.internal.parity;

import io.hirundo.data.DataSource;
import io.hirundo.data.DocumentRules;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;

/** Documents of 1 to 15 tokens, with any document rules. */
record StructuredDocuments(DocumentRules documents) implements DataSource {
    static final StructuredDocuments WITH_ALL_RULES = new StructuredDocuments(new DocumentRules(1, true, true, true));

    @Override
    public SampleSet open(SampleRequest request) {
        return new StructuredTokens() {
            @Override
            public void read(Split split, long index, int[] into) {
                super.read(split, index, into);
                for (int end = (int) (index * 7 % 15); end < into.length; end += 1 + (into[end / 2] + end) % 15) {
                    into[end] = documents.endToken();
                }
            }

            @Override
            public DocumentRules documents() {
                return documents;
            }
        };
    }
}
