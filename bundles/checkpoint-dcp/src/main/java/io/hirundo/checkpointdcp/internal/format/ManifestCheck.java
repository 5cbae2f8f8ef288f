package io.hirundo.checkpointdcp.internal.format;

import io.hirundo.CheckpointException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.tensor.Shape;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;

/** Whether a manifest contradicts itself. A sound checksum says that it is as it was written, not that it was right. */
public final class ManifestCheck {
    private final Manifest manifest;
    private final String where;

    private ManifestCheck(Manifest manifest, String where) {
        this.manifest = manifest;
        this.where = where;
    }

    public static void check(Manifest manifest, String where) {
        var check = new ManifestCheck(manifest, where);
        try {
            check.check();
        } catch (ArithmeticException e) {
            throw new CheckpointException(
                    check.wrong("a tensor has more elements or bytes than a 64-bit number counts")
                            .getMessage(),
                    e);
        } catch (InvalidPathException e) {
            throw new CheckpointException(
                    check.wrong("a place of a data file is no path").getMessage(), e);
        }
    }

    private void check() {
        for (DataFile file : manifest.files()) {
            for (String place : file.places()) {
                if (!NodeMemoryPath.isFile(Path.of(place), manifest.header().id(), file.name())) {
                    throw wrong(
                            "'" + Excerpt.of(place) + "' is no place of " + file.name() + " in the memory of a node");
                }
            }
        }
        var keys = new HashSet<String>();
        for (SavedTensor tensor : manifest.tensors()) {
            if (!keys.add(tensor.key())) {
                throw wrong("tensor '" + Excerpt.of(tensor.key()) + "' is there twice");
            }
            Coverage.check(tensor, where);
            tensor.shards().forEach(shard -> checkPlace(tensor, shard));
        }
        checkApart();
    }

    private void checkPlace(SavedTensor tensor, SavedShard shard) {
        SavedShard.Place place = shard.place();
        boolean isFile = place.file() < manifest.files().size();
        boolean isWithin = isFile
                && place.byteLength() <= manifest.files().get(place.file()).bytes() - place.byteOffset();
        boolean isWhole = place.byteLength() == new Shape(shard.shape()).byteSize(tensor.dtype())
                && shard.chunks() == Math.ceilDiv(place.byteLength(), manifest.chunkBytes());
        if (!isWithin || !isWhole) {
            throw wrong("tensor '" + Excerpt.of(tensor.key()) + "' has a piece " + shard.piece() + " that cannot be at "
                    + place);
        }
    }

    /** No byte of a file belongs to two pieces. */
    private void checkApart() {
        record Owned(String key, SavedShard.Place place) {}
        var owned = new ArrayList<Owned>();
        for (SavedTensor tensor : manifest.tensors()) {
            tensor.shards().stream()
                    .map(SavedShard::place)
                    .filter(place -> place.byteLength() > 0)
                    .forEach(place -> owned.add(new Owned(tensor.key(), place)));
        }
        owned.sort(Comparator.comparingInt((Owned piece) -> piece.place().file())
                .thenComparingLong(piece -> piece.place().byteOffset()));
        for (int index = 1; index < owned.size(); index++) {
            SavedShard.Place before = owned.get(index - 1).place();
            SavedShard.Place place = owned.get(index).place();
            if (place.file() == before.file() && place.byteOffset() < before.byteOffset() + before.byteLength()) {
                throw wrong("tensors '" + Excerpt.of(owned.get(index - 1).key()) + "' and '"
                        + Excerpt.of(owned.get(index).key()) + "' overlap in "
                        + manifest.files().get(place.file()).name() + " from byte " + place.byteOffset() + " on");
            }
        }
    }

    private CheckpointException wrong(String what) {
        return new CheckpointException(where + " contradicts itself: " + what);
    }
}
