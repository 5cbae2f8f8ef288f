/** The command {@code report}. Data flows from {@code history} (reads a run's files) through {@code chart} (SVG) into {@code page} (HTML). */
package io.hirundo.runreport.internal;
