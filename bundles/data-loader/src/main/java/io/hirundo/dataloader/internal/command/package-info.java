/** The commands {@code data tokenize}, {@code data inspect} and {@code data verify}. */
package io.hirundo.dataloader.internal.command;
