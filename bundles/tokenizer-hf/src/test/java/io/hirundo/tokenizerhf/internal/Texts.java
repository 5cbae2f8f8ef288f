package io.hirundo.tokenizerhf.internal;

import java.util.List;
import java.util.SplittableRandom;

/** Made-up texts: the same seed gives the same text. */
public final class Texts {
    private static final List<String> WORDS = List.of(
            "the",
            "swallow",
            "flies",
            "home",
            "Return",
            "public",
            "static",
            "void",
            "{@code",
            "null}",
            "int[]",
            "x",
            "I'm",
            "we'LL",
            "don't",
            "ツバメ",
            "は",
            "家に",
            "帰る。",
            "日本語",
            "の",
            "文章です",
            "Größe",
            "naïve",
            "élan",
            "слово",
            "한국어",
            "ไทย",
            "हिन्दी",
            "12",
            "3.14159",
            "2026",
            "٣٤",
            "Ⅷ",
            "½",
            "0x1F",
            "😀",
            "👩‍👩‍👧",
            "🇯🇵",
            "e\u0301",
            "==>",
            "//",
            "/**",
            "*/",
            ";",
            "()",
            "\"",
            "'s",
            "''");
    private static final List<String> GAPS = List.of(
            " ", " ", " ", " ", " ", " ", "  ", "", "\n", "\n\n", "\r\n", "\n    ", "\t", "\u3000", "\u00a0", ", ",
            ".\n", " \n", "\u0085", "\u2028");
    private static final List<String> ODDITIES = List.of(
            "\u0000",
            "\u0001\u001f",
            "\u007f",
            "\ufeff",
            "\u200b",
            "\uffff",
            "\ufffd",
            "\r",
            "\n",
            " ".repeat(300),
            "\n".repeat(70),
            "\t".repeat(33),
            "a".repeat(500),
            "=".repeat(200),
            "ab".repeat(150),
            "\ud83d\ude00".repeat(50),
            "\ud800\udc00",
            "\udbff\udfff",
            "\u0e33",
            "\u115f",
            "9".repeat(40));

    private Texts() {}

    /** Prose of several languages, code, numbers, and all sorts of white space between. */
    public static String prose(long seed, int words) {
        var random = new SplittableRandom(seed);
        var text = new StringBuilder();
        for (int i = 0; i < words; i++) {
            // Squared, so that some words are common and others rare.
            double place = random.nextDouble();
            text.append(WORDS.get((int) (place * place * WORDS.size()))).append(GAPS.get(random.nextInt(GAPS.size())));
        }
        return text.toString();
    }

    /** Prose with control characters, long runs, and characters from anywhere in Unicode. */
    public static String odd(long seed, int pieces) {
        var random = new SplittableRandom(seed);
        var text = new StringBuilder();
        for (int i = 0; i < pieces; i++) {
            switch (random.nextInt(4)) {
                case 0 -> text.append(ODDITIES.get(random.nextInt(ODDITIES.size())));
                case 1 -> text.append(prose(random.nextLong(), 3));
                case 2 -> text.appendCodePoint(scalar(random));
                default -> text.append((char) random.nextInt(128));
            }
        }
        return text.toString();
    }

    private static int scalar(SplittableRandom random) {
        int point = random.nextInt(Character.MAX_CODE_POINT + 1);
        return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 'x' : point;
    }
}
