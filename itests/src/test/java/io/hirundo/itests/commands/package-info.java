/**
 * The command line from outside: output streams, exit codes, the lines for unusable input and layouts, commands for checkpoints; and what
 * is shipped with it: scripts, pages that it writes, benchmarks, the archive and the suite for GPUs.
 */
package io.hirundo.itests.commands;
