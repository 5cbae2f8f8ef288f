package io.hirundo.regress.internal.set;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.regress.internal.set.RegressCase.Peer;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Reads a set file. Every error names its place and what is allowed. */
public final class CaseSetReader {
    private static final int LARGEST_BYTES = 1 << 20;
    private static final int SCHEMA_VERSION = 1;
    private static final Set<String> OF_SET = Set.of("schemaVersion", "cases");
    private static final Set<String> OF_CASE = Set.of("name", "configuration", "set", "comparedWith", "bitwise");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+-]{0,99}");

    private final Path file;
    private final Map<String, RegressCase> cases = new LinkedHashMap<>();

    private CaseSetReader(Path file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @throws ConfigurationException if it is not a valid set
     */
    public static CaseSet read(Path file) {
        return new CaseSetReader(file).read();
    }

    private CaseSet read() {
        JsonNode set = parse();
        requireKeys(set, "the set", OF_SET);
        JsonNode version = set.path("schemaVersion");
        require(
                version.isInt() && version.intValue() == SCHEMA_VERSION,
                "schemaVersion",
                version,
                String.valueOf(SCHEMA_VERSION));
        JsonNode list = set.path("cases");
        require(list.isArray() && !list.isEmpty(), "cases", list, "a list of one case or more");
        for (int i = 0; i < list.size(); i++) {
            RegressCase next = readCase(list.get(i), "cases[" + i + "]");
            if (cases.putIfAbsent(next.name(), next) != null) {
                throw wrong(
                        "cases[" + i + "].name: " + next.name() + " is there twice; give each case a name of its own");
            }
        }
        return new CaseSet(file, new ArrayList<>(cases.values()));
    }

    private JsonNode parse() {
        String name = file.getFileName() == null ? "" : file.getFileName().toString();
        if (!name.endsWith(".yaml") && !name.endsWith(".yml")) {
            throw wrong("is not a YAML file by its name; allowed: names that end in .yaml or .yml");
        }
        try {
            var yaml = new ObjectMapper(YAMLFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build());
            return yaml.readTree(InputFiles.readAllBytes(file, LARGEST_BYTES));
        } catch (NoSuchFileException missing) {
            throw new ConfigurationException(
                    file + ": no such file; give the YAML file of a set, cnf/regress/hirundo.yaml for instance",
                    missing);
        } catch (JacksonException syntax) {
            var place = syntax.getLocation();
            throw new ConfigurationException(
                    file + (place == null ? "" : ", line " + place.getLineNr()) + ": is not valid YAML: "
                            + Excerpt.of(syntax.getOriginalMessage()
                                    .lines()
                                    .findFirst()
                                    .orElse("")),
                    syntax);
        } catch (IOException failure) {
            throw new ConfigurationException(file + ": cannot be read: " + Reason.of(failure), failure);
        }
    }

    private RegressCase readCase(JsonNode node, String at) {
        requireKeys(node, at, OF_CASE);
        JsonNode name = node.path("name");
        require(
                name.isTextual() && NAME.matcher(name.textValue()).matches(),
                at + ".name",
                name,
                "up to 100 letters, digits and . _ + -");
        JsonNode configuration = node.path("configuration");
        require(
                configuration.isTextual(),
                at + ".configuration",
                configuration,
                "a configuration file, relative to the set");
        Path folder = file.toAbsolutePath().getParent();
        return new RegressCase(
                name.textValue(),
                folder.resolve(configuration.textValue()).normalize(),
                assignments(node.path("set"), at + ".set"),
                peer(node, at));
    }

    private List<String> assignments(JsonNode list, String at) {
        require(list.isMissingNode() || list.isArray(), at, list, "a list of PATH=VALUE");
        var assignments = new ArrayList<String>();
        for (JsonNode each : list) {
            require(
                    each.isTextual() && each.textValue().indexOf('=') > 0,
                    at,
                    each,
                    "PATH=VALUE, mesh.tensor=2 for instance");
            assignments.add(each.textValue());
        }
        return assignments;
    }

    private Optional<Peer> peer(JsonNode node, String at) {
        JsonNode peer = node.path("comparedWith");
        JsonNode bitwise = node.path("bitwise");
        require(bitwise.isMissingNode() || bitwise.isBoolean(), at + ".bitwise", bitwise, "true or false");
        if (peer.isMissingNode()) {
            require(bitwise.isMissingNode(), at + ".bitwise", bitwise, "nothing without comparedWith");
            return Optional.empty();
        }
        // Only earlier cases, which excludes cycles.
        String earlier = cases.isEmpty()
                ? "no case is listed before it"
                : "a case listed before it: " + String.join(", ", cases.keySet());
        require(peer.isTextual() && cases.containsKey(peer.textValue()), at + ".comparedWith", peer, earlier);
        return Optional.of(new Peer(peer.textValue(), bitwise.asBoolean(false)));
    }

    private void requireKeys(JsonNode node, String at, Set<String> allowed) {
        require(node.isObject(), at, node, "an object with " + String.join(", ", new TreeSet<>(allowed)));
        node.fieldNames().forEachRemaining(name -> {
            if (!allowed.contains(name)) {
                throw wrong(at + ": " + Excerpt.of(name) + " is unknown (allowed: "
                        + String.join(", ", new TreeSet<>(allowed)) + ")");
            }
        });
    }

    private void require(boolean isAllowed, String at, JsonNode is, String allowed) {
        if (!isAllowed) {
            throw wrong(at + " is " + (is.isMissingNode() ? "missing" : Excerpt.of(is.toString())) + " (allowed: "
                    + allowed + ")");
        }
    }

    private ConfigurationException wrong(String what) {
        return new ConfigurationException(file + ": " + what);
    }
}
