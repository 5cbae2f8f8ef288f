package io.hirundo.control.internal;

import io.hirundo.control.internal.command.RunCommands;
import io.hirundo.train.RunControl;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.service.command.CommandProcessor;
import org.apache.felix.service.threadio.ThreadIO;

/** Gogo without a framework. */
public final class Gogo {
  private static final ThreadIO SYSTEM_STREAMS =
      new ThreadIO() {
        @Override
        public void setStreams(InputStream in, PrintStream out, PrintStream err) {}

        @Override
        public void close() {}
      };

  private Gogo() {}

  public static CommandProcessor steering(RunControl control) {
    var processor = new CommandProcessorImpl(SYSTEM_STREAMS);
    var commands = new RunCommands(control);
    for (String name : List.of("status", "strategies", "swap", "set", "checkpoint", "pause", "resume", "stop", "help")) {
      processor.addCommand("hirundo", commands, name);
    }
    return processor;
  }
}
