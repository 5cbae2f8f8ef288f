package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.lib.family.StoredFamily;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.lib.json.JsonInput;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Describes a folder's model: from its {@code config.json} or, without one, from tensor shapes and from options of its architecture for
 * what shapes do not show.
 */
final class Described {
    static final String CONFIG = "config.json";

    private static final int MAX_CONFIG_BYTES = 16 << 20;
    private static final String FORMAT = "model.format torch-dcp";
    private static final String ARCHITECTURE = "model.format.options.architecture";

    private final Path folder;
    private final KeyMap keys;
    private final Map<String, Shape> shapes;
    private final Choice architecture;

    /** {@code shapes}: by name in the folder. {@code architecture}: null for that of config.json. */
    Described(Path folder, KeyMap keys, Map<String, Shape> shapes, Choice architecture) {
        this.folder = folder;
        this.keys = keys;
        this.shapes = shapes;
        this.architecture = architecture;
    }

    FamilyModel<?> model() {
        Path file = folder.resolve(CONFIG);
        if (!Files.exists(file)) {
            return derived();
        }
        if (architecture != null) {
            throw new ConfigurationException(ARCHITECTURE + " is set, but " + file + " describes the model; remove it");
        }
        Map<String, Object> configuration = json(file);
        return StoredFamily.recognizing(keys.families(), configuration, file.toString())
                .read(configuration, file.toString());
    }

    private FamilyModel<?> derived() {
        String source = FORMAT + ": " + folder;
        List<StoredFamily<?>> named = named();
        Map<String, Shape> stored = new HashMap<>();
        shapes.forEach((name, shape) -> {
            if (name.startsWith(keys.prefix())) {
                stored.put(name.substring(keys.prefix().length()), shape);
            }
        });
        List<StoredFamily<?>> able = new ArrayList<>();
        List<FamilyModel<?>> models = new ArrayList<>();
        for (StoredFamily<?> family : named) {
            family.derive(stored, architecture.options(), source).ifPresent(model -> {
                able.add(family);
                models.add(model);
            });
        }
        if (able.isEmpty()) {
            throw new ConfigurationException(ARCHITECTURE + ": the tensors are not those of a " + architecture.name()
                    + "; set another family" + orCopy());
        }
        StoredFamily.only(able, source);
        return models.getFirst();
    }

    private List<StoredFamily<?>> named() {
        List<StoredFamily<?>> able =
                keys.families().stream().filter(each -> each.format().derives()).toList();
        String names = able.stream().map(Described::name).distinct().sorted().collect(Collectors.joining(", "));
        String allowed = " (allowed: " + (names.isEmpty() ? "none" : names) + ")";
        if (architecture == null) {
            throw new ConfigurationException(ARCHITECTURE + " is not set, and " + folder + " has no " + CONFIG
                    + "; copy the model's " + CONFIG + " there, or set it" + allowed);
        }
        if (keys.families().stream().noneMatch(this::isNamed)) {
            throw new ConfigurationException(ARCHITECTURE + ": \"" + Excerpt.of(architecture.name())
                    + "\" is no installed family with such names of tensors" + allowed + "; set one of these"
                    + orCopy());
        }
        List<StoredFamily<?>> named = able.stream().filter(this::isNamed).toList();
        if (named.isEmpty()) {
            throw new ConfigurationException(
                    ARCHITECTURE + ": " + architecture.name() + " cannot derive a model from shapes" + allowed
                            + "; copy the model's " + CONFIG + " to " + folder);
        }
        return named;
    }

    private boolean isNamed(StoredFamily<?> family) {
        return name(family).equals(architecture.name());
    }

    private static String name(StoredFamily<?> family) {
        return family.family().name();
    }

    private String orCopy() {
        return ", or copy the model's " + CONFIG + " to " + folder;
    }

    private static Map<String, Object> json(Path file) {
        try {
            byte[] text = InputFiles.readAllBytes(file, MAX_CONFIG_BYTES);
            try (var in = new JsonInput(
                    text,
                    0,
                    text.length,
                    file.toString(),
                    (message, cause) -> new DataException(message + "; fetch it again", cause))) {
                Map<String, Object> fields = in.map();
                in.end();
                return fields;
            }
        } catch (IrregularFileException | FileTooLargeException e) {
            throw new DataException(Reason.of(e) + "; copy the model's " + CONFIG + " there", e);
        } catch (IOException e) {
            throw new DataException(file + " cannot be read: " + Reason.of(e), e);
        }
    }
}
