package io.hirundo.launcher;

import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * The command line, split into what is for the launcher and what is for the command.
 *
 * @param profile which bundles to start
 * @param chosen whether the command line names it
 * @param command the rest, untouched
 */
record Arguments(String profile, boolean chosen, List<String> command) {
  private static final String OPTION = "--profile";
  private static final Set<String> TRAINING = Set.of("train", "quickstart");
  private static final Set<String> HELP = Set.of("-h", "--help");

  /** Takes {@code --profile NAME} or {@code --profile=NAME} off the front; anywhere else it belongs to a command. */
  static Arguments parse(List<String> args, String defaultProfile) throws LaunchException {
    String first = args.isEmpty() ? "" : args.getFirst();
    if (first.startsWith(OPTION + "=")) {
      return new Arguments(first.substring(OPTION.length() + 1), true, args.subList(1, args.size()));
    }
    if (!first.equals(OPTION)) {
      return new Arguments(defaultProfile, false, args);
    }
    if (args.size() == 1) {
      throw LaunchException.misunderstood(OPTION + " needs the name of a profile: " + OPTION + " minimal");
    }
    return new Arguments(args.get(1), true, args.subList(2, args.size()));
  }

  /** Whether the command trains: not with other strategies than those that the user believes to be there. */
  boolean trains() {
    return !command.isEmpty() && TRAINING.contains(command.getFirst()) && Collections.disjoint(command, HELP);
  }
}
