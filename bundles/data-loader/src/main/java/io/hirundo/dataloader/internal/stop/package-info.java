/** Ctrl-C and SIGTERM during long reads. */
package io.hirundo.dataloader.internal.stop;
