package io.hirundo.launcher;

import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * The command line, split into the launcher's part and the command's part.
 *
 * @param profile the bundles to start
 * @param chosen whether the command line names the profile
 * @param command the other arguments, unchanged
 */
record Arguments(String profile, boolean chosen, List<String> command) {
    private static final String OPTION = "--profile";
    private static final Set<String> TRAINING = Set.of("train", "quickstart");
    private static final Set<String> HELP = Set.of("-h", "--help");

    /** Removes {@code --profile NAME} or {@code --profile=NAME} from the front; anywhere else it belongs to a command. */
    static Arguments parse(List<String> args, String defaultProfile) throws LaunchException {
        String first = args.isEmpty() ? "" : args.getFirst();
        if (first.startsWith(OPTION + "=")) {
            return new Arguments(first.substring(OPTION.length() + 1), true, args.subList(1, args.size()));
        }
        if (!first.equals(OPTION)) {
            return new Arguments(defaultProfile, false, args);
        }
        if (args.size() == 1) {
            throw LaunchException.misunderstood(
                    OPTION + " needs the name of a profile; for example: " + OPTION + " minimal");
        }
        return new Arguments(args.get(1), true, args.subList(2, args.size()));
    }

    /** Whether the command trains: training must not start with some plugins missing. */
    boolean trains() {
        return !command.isEmpty() && TRAINING.contains(command.getFirst()) && Collections.disjoint(command, HELP);
    }
}
