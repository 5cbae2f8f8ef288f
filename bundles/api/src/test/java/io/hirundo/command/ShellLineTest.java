package io.hirundo.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShellLineTest {
  private static final String PROGRAM = "hirundo.program";
  private static final String PROFILE = "hirundo.profile.chosen";

  @AfterEach
  void forget() {
    System.clearProperty(PROGRAM);
    System.clearProperty(PROFILE);
  }

  @Test
  void theProgramIsNamedAsItWasCalled() {
    assertEquals("hirundo train a.json", ShellLine.of("train", "a.json"));
    System.setProperty(PROGRAM, "/my tools/hirundo");
    System.setProperty(PROFILE, "cuda");
    assertEquals("'/my tools/hirundo' --profile cuda train a.json", ShellLine.of("train", "a.json"));
  }

  @Test
  void whatAShellWouldTakeApartIsQuoted() {
    assertEquals("hirundo '' 'it'\\''s' '$HOME' '~/a' 'a*' 'data[0]=1'", ShellLine.of("", "it's", "$HOME", "~/a", "a*", "data[0]=1"));
  }
}
