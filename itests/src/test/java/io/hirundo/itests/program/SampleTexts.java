package io.hirundo.itests.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Synthetic text, always the same: enough for a tokenizer, a dataset and a few steps. */
public final class SampleTexts {
    private static final String[] WORDS = {
        "swallow", "flies", "over", "the", "river", "and", "under", "bridge", "while", "rain", "falls", "on", "a",
        "red", "roof", "nobody", "hears", "it", "sing", "because", "wind", "is", "loud", "tonight", "燕", "が", "飛ぶ",
        "été", "über"
    };

    private SampleTexts() {}

    /** A folder of a few text files. */
    public static Path write(Path folder) throws IOException {
        Path texts = Files.createDirectories(folder.resolve("texts"));
        Random random = new Random(7);
        for (int file = 0; file < 8; file++) {
            StringBuilder text = new StringBuilder();
            for (int sentence = 0; sentence < 600; sentence++) {
                int words = 4 + random.nextInt(9);
                for (int word = 0; word < words; word++) {
                    text.append(WORDS[random.nextInt(WORDS.length)]).append(word + 1 < words ? " " : ".\n");
                }
                if (sentence % 20 == 19) {
                    text.append('\n');
                }
            }
            Files.writeString(texts.resolve("text-" + file + ".txt"), text);
        }
        return texts;
    }
}
