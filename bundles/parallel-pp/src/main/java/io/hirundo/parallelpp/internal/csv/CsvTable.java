package io.hirundo.parallelpp.internal.csv;

import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.schedule.Action;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A schedule's table: UTF-8, a line for each rank from 0 on, actions separated by commas. A cell is {@code F}, {@code B} or
 * {@code W}, the microbatch, and for another chunk than 0 a dot and the chunk: {@code F0}, {@code B12}, {@code W3.1}. Spaces
 * around cells and empty cells are ignored, as are empty lines and those that start with {@code #}.
 *
 * @param source for messages
 * @param rows of each rank
 */
record CsvTable(String source, List<Row> rows) {
    /**
     * A rank's row.
     *
     * @param line in the file, from 1
     * @param cells the nonempty ones, without duplicate actions
     */
    record Row(int line, List<Cell> cells) {
        Row {
            cells = List.copyOf(cells);
        }

        List<Action> actions() {
            return cells.stream().map(Cell::action).toList();
        }
    }

    /** {@code column}: from 1, counting empty cells. */
    record Cell(int column, Action action) {}

    private static final Pattern CELL = Pattern.compile("([FBW])(\\d{1,6})(?:\\.(\\d{1,4}))?");

    /** Bounds the memory: a quarter of a million cells of several characters each. */
    private static final int LARGEST_BYTES = 4 << 20;

    /** The byte order mark that spreadsheets write before UTF-8. */
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    static CsvTable read(Path file) {
        try {
            return parse(file.toString(), text(file));
        } catch (NoSuchFileException e) {
            throw new ConfigurationException(
                    "schedule csv: file: there is no " + file + "; give the path of a table", e);
        } catch (CharacterCodingException e) {
            throw new ConfigurationException(
                    "schedule csv: file: " + file + " is not UTF-8 text; save the table as UTF-8", e);
        } catch (IrregularFileException | FileTooLargeException e) {
            throw new ConfigurationException("schedule csv: file: " + Reason.of(e) + "; give the path of a table", e);
        } catch (IOException e) {
            throw new ConfigurationException("schedule csv: file: " + file + " cannot be read: " + Reason.of(e), e);
        }
    }

    private static String text(Path file) throws IOException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(InputFiles.readAllBytes(file, LARGEST_BYTES)))
                .toString();
    }

    static CsvTable parse(String source, String text) {
        String[] lines = (text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text).split("\\R", -1);
        List<Row> rows = new ArrayList<>();
        for (int line = 0; line < lines.length; line++) {
            if (!lines[line].isBlank() && !lines[line].startsWith("#")) {
                rows.add(row(source, line + 1, lines[line]));
            }
        }
        if (rows.stream().allMatch(row -> row.cells().isEmpty())) {
            throw new ConfigurationException("schedule csv: " + source + " has no actions; write a row for each rank");
        }
        return new CsvTable(source, List.copyOf(rows));
    }

    private static Row row(String source, int line, String text) {
        String[] cells = text.split(",", -1);
        Map<Action, Integer> columns = new HashMap<>();
        List<Cell> found = new ArrayList<>();
        for (int column = 1; column <= cells.length; column++) {
            String cell = cells[column - 1].strip();
            if (!cell.isEmpty()) {
                String place = place(source, line, column);
                Action action = action(place, cell);
                Integer before = columns.putIfAbsent(action, column);
                if (before != null) {
                    throw new ConfigurationException(
                            place + cell + " is in column " + before + " already; remove one of them");
                }
                found.add(new Cell(column, action));
            }
        }
        return new Row(line, found);
    }

    private static String place(String source, int line, int column) {
        return "schedule csv: " + source + ", row " + line + ", column " + column + ": ";
    }

    private static Action action(String place, String cell) {
        Matcher parts = CELL.matcher(cell);
        if (!parts.matches()) {
            throw new ConfigurationException(place + "'" + Excerpt.of(cell)
                    + "' is not an action; allowed: F, B or W and the microbatch, then for another chunk than 0 a dot and"
                    + " the chunk: F0, W3.1");
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
        return 1
                + rows.stream()
                        .flatMap(row -> row.cells().stream())
                        .mapToInt(cell -> cell.action().chunk())
                        .max()
                        .orElse(0);
    }

    int microbatches() {
        return 1
                + rows.stream()
                        .flatMap(row -> row.cells().stream())
                        .mapToInt(cell -> cell.action().microbatch())
                        .max()
                        .orElse(0);
    }

    /** Each rank's actions, in order. */
    List<List<Action>> actions() {
        return rows.stream().map(Row::actions).toList();
    }

    /**
     * Checks every row separately: F, B and W of each microbatch and chunk once, in this order.
     *
     * @throws ConfigurationException naming row and column
     */
    void requireWholeRows() {
        int microbatches = microbatches();
        int chunks = chunks();
        for (Row row : rows) {
            Set<Action> done = new HashSet<>();
            for (Cell cell : row.cells()) {
                Action before = before(cell.action());
                if (before != null && !done.contains(before)) {
                    throw new ConfigurationException(place(source, row.line(), cell.column())
                            + cell.action().label() + " comes before " + before.label() + ", which it waits for;"
                            + " move it behind");
                }
                done.add(cell.action());
            }
            requireAll(row, done, microbatches, chunks);
        }
    }

    private void requireAll(Row row, Set<Action> done, int microbatches, int chunks) {
        for (int microbatch = 0; microbatch < microbatches; microbatch++) {
            for (int chunk = 0; chunk < chunks; chunk++) {
                for (Action.Kind kind : Action.Kind.values()) {
                    Action action = new Action(kind, microbatch, chunk);
                    if (!done.contains(action)) {
                        throw new ConfigurationException("schedule csv: " + source + ", row " + row.line() + ": "
                                + action.label() + " is missing; a row has F, B and W of each of " + microbatches
                                + " microbatches and " + chunks + (chunks == 1 ? " chunk" : " chunks"));
                    }
                }
            }
        }
    }

    /** The action that must precede this one on the same rank; null for a forward. */
    private static Action before(Action action) {
        return action.kind() == Action.Kind.FORWARD
                ? null
                : new Action(Action.Kind.values()[action.kind().ordinal() - 1], action.microbatch(), action.chunk());
    }
}
