package io.hirundo.checkpointdcp.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.format.Manifest;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.format.SavedShard;
import io.hirundo.checkpointdcp.internal.format.SavedTensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamageTest {
    @TempDir
    Path folder;

    private DcpSession session;
    private CheckpointInfo older;
    private CheckpointInfo newest;
    private Path data;
    private Path manifest;

    @BeforeEach
    void save() {
        session = States.open(folder);
        older = session.save(States.state(1, 1)).awaitDurable();
        newest = session.save(States.state(2, 2)).awaitDurable();
        data = newest.path().resolve("rank-00000.data");
        manifest = newest.path().resolve("manifest.json");
    }

    @AfterEach
    void theOlderOneIsUntouched() {
        assertTrue(session.list().contains(older));
        States.assertLoads(session, older, 1);
        session.close();
    }

    @Test
    void findsEveryFlippedBitOfTheData() throws IOException {
        byte[] sound = Files.readAllBytes(data);
        List<SavedShard> shards = SavedCheckpoint.open(newest.path(), new ManifestText()).manifest().tensors().stream()
                .flatMap(t -> t.shards().stream())
                .toList();
        var random = new Random(11);
        int flips = 0;
        while (flips < 50) {
            long at = random.nextLong(sound.length);
            // Between pieces there is padding, which nobody reads.
            if (shards.stream().anyMatch(shard -> holds(shard.place(), at))) {
                byte[] damaged = sound.clone();
                damaged[(int) at] ^= (byte) (1 << random.nextInt(8));
                Files.write(data, damaged);
                rejectsLoad(data, "is damaged between bytes");
                flips++;
            }
        }
        Files.write(data, sound);
        States.assertLoads(session, newest, 2);
    }

    private static boolean holds(SavedShard.Place place, long at) {
        return at >= place.byteOffset() && at < place.byteOffset() + place.byteLength();
    }

    @Test
    void findsEveryFlippedBitOfTheManifest() throws IOException {
        byte[] sound = Files.readAllBytes(manifest);
        var random = new Random(12);
        for (int flip = 0; flip < 200; flip++) {
            byte[] damaged = sound.clone();
            damaged[random.nextInt(sound.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(manifest, damaged);
            rejectsLoad(manifest, "");
            assertEquals(List.of(older), session.list());
        }
    }

    @Test
    void findsEveryTruncation() throws IOException {
        byte[] sound = Files.readAllBytes(manifest);
        for (int bytes = 0; bytes < sound.length; bytes += 1 + sound.length / 300) {
            Files.write(manifest, Arrays.copyOf(sound, bytes));
            rejectsLoad(manifest, "");
            assertEquals(List.of(older), session.list());
        }
        Files.write(manifest, sound);
        byte[] bytes = Files.readAllBytes(data);
        for (int length : new int[] {0, 1, 4096, bytes.length - 1, bytes.length + 1}) {
            Files.write(data, Arrays.copyOf(bytes, length));
            rejectsLoad(data, "has " + length + " bytes, but the manifest says " + bytes.length);
            assertEquals(List.of(older), session.list());
        }
    }

    @Test
    void namesAMissingFile() throws IOException {
        Path aside = folder.resolve("aside");
        for (Path file : List.of(data, manifest)) {
            Files.move(file, aside);
            rejectsLoad(file, "is missing");
            assertEquals(List.of(older), session.list());
            Files.move(aside, file);
        }
        States.assertLoads(session, newest, 2);
    }

    @Test
    void findsDataOfAnotherCheckpoint() throws IOException {
        Files.write(data, Files.readAllBytes(older.path().resolve("rank-00000.data")));
        rejectsLoad(data, "is damaged");
        Files.write(manifest, Files.readAllBytes(older.path().resolve("manifest.json")));
        rejectsLoad(manifest, "is of step 1");
        assertEquals(List.of(older), session.list());
    }

    @Test
    void namesAnotherVersion() throws IOException {
        Manifest sound = SavedCheckpoint.open(newest.path(), new ManifestText()).manifest();
        var header = new Manifest.Header(Manifest.FORMAT, 2, "0", "hirundo 9");
        Files.write(manifest, new ManifestText().write(withHeader(sound, header)));
        rejectsLoad(manifest, "hirundo 9");
        header = new Manifest.Header("something", 1, "0", "else");
        Files.write(manifest, new ManifestText().write(withHeader(sound, header)));
        rejectsLoad(manifest, "something");
    }

    @Test
    void ignoresFieldsOfLaterVersions() throws IOException {
        Manifest sound = SavedCheckpoint.open(newest.path(), new ManifestText()).manifest();
        String text = new String(new ManifestText().write(sound), StandardCharsets.UTF_8);
        String body = text.substring(text.indexOf("\"manifest\":") + 11, text.length() - 2);
        String more = body.replace("\"chunkBytes\"", "\"later\":{\"a\":1},\"chunkBytes\"")
                .replace("\"offset\"", "\"tier\":3,\"offset\"");
        var checksum = new java.util.zip.CRC32C();
        checksum.update(more.getBytes(StandardCharsets.UTF_8));
        Files.writeString(manifest, "{\"crc32c\":\"%08x\",\"manifest\":%s}\n".formatted(checksum.getValue(), more));
        States.assertLoads(session, newest, 2);
    }

    @Test
    void rejectsAManifestThatContradictsItself() throws IOException {
        Manifest sound = SavedCheckpoint.open(newest.path(), new ManifestText()).manifest();
        SavedTensor tensor = sound.tensors().getFirst();
        SavedShard shard = tensor.shards().getFirst();
        var place = shard.place();
        for (SavedShard wrong : List.of(
                new SavedShard(
                        shard.offset(),
                        shard.shape(),
                        new SavedShard.Place(1, place.byteOffset(), place.byteLength()),
                        shard.crc32c()),
                new SavedShard(
                        shard.offset(),
                        shard.shape(),
                        new SavedShard.Place(0, 1L << 40, place.byteLength()),
                        shard.crc32c()),
                new SavedShard(
                        shard.offset(),
                        shard.shape(),
                        new SavedShard.Place(0, -4096, place.byteLength()),
                        shard.crc32c()),
                new SavedShard(
                        shard.offset(), shard.shape(), new SavedShard.Place(0, place.byteOffset(), 4), shard.crc32c()),
                new SavedShard(shard.offset(), shard.shape(), place, "00000000"),
                new SavedShard(List.of(1L, 0L), shard.shape(), place, shard.crc32c()),
                new SavedShard(List.of(0L), shard.shape(), place, shard.crc32c()),
                new SavedShard(shard.offset(), List.of(-37L, -53L), place, shard.crc32c()))) {
            Files.write(
                    manifest, new ManifestText().write(withTensors(sound, List.of(tensor.withShards(List.of(wrong))))));
            rejectsLoad(null, "");
            assertEquals(List.of(older), session.list());
        }
        Files.write(manifest, new ManifestText().write(withTensors(sound, List.of(tensor, tensor))));
        rejectsLoad(manifest, "tensor 'model/a' is there twice");
        Files.write(manifest, new ManifestText().write(withFiles(sound, List.of(new DataFile("../secret", 1)))));
        rejectsLoad(manifest, "../secret");
    }

    private void rejectsLoad(Path file, String message) {
        List<StateShard> into = States.shards(2).stream().map(States::emptyLike).toList();
        var failure = assertThrows(CheckpointException.class, () -> session.load(newest, into));
        assertTrue(file == null || failure.getMessage().startsWith(file.toString()), failure.getMessage());
        assertTrue(failure.getMessage().contains(message), failure.getMessage());
    }

    private static Manifest withHeader(Manifest m, Manifest.Header header) {
        return new Manifest(header, m.step(), m.chunkBytes(), m.values(), m.files(), m.tensors());
    }

    private static Manifest withTensors(Manifest m, List<SavedTensor> tensors) {
        return new Manifest(m.header(), m.step(), m.chunkBytes(), m.values(), m.files(), tensors);
    }

    private static Manifest withFiles(Manifest m, List<DataFile> files) {
        return new Manifest(m.header(), m.step(), m.chunkBytes(), m.values(), files, m.tensors());
    }
}
