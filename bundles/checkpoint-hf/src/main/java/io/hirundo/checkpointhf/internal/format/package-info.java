/** The model format {@code huggingface}: reads, checks and writes complete folders, by means of this bundle's other packages. */
package io.hirundo.checkpointhf.internal.format;
