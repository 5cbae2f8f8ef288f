package io.hirundo.dataloader.internal.command;

import io.hirundo.DataException;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.data.DocumentFrame;
import io.hirundo.data.SpecialTokens;
import io.hirundo.data.TextDocument;
import io.hirundo.data.Tokenizer;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Makes the tokens of a document, between the ids that begin and end one, and counts the names of special tokens in its text.
 * Thread-safe.
 */
final class DocumentEncoder {
    private final Tokenizer tokenizer;
    private final DocumentFrame frame;
    private final SpecialTokens special;
    private final Map<String, LongAdder> met = new ConcurrentHashMap<>();

    DocumentEncoder(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
        frame = DocumentFrame.of(tokenizer);
        special = tokenizer.specialTokens();
    }

    DocumentFrame frame() {
        return frame;
    }

    /** How often the documents so far contained each name of a special token; the names sorted. */
    SortedMap<String, Long> met() {
        var counts = new TreeMap<String, Long>();
        met.forEach((name, count) -> counts.put(name, count.sum()));
        return counts;
    }

    int[] encode(TextDocument document) {
        for (SpecialTokens.Match match : special.in(document.text())) {
            met.computeIfAbsent(match.name(), _ -> new LongAdder()).increment();
        }
        return frame.around(encodeText(document));
    }

    private int[] encodeText(TextDocument document) {
        try {
            return tokenizer.encode(document.text());
        } catch (HirundoException failure) {
            throw failure;
        } catch (RuntimeException failure) {
            throw new DataException(document.origin() + " cannot be tokenized: " + Reason.of(failure), failure);
        }
    }
}
