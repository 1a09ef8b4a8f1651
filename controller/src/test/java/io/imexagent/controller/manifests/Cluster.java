package io.imexagent.controller.manifests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Rendered manifests as objects. */
final class Cluster {

    static final ManifestOptions OFF = new ManifestOptions(
            false, Isolation.NONE, false, "imex-agent", "imex-controller", false, false, false, false);
    static final ManifestOptions SHARED = new ManifestOptions(
            true, Isolation.NONE, true, "imex-agent", "imex-controller", false, false, false, false);
    static final ManifestOptions ISOLATED = new ManifestOptions(
            true, Isolation.IMEX_CHANNEL, true, "imex-agent", "imex-controller", false, false, false, false);

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private Cluster() {}

    static ManifestOptions withClaimStatus(ManifestOptions options) {
        return with(options, true, options.fabricTest(), options.placement());
    }

    static ManifestOptions withFabricTest(ManifestOptions options) {
        return with(options, options.claimStatus(), true, options.placement());
    }

    static ManifestOptions withPlacement(ManifestOptions options) {
        return with(options, options.claimStatus(), options.fabricTest(), true);
    }

    private static ManifestOptions with(
            ManifestOptions options, boolean claimStatus, boolean fabricTest, boolean placement) {
        return new ManifestOptions(
                options.hostManaged(),
                options.isolation(),
                options.admission(),
                options.namespace(),
                options.controllerUser(),
                options.rdma(),
                claimStatus,
                fabricTest,
                placement);
    }

    static Path checkout() {
        return Path.of(System.getProperty("basedir", "."), "..");
    }

    static List<JsonNode> objects(ManifestOptions options) {
        return parse(Manifests.of(options));
    }

    static List<JsonNode> parse(String yaml) {
        try {
            List<JsonNode> objects = new ArrayList<>();
            YAML.readerFor(JsonNode.class).<JsonNode>readValues(yaml).readAll().stream()
                    .filter(object -> object.isObject())
                    .forEach(objects::add);
            return objects;
        } catch (IOException e) {
            throw new AssertionError("no YAML: " + yaml, e);
        }
    }

    static JsonNode object(ManifestOptions options, String kind, String name) {
        return objects(options).stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .filter(object -> object.path("metadata").path("name").asText().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
    }

    static List<String> names(List<JsonNode> objects) {
        return objects.stream()
                .map(object -> object.path("kind").asText() + " "
                        + object.path("metadata").path("name").asText())
                .toList();
    }
}
