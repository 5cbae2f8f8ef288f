package io.hirundo.checkpointdcp.internal.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.train.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Copies of a run's checkpoints in the store that its saved configuration names.
 *
 * @param place where they are; empty where they cannot be listed
 * @param copies newest first
 * @param problem why they cannot be listed; else empty
 */
record RemoteCopies(String place, List<StoredCheckpoint> copies, String problem) {
    private static final int MOST_CONFIGURATION_BYTES = 16 << 20;

    /** Asks the store, over the network perhaps. */
    static RemoteCopies of(Path run, StrategyRegistry registry) {
        Path file = run.resolve(RunFolder.CONFIGURATION);
        JsonNode configuration;
        try {
            configuration = new JsonMapper().readTree(InputFiles.readAllBytes(file, MOST_CONFIGURATION_BYTES));
        } catch (IOException e) {
            return none("the store is named in " + file + ", which cannot be read: " + Reason.of(e));
        }
        JsonNode chosen = configuration.path("checkpoint").path("store");
        if (!chosen.path("name").isTextual()) {
            return none("the run has no store (checkpoint.store)");
        }
        try (StoreSession session = registry.create(CheckpointStore.class, choice(chosen), "checkpoint.store")
                .open(configuration.path("run").path("name").asText())) {
            return new RemoteCopies(session.place(), session.list(), "");
        } catch (HirundoException unreachable) {
            return none(unreachable.getMessage());
        }
    }

    private static RemoteCopies none(String problem) {
        return new RemoteCopies("", List.of(), problem);
    }

    @SuppressWarnings("unchecked")
    private static Choice choice(JsonNode chosen) {
        Map<String, Object> options = new JsonMapper().convertValue(chosen.path("options"), Map.class);
        return new Choice(chosen.path("name").asText(), options);
    }
}
