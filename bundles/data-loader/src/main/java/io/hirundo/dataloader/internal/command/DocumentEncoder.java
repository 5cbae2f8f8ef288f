package io.hirundo.dataloader.internal.command;

import io.hirundo.DataException;
import io.hirundo.HirundoException;
import io.hirundo.data.TextDocument;
import io.hirundo.data.Tokenizer;
import java.util.Arrays;
import java.util.OptionalInt;

/**
 * Makes the tokens of a document: between the ids that begin a text and end a document, where the tokenizer has them, as
 * models of that tokenizer know it. Where both are one id, it is written once, at the end: what goes before a document is then
 * the end of the one before. Thread-safe.
 */
final class DocumentEncoder {
  private final Tokenizer tokenizer;
  private final OptionalInt begin;
  private final OptionalInt end;

  DocumentEncoder(Tokenizer tokenizer) {
    this.tokenizer = tokenizer;
    end = tokenizer.endOfText();
    begin = tokenizer.beginOfText().equals(end) ? OptionalInt.empty() : tokenizer.beginOfText();
  }

  int[] encode(TextDocument document) {
    int[] text = encodeText(document);
    int before = begin.isPresent() ? 1 : 0;
    int[] tokens = Arrays.copyOf(text, before + text.length + (end.isPresent() ? 1 : 0));
    System.arraycopy(text, 0, tokens, before, text.length);
    begin.ifPresent(id -> tokens[0] = id);
    end.ifPresent(id -> tokens[tokens.length - 1] = id);
    return tokens;
  }

  private int[] encodeText(TextDocument document) {
    try {
      return tokenizer.encode(document.text());
    } catch (HirundoException failure) {
      throw failure;
    } catch (RuntimeException failure) {
      throw new DataException(document.origin() + " cannot be tokenized: " + failure.getMessage(), failure);
    }
  }
}
