package io.hirundo.tokenizerhf.internal;

import io.hirundo.DataException;
import io.hirundo.command.Interruption;
import io.hirundo.data.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * Any {@code tokenizer.json}, by the Hugging Face library. Nothing is read before the first call. Thread-safe.
 *
 * <p>Encodes a lone surrogate, which UTF-8 cannot represent, as U+FFFD. Names of special tokens in a text become their ids, as usual for
 * such files.
 */
final class HuggingFaceTokenizer implements Tokenizer {
  private final NativeLibrary library;
  private final Interruption interruption;
  private final Path source;
  private Opened opened;
  private boolean closed;

  HuggingFaceTokenizer(NativeLibrary library, Path source, Interruption interruption) {
    this.interruption = interruption;
    this.library = library;
    this.source = source;
  }

  /** Created by the first call. */
  private record Opened(TokenizerFiles files, TokenizerDescription description, NativeTokenizer tokenizer) {}

  private synchronized Opened opened() {
    if (closed) {
      throw new IllegalStateException("the tokenizer of " + source + " is closed");
    }
    if (opened == null) {
      opened = open();
    }
    return opened;
  }

  private Opened open() {
    var files = TokenizerFiles.read(source);
    var description = TokenizerDescription.of(files);
    library.trial(interruption).require(files.tokenizer(), description.vocabularySize(), files.path().toString());
    var binding = library.get();
    try {
      return new Opened(files, description, new NativeTokenizer(binding, new String(files.tokenizer(), StandardCharsets.UTF_8)));
    } catch (NativeTokenizer.FailedException e) {
      throw new DataException("tokenizer " + files.path() + ": the Hugging Face library does not accept it (" + e.getMessage()
          + "): save it again with a current version of the tool that made it", e);
    }
  }

  @Override
  public int vocabularySize() {
    return opened().description().vocabularySize();
  }

  @Override
  public int[] encode(String text) {
    var open = opened();
    String valid = wellFormed(text);
    if (!open.description().hasSafeBorders()) {
      return encode(open, valid);
    }
    List<String> pieces = SafeBorders.split(valid);
    if (pieces.size() == 1) {
      return encode(open, valid);
    }
    int[] ids = new int[valid.length() / 3];
    int count = 0;
    for (String piece : pieces) {
      int[] more = encode(open, piece);
      if (count + more.length > ids.length) {
        ids = Arrays.copyOf(ids, Math.max(count + more.length, ids.length + ids.length / 2));
      }
      System.arraycopy(more, 0, ids, count, more.length);
      count += more.length;
    }
    return Arrays.copyOf(ids, count);
  }

  private static int[] encode(Opened open, String text) {
    open.description().patterns().require(text, open.files().path().toString());
    try {
      return open.tokenizer().encode(text);
    } catch (NativeTokenizer.FailedException e) {
      throw new DataException("tokenizer " + open.files().path() + ": it cannot encode a text (" + e.getMessage()
          + "): give it a token for what it does not know, or use another tokenizer", e);
    }
  }

  /** The text, or a copy without lone surrogates. */
  private static String wellFormed(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      return text.codePoints()
          .map(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xFFFD : point)
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString();
    }
    return text;
  }

  @Override
  public String decode(int[] ids) {
    return opened().tokenizer().decode(ids);
  }

  @Override
  public OptionalInt beginOfText() {
    return opened().description().beginOfText();
  }

  @Override
  public OptionalInt endOfText() {
    return opened().description().endOfText();
  }

  @Override
  public void save(Path directory) {
    opened().files().save(directory);
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (opened != null) {
      opened.tokenizer().close();
      opened = null;
    }
  }
}
