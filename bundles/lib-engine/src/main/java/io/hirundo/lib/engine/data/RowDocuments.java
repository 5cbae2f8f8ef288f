package io.hirundo.lib.engine.data;

import io.hirundo.data.DocumentRules;

/** Document boundaries in one token row, with position and loss mask of each input. A row has one token more than inputs. */
final class RowDocuments {
    private final int[] row;
    private final DocumentRules rules;
    private final int[] starts;

    RowDocuments(int[] row, DocumentRules rules) {
        this.row = row;
        this.rules = rules;
        this.starts = new int[row.length - 1];
        for (int token = 1; token < starts.length; token++) {
            starts[token] = endsDocument(row, token - 1, rules) ? token : starts[token - 1];
        }
    }

    /** First token of an input's document. */
    int start(int token) {
        return starts[token];
    }

    int position(int token) {
        return rules.resetPositions() ? token - starts[token] : token;
    }

    /** The loss mask: 1 where the label of an input counts, else 0. */
    int weight(int token) {
        return weight(row, token, rules);
    }

    static long counted(int[] row, DocumentRules rules) {
        long counted = 0;
        for (int token = 0; token < row.length - 1; token++) {
            counted += weight(row, token, rules);
        }
        return counted;
    }

    private static int weight(int[] row, int token, DocumentRules rules) {
        return rules.maskEnd() && endsDocument(row, token, rules) ? 0 : 1;
    }

    private static boolean endsDocument(int[] row, int token, DocumentRules rules) {
        return row[token] == rules.endToken();
    }
}
