package io.hirundo.dataloader.internal.clean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextCleanerTest {
    private static final String HEADER = """
      /*
       * Copyright (c) 1996, 2024, Acme and/or its affiliates. All rights reserved.
       *
       * This code is free software; you can redistribute it and/or modify it
       * under the terms of the license that came with it.
       */

      """;

    private final TextCleaner all = new TextCleaner(TextCleaner.Extract.ALL, 0);
    private final TextCleaner javadoc = new TextCleaner(TextCleaner.Extract.JAVADOC, 0);

    @Test
    void dropsLicenseHeaders() {
        assertEquals(
                Optional.of("package a;\n\nclass B {}"), all.clean("B.java", HEADER + "package a;\n\nclass B {}\n"));
        assertEquals(2, all.counts().boilerplate());
        assertEquals(
                Optional.of("He asked for a license to fish."), all.clean("fish", "He asked for a license to fish."));
    }

    @Test
    void dropsDocumentsAndParagraphsThatCameBefore() {
        String swallow = "The swallow returns every spring to the barn in which it was born.";
        String crane = "Cranes fly in formation, and call to each other all night long.";
        assertEquals(Optional.of(swallow), all.clean("1", swallow));
        assertEquals(Optional.empty(), all.clean("2", swallow));
        assertEquals(Optional.of(crane), all.clean("3", swallow + "\n\n" + crane));
        assertEquals(new TextCleaner.Counts(3, 2, 0, 2), all.counts());
    }

    @Test
    void dropsParagraphsThatDifferInNumbersCaseAndPunctuationOnly() {
        assertTrue(all.clean("1", "Opens port 80 of the first host, and waits for it.")
                .isPresent());
        assertEquals(Optional.empty(), all.clean("2", "opens port 8080 of the FIRST host -- and waits for it!"));
    }

    /** Of eleven words, seven runs of five: changing the last word leaves six of them, 86 %, and a word in the middle two. */
    @Test
    void keepsParagraphsOfWhichEnoughIsNew() {
        assertTrue(all.clean("1", "one two three four five six seven eight nine ten eleven")
                .isPresent());
        assertEquals(Optional.empty(), all.clean("2", "one two three four five six seven eight nine ten twelve"));
        assertTrue(all.clean("3", "one two three four five zero seven eight nine ten eleven")
                .isPresent());
    }

    @Test
    void dropsDocumentsOfWhichTooLittleIsLeft() {
        var strict = new TextCleaner(TextCleaner.Extract.ALL, 20);
        assertEquals(Optional.empty(), strict.clean("1", "Nineteen letters ab"));
        assertTrue(strict.clean("2", "Twenty letters in all").isPresent());
        assertEquals(1, strict.counts().kept());
    }

    @Test
    void takesTheProseOfDocumentationComments() {
        String source = HEADER + """
            package a;

            /** Not this: too short. */
            class B {
              // Comments of lines are for those who read the code, so they stay out.
              String s = "/** A string that looks like a comment, with many words in it. *" + "/", t = "a\\"/** Nor this one. */";

              /**
               * Returns the {@code List<String>} that {@linkplain java.util.Map#get the lookup} and {@link java.util.Map#put(Object, Object)}
               * find for a key&mdash;or {@code null} if there is <b>none</b> at all.
               * <pre>{@code
               *   code();
               * }</pre>
               * <p>A second paragraph, which is about &sup2; and &lt; much, says {@code {braces}} are fine.
               *
               * @param key Not this, although it is a sentence of its own and would be long enough.
               */
              int c() {
                /* An ordinary comment of many words, which is not documentation at all. */
                return 1;
              }
            }
            """;
        assertEquals(
                Optional.of(
                        "Returns the List<String> that the lookup and Map.put(Object, Object) find for a key - or null if there is none at all.\n\n"
                                + "A second paragraph, which is about &sup2; and < much, says {braces} are fine."),
                javadoc.clean("src.zip!a/B.java", source));
    }

    @Test
    void takesNotesButNotBlockTags() {
        String comment =
                "/** @implNote This implementation keeps all of its entries in one array.\n * @return Not this one, though it is long enough. */";
        assertEquals(
                Optional.of("This implementation keeps all of its entries in one array."),
                javadoc.clean("A.java", comment));
    }

    @Test
    void leavesOutWhatIsNoJavaSourceOrHasNoProse() {
        assertEquals(
                Optional.empty(), javadoc.clean("a.txt", "/** A comment in a file that is no Java source at all. */"));
        assertEquals(
                Optional.empty(),
                javadoc.clean("A.java", "/** 1 = 2, 3 = 4, 5 = 6, 7 = 8, 9 = 10, and so on, to 20. */"));
        assertEquals(
                Optional.empty(),
                javadoc.clean("B.java", "/** a beginning without an end, and without a capital letter"));
    }

    /** Nothing that a source holds may end the program. */
    @Test
    void brokenSourcesAreNoFailure() {
        var random = new Random(7);
        List<String> parts = List.of(
                "/**",
                "*/",
                "/*",
                "//",
                "\n",
                "\"",
                "\"\"\"",
                "'",
                "\\",
                "{@code ",
                "{@link ",
                "}",
                "<pre>",
                "</",
                "&#x110000;",
                "&#0;",
                "A word. ");
        for (int time = 0; time < 2000; time++) {
            var source = new StringBuilder();
            random.ints(30, 0, parts.size()).forEach(part -> source.append(parts.get(part)));
            javadoc.clean("A.java", source.toString());
        }
        assertEquals(2000, javadoc.counts().documents());
    }

    @Test
    void hashesAreFoundAgain() {
        var set = new LongSet();
        var random = new Random(3);
        long[] hashes = random.longs(5000).toArray();
        for (long hash : hashes) {
            assertFalse(set.contains(hash));
            set.add(hash);
            set.add(hash);
        }
        for (long hash : hashes) {
            assertTrue(set.contains(hash));
        }
        assertFalse(set.contains(0));
        set.add(0);
        assertTrue(set.contains(0));
    }
}
