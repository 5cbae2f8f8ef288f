/** The commands {@code data tokenize} and {@code data inspect}. */
package io.hirundo.dataloader.internal.command;
