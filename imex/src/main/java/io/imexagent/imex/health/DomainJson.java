package io.imexagent.imex.health;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.host.json.JsonReader;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.host.json.MalformedJsonException;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Parses the JSON of {@code nvidia-imex-ctl -N -j}. Lines before the document, such as warnings, are skipped, and so
 * are members that have no meaning here. The JSON does not mark the local node.
 */
public final class DomainJson {

    private static final int DEEPEST = 16;
    private static final JsonReader READER =
            new JsonReader(16 << 20, DEEPEST, StreamReadFeature.STRICT_DUPLICATE_DETECTION);

    private DomainJson() {}

    public static DomainReport parse(String output) throws MalformedReport {
        int start = output.indexOf('{');
        if (start < 0) {
            throw new MalformedReport("there is no JSON object in it");
        }
        try {
            return report(READER.first(output.substring(start).getBytes(UTF_8), "", JsonTrees::value));
        } catch (MalformedJsonException broken) {
            throw new MalformedReport("its JSON is broken: " + broken.reason());
        }
    }

    private static DomainReport report(JsonNode document) throws MalformedReport {
        JsonNode nodes = document.path("nodes");
        if (!nodes.isObject()) {
            throw new MalformedReport("it has no object \"nodes\"");
        }
        var read = new TreeMap<Integer, NodeReport>();
        for (Map.Entry<String, JsonNode> entry : nodes.properties()) {
            int index = index(entry.getKey());
            if (read.put(index, node(index, entry.getValue())) != null) {
                throw new MalformedReport("it has node " + index + " twice");
            }
        }
        String state = text(document, "status")
                .orElseThrow(() -> new MalformedReport("it has no text \"status\" of the domain"));
        return new DomainReport(
                new ArrayList<>(read.values()), PrintedState.of(state, DomainState.values()), OptionalInt.empty());
    }

    private static NodeReport node(int index, JsonNode node) throws MalformedReport {
        SortedMap<Integer, PrintedState<ConnectionState>> connections = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : node.path("connections").properties()) {
            String state = text(entry.getValue(), "status")
                    .orElseThrow(() -> new MalformedReport("node " + index + " has a connection without a status"));
            connections.put(index(entry.getKey()), ConnectionState.ofWord(state));
        }
        String state = text(node, "status")
                .orElseThrow(() -> new MalformedReport("node " + index + " has no text \"status\""));
        return new NodeReport(
                index,
                text(node, "host").orElse(""),
                text(node, "hostName"),
                PrintedState.of(state, DaemonState.values()),
                text(node, "version"),
                connections);
    }

    private static Optional<String> text(JsonNode object, String member) {
        return Optional.of(object.path(member))
                .filter(JsonNode::isTextual)
                .map(JsonNode::textValue)
                .filter(text -> !text.isEmpty());
    }

    private static int index(String key) throws MalformedReport {
        return DomainReport.index(key)
                .orElseThrow(() -> new MalformedReport("\"" + PrintedState.word(key)
                        + "\" is no number of a node, 0 to " + DomainReport.LARGEST_INDEX));
    }
}
