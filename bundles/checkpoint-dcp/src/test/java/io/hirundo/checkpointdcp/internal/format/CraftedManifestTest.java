package io.hirundo.checkpointdcp.internal.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.session.DcpSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Manifests whose checksum is right and whose fields are not: whoever writes one can sum it, too. */
class CraftedManifestTest {
    private static final int MOST_CHARS = 700;

    @TempDir
    private Path folder;

    private DcpSession session;
    private CheckpointInfo saved;
    private Path manifest;
    private String sound;

    @BeforeEach
    void save() throws IOException {
        session = States.open(folder);
        saved = session.save(States.state(2, 2)).awaitDurable();
        manifest = saved.path().resolve("manifest.json");
        String text = Files.readString(manifest);
        sound = text.substring(text.indexOf("\"manifest\":") + 11, text.length() - 2);
    }

    @AfterEach
    void close() {
        session.close();
    }

    private void write(String body) throws IOException {
        var checksum = new CRC32C();
        checksum.update(body.getBytes(StandardCharsets.UTF_8));
        Files.writeString(manifest, "{\"crc32c\":\"%08x\",\"manifest\":%s}\n".formatted(checksum.getValue(), body));
    }

    private String rejection(String body) throws IOException {
        write(body);
        List<StateShard> into = States.shards(2).stream().map(States::emptyLike).toList();
        String message = assertThrows(CheckpointException.class, () -> session.load(saved, into))
                .getMessage();
        assertTrue(message.startsWith(manifest.toString()), message);
        assertEquals(1, message.lines().count(), message);
        assertTrue(message.length() < MOST_CHARS + folder.toString().length(), message);
        assertEquals(List.of(), session.list());
        assertTrue(session.found().getFirst().problem().equals(message), "list says the same");
        return message;
    }

