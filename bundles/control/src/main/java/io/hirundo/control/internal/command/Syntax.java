package io.hirundo.control.internal.command;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.felix.gogo.runtime.Parser;
import org.apache.felix.gogo.runtime.SyntaxError;
import org.apache.felix.gogo.runtime.Token;

/**
 * What a line may be: commands with {@code ;} between them. Gogo's language has more, which would do here what nobody
 * means.
 */
final class Syntax {
  private static final String QUOTES =
      "a value with blanks, brackets or signs wants quotes around it: set 'mesh.stageLayers=[3, 5]'";

  private Syntax() {}

  /**
   * Refuses what would not run as a line of commands.
   *
   * @throws MisunderstoodException saying how it is meant
   */
  static void require(String line) {
    try {
      new Parser(line).program().tokens().forEach(Syntax::requireCommand);
    } catch (SyntaxError error) {
      throw new MisunderstoodException(
          "cannot understand this line: a quote or bracket is not closed, or a bracket or sign stands alone; "
              + QUOTES);
    }
  }

  private static void requireCommand(Parser.Executable part) {
    switch (part) {
      case Parser.Pipeline _ ->
          throw new MisunderstoodException(
              "commands cannot be joined by | here, only by ; (one after the other); " + QUOTES);
      case Parser.Statement statement when !statement.redirections().isEmpty() ->
          throw new MisunderstoodException("there is no > or < here; " + QUOTES);
      case Parser.Statement statement when isAssignment(statement.tokens()) -> {
        String setting = statement.tokens().stream().map(Token::toString).collect(Collectors.joining());
        throw new MisunderstoodException("'" + setting + "' is no command; to change a setting: set " + setting);
      }
      default -> {
        // A command, or what the session finds out to be none.
      }
    }
  }

  /** Of a variable of Gogo's, which nothing here reads. */
  private static boolean isAssignment(List<Token> tokens) {
    return tokens.size() > 1 && "=".contentEquals(tokens.get(1));
  }
}
