package io.imexagent.controller.manifests;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.nio.file.Path;
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

    static TemplateCommand template() {
        return new Helm(FOLDER).template().withName("imex").withKubeVersion("1.36.0");
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
