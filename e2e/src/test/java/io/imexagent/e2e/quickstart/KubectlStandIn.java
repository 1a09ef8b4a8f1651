package io.imexagent.e2e.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code kubectl}, as far as the page uses it: {@code apply}, {@code wait} and {@code logs}, in the words of kubectl 1.32. */
public final class KubectlStandIn {

    /** Its name, and the blank behind it. */
    public static final String NAME = "kubectl ";

    private static final Pattern APPLY = Pattern.compile("apply -f (\\S+)");
    private static final Pattern PHASE =
            Pattern.compile("wait pod/(\\S+) --for=jsonpath='\\{\\.status\\.phase}'=(\\w+) --timeout=(\\d+)m");
    private static final Pattern CONDITION =
            Pattern.compile("wait (\\w+)/(\\S+) --for=condition=(\\w+) --timeout=(\\d+)m");
    private static final Pattern LOGS = Pattern.compile("logs (\\S+)");
    private static final Pattern LOGS_OF_ALL = Pattern.compile("logs -l (\\S+)=(\\S+) --prefix");

    private final Cluster cluster;

    /** The command over a cluster. */
    public KubectlStandIn(Cluster cluster) {
        this.cluster = cluster;
    }

    /** What it reaches. */
    public interface Cluster {
        /** Applies a document, and returns whether the object is new. */
        boolean apply(JsonNode object) throws IOException;

        /** Waits until a pod has a phase. */
        void awaitPhase(String pod, String phase) throws IOException, InterruptedException;

        /** Waits until an object has a condition that is True. */
        void awaitCondition(ResourceType type, String name, String condition) throws IOException, InterruptedException;

        /** The text of a file that a command names. */
        String file(String path) throws IOException;

        /** What the container of a pod has printed. */
        String logs(String pod);

        /** The name of a pod's only container. */
        String container(String pod);

        /** The names of the pods with a label. */
        List<String> pods(String key, String value);
    }

    /**
     * Runs a command, without the program's name, and returns what it prints.
     *
     * @param input its standard input
     */
    public String run(String command, String input) throws IOException, InterruptedException {
        var apply = APPLY.matcher(command);
        if (apply.matches()) {
            return apply(apply.group(1).equals("-") ? input : cluster.file(apply.group(1)));
        }
        var phase = PHASE.matcher(command);
        if (phase.matches()) {
            cluster.awaitPhase(phase.group(1), phase.group(2));
            return "pod/" + phase.group(1) + " condition met";
        }
        var condition = CONDITION.matcher(command);
        if (condition.matches()) {
            ResourceType type = type(condition);
            cluster.awaitCondition(type, condition.group(2), condition.group(3));
            return shown(condition.group(1), group(type), condition.group(2)) + " condition met";
        }
        var logs = LOGS.matcher(command);
        if (logs.matches()) {
            return cluster.logs(logs.group(1));
        }
        var all = LOGS_OF_ALL.matcher(command);
        if (all.matches()) {
            return cluster.pods(all.group(1), all.group(2)).stream()
                    .flatMap(pod -> cluster.logs(pod)
                            .lines()
                            .map(line -> "[pod/" + pod + "/" + cluster.container(pod) + "] " + line))
                    .collect(Collectors.joining("\n"));
        }
        throw new AssertionError("the stand-in for kubectl does not know: " + command);
    }

    private static ResourceType type(MatchResult command) {
        return List.of(ResourceType.values()).stream()
                .filter(each -> each.kind().toLowerCase(Locale.ROOT).equals(command.group(1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no kind " + command.group(1)));
    }

    private static String group(ResourceType type) {
        return type.apiVersion().contains("/") ? type.apiVersion().replaceFirst("/.*", "") : "";
    }

    private String apply(String yaml) throws IOException {
        List<String> lines = new ArrayList<>();
        List<JsonNode> objects = new YAMLMapper()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(yaml)
                .readAll();
        for (JsonNode object : objects) {
            String version = object.path("apiVersion").asText();
            lines.add(shown(
                            object.path("kind").asText().toLowerCase(Locale.ROOT),
                            version.contains("/") ? version.replaceFirst("/.*", "") : "",
                            object.at("/metadata/name").asText())
                    + (cluster.apply(object) ? " created" : " configured"));
        }
        return lines.stream().collect(Collectors.joining("\n"));
    }

    private static String shown(String kind, String group, String name) {
        return kind + (group.isEmpty() ? "" : "." + group) + "/" + name;
    }
}
