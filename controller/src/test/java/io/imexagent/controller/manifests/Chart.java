package io.imexagent.controller.manifests;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The chart, rendered by Helm itself (its Go code, bound to Java). */
final class Chart {

    static final Path FOLDER = Cluster.checkout().resolve("packaging/kubernetes/chart");

    /** Values with which agents and controllers serve. */
    static final Map<String, String> SERVING =
            Map.of("featureGates.HostManagedIMEX", "true", "imex.isolation", "IMEXChannel");

    /** Values with which controllers run in the cluster. */
    static final Map<String, String> DEPLOYMENT =
            Map.of("controller.deployment.enabled", "true", "image.repository", "registry.example/imex-agent");

    /** Values with which agents run in the cluster. */
    static final Map<String, String> DAEMON_SET =
            Map.of("agent.daemonSet.enabled", "true", "image.repository", "registry.example/imex-agent");

    private Chart() {}

    /**
     * A value that can be set.
     *
     * @param schema what the schema says of it
     * @param value what the chart comes with; missing where it comes with none
     */
    record Value(String path, JsonNode schema, JsonNode value) {

        /** On or off; the gate may be a text, too. */
        boolean isSwitch() {
            return schema.path("type").asText().equals("boolean") || value.isBoolean();
        }
    }

    /** All values of the schema: what it describes, and what has no values of its own. */
    static List<Value> values() throws IOException {
        List<Value> values = new ArrayList<>();
        add("", parsed("values.schema.json"), parsed("values.yaml"), values);
        return values;
    }

    private static JsonNode parsed(String file) throws IOException {
        return Cluster.parse(Files.readString(FOLDER.resolve(file))).getFirst();
    }

    private static void add(String path, JsonNode schema, JsonNode value, List<Value> values) {
        if (!schema.has("properties") || schema.has("description")) {
            values.add(new Value(path, schema, value));
            return;
        }
        schema.path("properties")
                .properties()
                .forEach(entry -> add(
                        path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(),
                        entry.getValue(),
                        value.path(entry.getKey()),
                        values));
    }

    static TemplateCommand template() {
        return new Helm(FOLDER)
                .template()
                .withName("imex")
                .withNamespace("imex-agent")
                .withKubeVersion("1.36.0");
    }

    /** The objects of a release with these values. */
    @SafeVarargs
    static List<JsonNode> objects(Map<String, String>... values) {
        TemplateCommand command = template();
        for (Map<String, String> some : values) {
            some.forEach(command::set);
        }
        return Cluster.parse(command.call());
    }

    static JsonNode object(List<JsonNode> objects, String name) {
        return objects.get(Cluster.names(objects).indexOf(name));
    }
}
