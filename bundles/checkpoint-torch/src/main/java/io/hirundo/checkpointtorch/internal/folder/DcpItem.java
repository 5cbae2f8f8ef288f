package io.hirundo.checkpointtorch.internal.folder;

/**
 * Storage location of a chunk.
 *
 * @param file name in the folder
 * @param offset first byte
 * @param length bytes
 * @param transforms the writer's name for transformations of the bytes; empty for none
 */
record DcpItem(String file, long offset, long length, String transforms) {}
