package io.hirundo.dataloader.internal.decoding;

/** The mark that some programs begin UTF-8 files with; not a part of the text. */
public final class ByteOrderMark {
    private ByteOrderMark() {}

    /** How long the mark is that these bytes begin with; 0 without one. */
    public static int bytes(byte[] bytes, int count) {
        return count >= 3 && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB && bytes[2] == (byte) 0xBF ? 3 : 0;
    }
}
