package io.hirundo.launcher;

import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/**
 * A log message on the console, which {@code conf/logging.properties} names: time, level and text in one line, without the class that
 * logs it. What a message quotes from elsewhere is escaped. The run's {@code log.txt} has stack traces.
 */
public final class LogLines extends Formatter {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    @Override
    public String format(LogRecord message) {
        String time = TIME.format(message.getInstant().atZone(ZoneId.systemDefault()));
        String line =
                (time + " " + message.getLevel().getName() + " " + formatMessage(message)).replace("\n", "\\u000a");
        return Printed.text(line) + System.lineSeparator();
    }
}
