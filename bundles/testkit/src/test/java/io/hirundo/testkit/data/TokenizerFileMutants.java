package io.hirundo.testkit.data;

import io.hirundo.StorageException;
import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tokenizers that save or close wrongly. {@link TokenizerMutantsTest} runs them. */
final class TokenizerFileMutants {
    private TokenizerFileMutants() {}

    @Breaks("savesItsFiles")
    @HirundoContract
    static class ExpectsTheFolder extends TokenizerMutantsTest.Sound {
        @Override
        public Tokenizer tokenizer() {
            return new TokenizerMutantsTest.Chars() {
                @Override
                public void save(Path directory) {
                    if (!Files.isDirectory(directory)) {
                        throw new StorageException(directory + " is missing");
                    }
                    super.save(directory);
                }
            };
        }
    }

    @Breaks("savesItsFiles")
    @HirundoContract
    static class SavesNothing extends TokenizerMutantsTest.Sound {
        @Override
        public Tokenizer tokenizer() {
            return new TokenizerMutantsTest.Chars() {
                @Override
                public void save(Path directory) {}
            };
        }
    }

    @Breaks("closesOneTokenizer")
    @HirundoContract
    static class ClosesOnce extends TokenizerMutantsTest.Sound {
        @Override
        public Tokenizer tokenizer() {
            return new TokenizerMutantsTest.Chars() {
                private boolean closed;

                @Override
                public void close() {
                    if (closed) {
                        throw new IllegalStateException("closed");
                    }
                    closed = true;
                }
            };
        }
    }

    @Breaks("savesItsFiles")
    @HirundoContract
    static class SavesElsewhereToo extends TokenizerMutantsTest.Sound {
        @Override
        public Tokenizer tokenizer() {
            return new TokenizerMutantsTest.Chars() {
                @Override
                public void save(Path directory) {
                    super.save(directory);
                    write(directory.resolveSibling("backup"), "chars");
                }
            };
        }
    }

    @Breaks("savesItsFiles")
    @HirundoContract
    static class HidesTheUnwritableFolder extends TokenizerMutantsTest.Sound {
        @Override
        public Tokenizer tokenizer() {
            return new TokenizerMutantsTest.Chars() {
                @Override
                public void save(Path directory) {
                    try {
                        super.save(directory);
                    } catch (StorageException e) {
                        throw new StorageException("the tokenizer cannot be written", e);
                    }
                }
            };
        }
    }

    @Breaks("savesItsFiles")
    @HirundoContract
    static class SavesOtherBytesEachTime extends TokenizerMutantsTest.Sound {
        @Override
        public Tokenizer tokenizer() {
            return new TokenizerMutantsTest.Chars() {
                private int saved;

                @Override
                public void save(Path directory) {
                    super.save(directory);
                    write(directory.resolve("chars.txt"), "chars, saved " + saved++ + " times before");
                }
            };
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Breaks("closesOneTokenizer")
    @HirundoContract
    static class ClosesTheOthersToo extends TokenizerMutantsTest.Sound {
        private boolean closed;

        @Override
        public Tokenizer tokenizer() {
            closed = false;
            return new TokenizerMutantsTest.Chars() {
                @Override
                public int[] encode(String text) {
                    if (closed) {
                        throw new IllegalStateException("closed");
                    }
                    return super.encode(text);
                }

                @Override
                public void close() {
                    closed = true;
                }
            };
        }
    }
}
