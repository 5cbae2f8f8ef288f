/** The command {@code gpu-suite}, which selects the parts and writes the report. */
package io.hirundo.gpusuite.internal;
