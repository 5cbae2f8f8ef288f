package io.hirundo.command;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A command line of this program, ready to paste into a shell: {@code ./hirundo train runs/a/config.json --resume}. */
public final class ShellLine {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private ShellLine() {}

    /**
     * The program as it was invoked, plus these arguments, quoted where a shell needs it. The system property {@code
     * hirundo.program} holds the program name (default {@code hirundo}). {@code hirundo.profile.chosen} holds the profile, if the
     * command line named one.
     */
    public static String of(List<String> arguments) {
        var words = new ArrayList<String>();
        words.add(System.getProperty("hirundo.program", "hirundo"));
        String profile = System.getProperty("hirundo.profile.chosen");
        if (profile != null) {
            words.addAll(List.of("--profile", profile));
        }
        words.addAll(arguments);
        return words.stream().map(ShellLine::quote).collect(Collectors.joining(" "));
    }

    /** See {@link #of(List)}. */
    public static String of(String... arguments) {
        return of(List.of(arguments));
    }

    private static String quote(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
