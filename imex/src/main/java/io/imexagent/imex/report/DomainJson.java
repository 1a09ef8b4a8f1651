package io.imexagent.imex.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads the JSON that {@code nvidia-imex-ctl -N -j} prints. Lines before the document, such as warnings, are passed
 * over; members without a meaning here are, too. The form does not tell which node was asked.
 */
public final class DomainJson {

    private static final int DEEPEST = 16;
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .build())
                    .build())
            .build();

    private DomainJson() {}

    /** The report in the text. Never throws, whatever they are. */
    public static Parsed<DomainReport> parse(String output) {
        int start = output.indexOf('{');
        if (start < 0) {
            return new Parsed.Unreadable<>("there is no JSON object in it");
        }
        try (JsonParser parser = MAPPER.createParser(output.substring(start))) {
            JsonNode document = MAPPER.readTree(parser);
            return new Parsed.Read<>(report(document));
        } catch (IOException broken) {
            return new Parsed.Unreadable<>("its JSON is broken: " + Printable.line(message(broken)));
        } catch (Unfit unfit) {
            return new Parsed.Unreadable<>(Printable.line(unfit.reason));
        }
    }

    private static DomainReport report(JsonNode document) throws Unfit {
        JsonNode nodes = document.path("nodes");
        if (!nodes.isObject()) {
            throw new Unfit("it has no object \"nodes\"");
        }
        var read = new TreeMap<Integer, NodeReport>();
        for (Map.Entry<String, JsonNode> entry : nodes.properties()) {
            int index = index(entry.getKey());
            if (read.put(index, node(index, entry.getValue())) != null) {
                throw new Unfit("it has node " + index + " twice");
            }
        }
        return new DomainReport(
                new ArrayList<>(read.values()),
                DomainState.of(text(document, "status")
                        .orElseThrow(() -> new Unfit("it has no text \"status\" of the domain"))),
                OptionalInt.empty());
    }

    private static NodeReport node(int index, JsonNode node) throws Unfit {
        SortedMap<Integer, ConnectionState> connections = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : node.path("connections").properties()) {
            connections.put(
                    index(entry.getKey()),
                    ConnectionState.ofWord(text(entry.getValue(), "status")
                            .orElseThrow(() -> new Unfit("node " + index + " has a connection without a status"))));
        }
        return new NodeReport(
                index,
                text(node, "host").orElse(""),
                text(node, "hostName"),
                DaemonState.of(
                        text(node, "status").orElseThrow(() -> new Unfit("node " + index + " has no text \"status\""))),
                text(node, "version"),
                connections);
    }

    private static Optional<String> text(JsonNode object, String member) {
        return Optional.of(object.path(member))
                .filter(JsonNode::isTextual)
                .map(JsonNode::textValue)
                .filter(text -> !text.isEmpty());
    }

    private static int index(String key) throws Unfit {
        try {
            int index = Integer.parseInt(key);
            if (index >= 0 && index <= DomainReport.LARGEST_INDEX) {
                return index;
            }
        } catch (NumberFormatException notANumber) {
            // Told below, together with numbers out of range.
        }
        throw new Unfit("\"" + Printable.word(key) + "\" is no number of a node, 0 to " + DomainReport.LARGEST_INDEX);
    }

    private static String message(IOException broken) {
        return broken instanceof com.fasterxml.jackson.core.JsonProcessingException json
                ? json.getOriginalMessage()
                : String.valueOf(broken.getMessage());
    }

    /** The document is JSON, and not what it should be. */
    private static final class Unfit extends Exception {

        private final String reason;

        Unfit(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }
    }
}
