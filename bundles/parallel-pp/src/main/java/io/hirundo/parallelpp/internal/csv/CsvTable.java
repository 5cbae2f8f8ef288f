package io.hirundo.parallelpp.internal.csv;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.Action;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A schedule's table: UTF-8, a line for each rank from 0 on, its actions between commas. A cell is {@code F}, {@code B} or
 * {@code W}, the microbatch, and of another chunk than 0 a dot and the chunk: {@code F0}, {@code B12}, {@code W3.1}. Spaces
 * around cells do not count; empty cells are pauses for the eye. Empty lines, and those that begin with {@code #}, are left
 * out.
 *
 * @param source for messages
 * @param rows actions of each rank, none of them twice
 */
record CsvTable(String source, List<List<Action>> rows) {
  private static final Pattern CELL = Pattern.compile("([FBW])(\\d{1,6})(?:\\.(\\d{1,4}))?");

  /** The character that spreadsheets put before UTF-8. */
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  static CsvTable read(Path file) {
    try {
      return parse(file.toString(), Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new ConfigurationException("schedule csv: file " + file + " is not there", e);
    } catch (CharacterCodingException e) {
      throw new ConfigurationException("schedule csv: file " + file + " is not text in UTF-8", e);
    } catch (IOException e) {
      throw new ConfigurationException("schedule csv: file " + file + " cannot be read: " + e.getMessage(), e);
    }
  }

  static CsvTable parse(String source, String text) {
    String[] lines = (text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text).split("\\R", -1);
    List<List<Action>> rows = new ArrayList<>();
    for (int line = 0; line < lines.length; line++) {
      if (!lines[line].isBlank() && !lines[line].startsWith("#")) {
        rows.add(row(source, line + 1, lines[line]));
      }
    }
    if (rows.stream().allMatch(List::isEmpty)) {
      throw new ConfigurationException("schedule csv: " + source + " has no actions");
    }
    return new CsvTable(source, List.copyOf(rows));
  }

  private static List<Action> row(String source, int line, String text) {
    String[] cells = text.split(",", -1);
    Map<Action, Integer> columns = new HashMap<>();
    List<Action> actions = new ArrayList<>();
    for (int column = 1; column <= cells.length; column++) {
      String cell = cells[column - 1].strip();
      if (!cell.isEmpty()) {
        String place = "schedule csv: " + source + ", row " + line + ", column " + column + ": ";
        Action action = action(place, cell);
        Integer before = columns.putIfAbsent(action, column);
        if (before != null) {
          throw new ConfigurationException(place + cell + " is in column " + before + " already");
        }
        actions.add(action);
      }
    }
    return List.copyOf(actions);
  }

  private static Action action(String place, String cell) {
    Matcher parts = CELL.matcher(cell);
    if (!parts.matches()) {
      throw new ConfigurationException(
          place + "'" + cell + "' is no action: F, B or W, the microbatch, and of another chunk than 0 a dot and the chunk, F0 or W3.1 for instance");
    }
    int chunk = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
    return new Action(kind(parts.group(1).charAt(0)), Integer.parseInt(parts.group(2)), chunk);
  }

  private static Action.Kind kind(char letter) {
    for (Action.Kind kind : Action.Kind.values()) {
      if (kind.letter() == letter) {
        return kind;
      }
    }
    throw new IllegalStateException("no kind " + letter);
  }

  int chunks() {
    return 1 + rows.stream().flatMap(List::stream).mapToInt(Action::chunk).max().orElse(0);
  }

  int microbatches() {
    return 1 + rows.stream().flatMap(List::stream).mapToInt(Action::microbatch).max().orElse(0);
  }
}