    /** The path is a JSON pointer; the value replaces what is there. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "/tensors/0/shape; null; field tensors[0].shape is null (allowed: a list)",
                "/tensors/0/shape; 37; field tensors[0].shape is 37 (allowed: a list)",
                "/tensors/0/shape; [37, null]; field tensors[0].shape[1] is null (allowed: a whole number",
                "/tensors/0/shape; [37, 1.5]; field tensors[0].shape[1] is 1.5 (allowed: a whole number",
                "/tensors/0/shape; [37, -53]; field tensors[0].shape[1] is -53 (allowed: a whole number of 0 to",
                "/tensors/0/shape; [37, 99999999999999999999]; field tensors[0].shape[1] is 99999999999999999999 (allowed",
                "/tensors/0/shape; [9223372036854775807, 9223372036854775807]; contradicts itself: ",
                "/tensors/0/dtype; null; field tensors[0].dtype is null (allowed: a text)",
                "/tensors/0/dtype; \"FP128\"; field tensors[0].dtype is \"FP128\" (allowed: ",
                "/tensors/0/key; 7; field tensors[0].key is 7 (allowed: a text)",
                "/tensors/0/shards; {}; field tensors[0].shards is an object (allowed: a list)",
                "/tensors/0/shards/0; null; field tensors[0].shards[0] is null (allowed: an object)",
                "/tensors/0/shards/0/offset; null; field tensors[0].shards[0].offset is null (allowed: a list)",
                "/tensors/0/shards/0/offset; [-1, 0]; field tensors[0].shards[0].offset[0] is -1",
                "/tensors/0/shards/0/crc32c; \"0000000g\"; field tensors[0].shards[0].crc32c is \"0000000g\" (allowed: checksums of eight hex",
                "/tensors/0/shards/0/crc32c; \"0000\"; field tensors[0].shards[0].crc32c is \"0000\" (allowed: checksums of eight hex",
                "/tensors/0/shards/0/place; []; field tensors[0].shards[0].place is a list (allowed: an object)",
                "/tensors/0/shards/0/place/file; 1; has a piece",
                "/tensors/0/shards/0/place/file; -1; field tensors[0].shards[0].place.file is -1",
                "/tensors/0/shards/0/place/byteOffset; 9223372036854775807; that cannot be at",
                "/tensors/0/shards/0/place/byteOffset; \"0\"; field tensors[0].shards[0].place.byteOffset is \"0\"",
                "/tensors/1/shards/0/place/byteOffset; 0; overlap in rank-00000.data from byte 0 on",
                "/step; -2; field step is -2 (allowed: a whole number of 0 to",
                "/step; 2.0; field step is 2.0 (allowed: a whole number",
                "/step; 3; is of step 3",
                "/chunkBytes; 0; field chunkBytes is 0 (allowed: a whole number of 4096 to",
                "/chunkBytes; 5000; field chunkBytes is 5000 (allowed: a multiple of 4096)",
                "/values; []; field values is a list (allowed: an object)",
                "/values/seed; null; field values.seed is null (allowed: any other value)",
                "/values/seed; 1e999; field values.seed is 1e999 (allowed: a finite number)",
                "/files; null; field files is null (allowed: a list)",
                "/files/0/name; \"../secret\"; field files[0].name is \"../secret\" (allowed: rank-NNNNN.data)",
                "/files/0/bytes; -1; field files[0].bytes is -1",
                "/files/0/places; \"x\"; field files[0].places is \"x\" (allowed: a list)",
                "/header; null; field header is null (allowed: an object)",
                "/header/id; \"../../x\"; field header.id is \"../../x\" (allowed: 1 to 64 hexadecimal digits)",
                "/header/version; \"1\"; field header.version is \"1\" (allowed: a whole number",
            })
    void rejectsFieldByItsPath(String pointer, String value, String expected) throws IOException {
        String path = pointer.substring(0, pointer.lastIndexOf('/'));
        String name = pointer.substring(path.length() + 1);
        var root = (ObjectNode) new JsonMapper().readTree(sound);
        JsonNode parent = root.at(path);
        var mark = JsonNodeFactory.instance.textNode("@@");
        if (parent instanceof ArrayNode array) {
            array.set(Integer.parseInt(name), mark);
        } else {
            ((ObjectNode) parent).set(name, mark);
        }
        String message = rejection(root.toString().replace("\"@@\"", value));
        assertTrue(message.contains(expected), message);
    }

    @Test
    void rejectsMissingAndRepeatedFields() throws IOException {
        for (String pointer :
                List.of("", "/header", "/tensors/0", "/tensors/0/shards/0", "/tensors/0/shards/0/place", "/files/0")) {
            JsonNode at = new JsonMapper().readTree(sound).at(pointer);
            for (var field : at.properties()) {
                var root = (ObjectNode) new JsonMapper().readTree(sound);
                ((ObjectNode) root.at(pointer)).remove(field.getKey());
                assertTrue(rejection(root.toString()).contains(field.getKey() + " is missing"));
            }
        }
        assertTrue(
                rejection(sound.replace("\"step\":2", "\"step\":2,\"step\":2")).contains("field step is there twice"));
        assertTrue(rejection(sound.replace("\"shape\":", "\"crc32c\":\"\",\"shape\":"))
                .contains("crc32c is there twice"));
    }

    @Test
    void shortensQuotedValues() throws IOException {
        String name = "n".repeat(5_000);
        assertTrue(rejection(sound.replace("\"FP32\"", '"' + name + '"')).contains("more characters"));
        assertTrue(rejection(sound.replace("\"step\":2", "\"step\":" + "9".repeat(90)))
                .contains("field step is 999"));
        String dims = "[" + "1,".repeat(99_999) + "1]";
        var root = (ObjectNode) new JsonMapper().readTree(sound);
        ((ObjectNode) root.at("/tensors/0")).put("shape", "@@");
        assertTrue(rejection(root.toString().replace("\"@@\"", dims))
                .contains("exceeds the 16 elements that are allowed"));
        root = (ObjectNode) new JsonMapper().readTree(sound);
        ((ArrayNode) root.at("/tensors"))
                .add(((ObjectNode) root.at("/tensors/0")).deepCopy().put("key", name));
        ((ObjectNode) root.at("/tensors/0")).put("key", name);
        assertTrue(rejection(root.toString()).contains("more characters"));
    }

    @Test
    void rejectsDeepAndBrokenJsonInOwnWords() throws IOException {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        assertTrue(rejection(sound.replace("\"step\":2", "\"later\":" + deep + ",\"step\":2"))
                .contains("is nested more than 64 levels deep"));
        assertTrue(rejection(sound.replace("\"step\":2", "\"step\":2" + "0".repeat(200)))
                .contains("a name or number that is too long"));
        assertTrue(rejection(sound.replace("\"step\":2", "\"step\":2,")).contains("is not valid JSON at byte "));
        assertTrue(rejection(sound + "{}").contains("does not end where its JSON does"));
        assertTrue(rejection("7").contains("manifest.json is 7 (allowed: an object)"));
        assertTrue(rejection("").contains("manifest.json is cut off (allowed: an object)"));
    }

    /** A place is where files are deleted and replaced. */
    @ParameterizedTest
    @CsvSource({
        "/etc/rank-00000.data",
        "relative/hirundo-a-01234567/rank-00000/ID/rank-00000.data",
        "/dev/shm/hirundo-a-01234567/rank-00000/other/rank-00000.data",
        "/dev/shm/precious/rank-00000/ID/rank-00000.data",
        "/dev/shm/hirundo-a-01234567/rank-00000/../rank-00000/ID/rank-00000.data",
    })
    void rejectsPlacesThatNoNodeHas(String place) throws IOException {
        var root = (ObjectNode) new JsonMapper().readTree(sound);
        String id = root.at("/header/id").asText();
        ((ObjectNode) root.at("/files/0")).putArray("places").add(place.replace("ID", id));
        assertTrue(rejection(root.toString()).contains("is no place of rank-00000.data in the memory of a node"));
    }

