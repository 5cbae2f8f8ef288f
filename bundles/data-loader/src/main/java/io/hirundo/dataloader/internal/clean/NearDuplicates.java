package io.hirundo.dataloader.internal.clean;

import io.hirundo.dataloader.internal.order.Mixing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Recognizes paragraphs whose words came before: a paragraph is a near-duplicate when at least {@link #MOST_SEEN} of its shingles (runs
 * of {@link #SHINGLE_WORDS} words, Broder 1997) are in paragraphs that were kept. Case, digits and punctuation do not count, so that
 * templates filled in with other names and numbers are found too. Of equals the first stays.
 */
final class NearDuplicates {
    static final int SHINGLE_WORDS = 5;
    static final double MOST_SEEN = 0.8;

    private final LongSet seen = new LongSet();

    /** Remembers the paragraph and returns true, unless it is a near-duplicate. */
    boolean isNew(String paragraph) {
        List<Long> shingles = shingles(paragraph);
        long known = shingles.stream().filter(seen::contains).count();
        if (shingles.isEmpty() || known >= MOST_SEEN * shingles.size()) {
            return false;
        }
        shingles.forEach(seen::add);
        return true;
    }

    /** Of a text with fewer words than a shingle has: one of all its words; of a text without any: none. */
    private static List<Long> shingles(String paragraph) {
        List<Long> words = words(paragraph);
        var shingles = new ArrayList<Long>();
        int length = Math.min(SHINGLE_WORDS, words.size());
        for (int first = 0; length > 0 && first + length <= words.size(); first++) {
            long hash = length;
            for (int word = first; word < first + length; word++) {
                hash = Mixing.mix(hash * 31 + words.get(word));
            }
            shingles.add(hash);
        }
        return shingles;
    }

    /** Hashes of the words, which are runs of letters in lower case. */
    private static List<Long> words(String paragraph) {
        var words = new ArrayList<Long>();
        String text = paragraph.toLowerCase(Locale.ROOT);
        long hash = 0;
        for (int index = 0; index < text.length(); index++) {
            char letter = text.charAt(index);
            if (Character.isLetter(letter) || Character.isSurrogate(letter)) {
                hash = hash * 1_000_003 + letter;
            } else if (hash != 0) {
                words.add(hash);
                hash = 0;
            }
        }
        if (hash != 0) {
            words.add(hash);
        }
        return words;
    }
}
