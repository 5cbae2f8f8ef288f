/** The parts of the suite with their time budget and watchdog, and the suite that runs them and writes the report. */
package io.hirundo.gpusuite.internal.part;
