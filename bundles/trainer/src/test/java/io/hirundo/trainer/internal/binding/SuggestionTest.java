package io.hirundo.trainer.internal.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SuggestionTest {
  private static final List<String> MANY = IntStream.range(0, 40).mapToObj(index -> "someSetting" + index).toList();

  @Test
  void shortensLongListsAndNamesTheCommandThatPrintsAll() {
    String said = Suggestion.among("nothingLikeIt", MANY);
    assertTrue(said.startsWith("allowed: someSetting0, someSetting1, "), said);
    assertTrue(said.endsWith(", someSetting14, someSetting15 and 24 more; to print all: hirundo config reference"), said);
  }

  @Test
  void suggestsWordsThatTheShortenedListOmits() {
    String said = Suggestion.among("someSeting39", MANY);
    assertTrue(said.startsWith("did you mean \"someSetting39\"? allowed: someSetting0, "), said);
  }

  @Test
  void listsNothingForTextThatCannotBeAName() {
    for (String text : List.of("n".repeat(41), "\u000e".repeat(7))) {
      assertEquals("to print all that are allowed: hirundo config reference", Suggestion.among(text, MANY));
    }
  }

  @Test
  void showsAtLeastOneWord() {
    String name = "n".repeat(300);
    assertEquals("allowed: " + name + " and 1 more; to print all: hirundo config reference", Suggestion.among("nothing", List.of(name, "other")));
  }
}
