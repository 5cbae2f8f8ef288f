package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpointdcp.internal.collective.PeerTransfer;

/**
 * What a rank does with its data file in one save, as all ranks have agreed.
 *
 * @param files where it writes; null where the save has failed on this rank
 * @param sendTo the rank that receives a copy of its data file, or {@link PeerTransfer#NO_RANK}
 * @param receiveFrom the rank whose data file it receives, or {@link PeerTransfer#NO_RANK}
 */
public record SaveAssignment(DataFilePaths files, int sendTo, int receiveFrom) {
    /** The rank sends and receives nothing. */
    public static SaveAssignment withoutTransfer(DataFilePaths files) {
        return new SaveAssignment(files, PeerTransfer.NO_RANK, PeerTransfer.NO_RANK);
    }

    public boolean sends() {
        return sendTo != PeerTransfer.NO_RANK;
    }

    /** Length of the file that is received; 0 for none. */
    public long receivedBytes() {
        return receiveFrom == PeerTransfer.NO_RANK ? 0 : files.peerCopyBytes();
    }
}
