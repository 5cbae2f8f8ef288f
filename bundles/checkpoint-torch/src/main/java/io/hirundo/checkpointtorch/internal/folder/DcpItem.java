package io.hirundo.checkpointtorch.internal.folder;

/**
 * Where a chunk is stored.
 *
 * @param file name in the folder
 * @param offset first byte
 * @param length bytes
 * @param transforms what its bytes have been put through, as the writer names it; empty for nothing
 */
record DcpItem(String file, long offset, long length, String transforms) {}
