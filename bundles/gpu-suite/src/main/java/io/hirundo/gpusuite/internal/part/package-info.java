/**
 * What a part of the suite is, its time budget and watchdog, and the suite that runs parts one after the other and
 * writes the report.
 */
package io.hirundo.gpusuite.internal.part;
