package io.hirundo.control.internal.prompt;

import io.hirundo.control.internal.command.CommandLines;
import io.hirundo.train.RunControl;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.felix.service.command.CommandProcessor;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads commands from the terminal, from when there is a run until it ends. Enabled by who wants a prompt. */
@Component(service = {}, immediate = true, enabled = false, name = Prompt.NAME)
public final class Prompt {
  static final String NAME = "io.hirundo.control.prompt";

  private static final Set<String> LEAVE = Set.of("exit", "quit");
  private static final Logger LOG = LoggerFactory.getLogger(Prompt.class);

  private final PromptScreen screen;
  private final CommandLines commands;
  private final String prompt;
  private volatile boolean closed;

  @Activate
  public Prompt(
      @Reference RunControl control, @Reference CommandProcessor processor, @Reference TerminalAttendant attendant) {
    screen = attendant.screen();
    commands = new CommandLines(processor, new PrintStream(screen, true, StandardCharsets.UTF_8));
    prompt = control.status().name() + "> ";
    // Nothing interrupts one who reads a terminal: the thread stays until the process ends, and then says nothing any
    // more.
    Thread.ofPlatform().daemon().name("hirundo-prompt").start(() -> read(attendant.keyboard()));
  }

  private void read(BufferedReader keyboard) {
    try {
      screen.show(prompt);
      String line = keyboard.readLine();
      while (line != null && !closed && !LEAVE.contains(line.strip())) {
        screen.entered();
        if (!line.isBlank()) {
          commands.run(line);
        }
        if (!closed) {
          screen.show(prompt);
        }
        line = keyboard.readLine();
      }
      close();
    } catch (IOException failure) {
      LOG.warn("no commands are read any more: {}", failure.toString());
    }
  }

  /** No prompt any more; the run goes on or has ended. */
  @Deactivate
  void close() {
    if (!closed) {
      closed = true;
      screen.hide();
      commands.close();
    }
  }
}
