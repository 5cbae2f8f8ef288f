package io.hirundo.dataloader.internal.clean;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Cleans documents one after the other; remembers what it kept, so that later repetitions go. The order of documents decides which stay. */
public final class TextCleaner {
    /** Which text of a document is kept. */
    public enum Extract {
        /** All of its text. */
        ALL,
        /** The prose in the documentation comments of Java sources; other documents are left out. */
        JAVADOC
    }

    /**
     * What was done so far.
     *
     * @param documents documents read
     * @param kept documents that were kept
     * @param boilerplate paragraphs of licenses and the like that were dropped
     * @param repeated paragraphs that were dropped as near-duplicates
     */
    public record Counts(long documents, long kept, long boilerplate, long repeated) {}

    private static final String JAVA = ".java";

    private final Extract extract;
    private final int leastChars;
    private final NearDuplicates duplicates = new NearDuplicates();
    private long documents;
    private long kept;
    private long boilerplate;
    private long repeated;

    /** {@code leastChars}: documents of which fewer characters are left are dropped. */
    public TextCleaner(Extract extract, int leastChars) {
        this.extract = extract;
        this.leastChars = leastChars;
    }

    /** What stays of a document, paragraphs separated by blank lines; empty where that is too little. {@code origin} ends with the file's name. */
    public Optional<String> clean(String origin, String text) {
        documents++;
        List<String> paragraphs = switch (extract) {
            case ALL -> Paragraphs.of(text);
            case JAVADOC -> origin.endsWith(JAVA) ? JavaProse.paragraphs(text) : List.of();
        };
        String cleaned = String.join(
                "\n\n",
                paragraphs.stream().filter(this::isOrdinary).filter(this::isNew).toList());
        if (cleaned.isEmpty() || cleaned.length() < leastChars) {
            return Optional.empty();
        }
        kept++;
        return Optional.of(cleaned);
    }

    private boolean isOrdinary(String paragraph) {
        return keeps(Predicate.not(Boilerplate::is), paragraph, () -> boilerplate++);
    }

    private boolean isNew(String paragraph) {
        return keeps(duplicates::isNew, paragraph, () -> repeated++);
    }

    private static boolean keeps(Predicate<String> test, String paragraph, Runnable dropped) {
        boolean keeps = test.test(paragraph);
        if (!keeps) {
            dropped.run();
        }
        return keeps;
    }

    public Counts counts() {
        return new Counts(documents, kept, boilerplate, repeated);
    }
}
