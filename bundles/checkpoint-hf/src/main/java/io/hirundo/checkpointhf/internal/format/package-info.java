/** The model format {@code huggingface}: reads, checks and writes whole folders, with the packages beside this one. */
package io.hirundo.checkpointhf.internal.format;