    /** Nobody writes to the pipe: who opened it would wait forever. */
    @ParameterizedTest
    @CsvSource({"manifest.json", "rank-00000.data"})
    void rejectsNamedPipe(String name) throws Exception {
        Path pipe = saved.path().resolve(name);
        Files.delete(pipe);
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        var problem = assertTimeoutPreemptively(
                Duration.ofSeconds(60), () -> session.found().getFirst().problem());
        assertEquals(pipe + " is a named pipe, not a regular file", problem);
    }

    @Test
    void rejectsEndlessManifest() throws IOException {
        Files.delete(manifest);
        Files.createSymbolicLink(manifest, Path.of("/dev/zero"));
        assertEquals(
                manifest + " is a device, not a regular file",
                session.found().getFirst().problem());
    }

    /** Whatever is altered: it is loaded, or rejected in one line; nothing else is thrown and nothing takes long. */
    @Test
    void rejectsOrReadsEveryMutation() {
        // One deadline for all: one for each would start a thread for each.
        var attempt = new AtomicInteger();
        int rejected = assertTimeoutPreemptively(
                Duration.ofMinutes(2), () -> rejectedMutations(attempt), () -> "at mutation " + attempt);
        assertTrue(rejected > 1_000, "rejected " + rejected);
    }

    private int rejectedMutations(AtomicInteger attempt) throws IOException {
        var random = new Random(18);
        var mapper = new JsonMapper();
        List<String> replacements = List.of(
                "null",
                "-1",
                "0",
                "1.5",
                "\"\"",
                "\"x\"",
                "[]",
                "{}",
                "true",
                "9223372036854775807",
                "1e400",
                "[[[]]]",
                "4096");
        int rejected = 0;
        for (; attempt.get() < 1_500; attempt.incrementAndGet()) {
            var root = (ObjectNode) mapper.readTree(sound);
            mutate(root, random);
            write(root.toString().replace("\"@@\"", replacements.get(random.nextInt(replacements.size()))));
            rejected += isRejected() ? 1 : 0;
        }
        return rejected;
    }

    private boolean isRejected() {
        try {
            SavedCheckpoint.open(saved.path(), new ManifestText());
            session.found();
            return false;
        } catch (CheckpointException e) {
            assertTrue(e.getMessage().contains(saved.path().toString()), e.getMessage());
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
            assertFalse(e.getMessage().contains("Jackson") || e.getMessage().contains("com.fasterxml"), e.getMessage());
            return true;
        }
    }

    /** Replaces or removes one value, chosen among all. */
    private static void mutate(ObjectNode root, Random random) {
        var places = new ArrayList<Runnable>();
        collect(root, places, random);
        places.get(random.nextInt(places.size())).run();
    }

    private static void collect(JsonNode node, List<Runnable> places, Random random) {
        var mark = JsonNodeFactory.instance.textNode("@@");
        if (node instanceof ObjectNode object) {
            object.properties().forEach(field -> {
                String name = field.getKey();
                places.add(() -> mutate(object, name, mark, random));
                collect(field.getValue(), places, random);
            });
        } else if (node instanceof ArrayNode array) {
            for (int index = 0; index < array.size(); index++) {
                int at = index;
                places.add(() -> array.set(at, mark));
                collect(array.get(index), places, random);
            }
        }
    }

    private static void mutate(ObjectNode object, String name, JsonNode mark, Random random) {
        if (random.nextInt(4) == 0) {
            object.remove(name);
        } else {
            object.set(name, mark);
        }
    }
}
