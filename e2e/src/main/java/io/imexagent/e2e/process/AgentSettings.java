package io.imexagent.e2e.process;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** A configuration file for the agent in the making: values by key, such as {@code imex.isolation}. */
public record AgentSettings(Map<String, String> values) {

    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .build());

    public AgentSettings {
        values = Map.copyOf(values);
    }

    /**
     * An agent that serves channel 0 of a made-up host with a simulated GB200 tray, to this user, with metrics on a
     * free loopback port.
     */
    public static AgentSettings of(FakeHost host, String node, Path kubeconfig) throws IOException {
        String user = String.valueOf(Files.getAttribute(host.directory(), "unix:uid"));
        return new AgentSettings(Map.ofEntries(
                Map.entry("node.name", node),
                Map.entry("host.root", host.root().toString()),
                Map.entry("nvml.simulate", "gb200"),
                Map.entry("kubelet.root", host.kubeletRoot().toString()),
                Map.entry("kubelet.uid", user),
                Map.entry("kubernetes.kubeconfig", kubeconfig.toAbsolutePath().toString()),
                Map.entry("cdi.directory", host.cdiDirectory().toString()),
                Map.entry("state.directory", host.stateDirectory().toString()),
                Map.entry("featureGates.HostManagedIMEX", "true"),
                Map.entry("imex.isolation", "None"),
                Map.entry("imex.health.tool", host.imex().tool().toString()),
                Map.entry("imex.health.systemctl", host.imex().systemctl().toString()),
                // The BlueFields of a made-up tray carry storage and the front-end network.
                Map.entry("rdma.storageDevices", "15b3:a2dc"),
                Map.entry("http.address", "127.0.0.1"),
                Map.entry("http.port", "0")));
    }

    /** A controller that serves its pages on a loopback port, 0 for a free one. */
    public static AgentSettings ofController(Path kubeconfig, String isolation, int port) {
        return new AgentSettings(Map.of(
                "featureGates.HostManagedIMEX",
                "true",
                "imex.isolation",
                isolation,
                "controller.kubeconfig",
                kubeconfig.toString(),
                "controller.port",
                Integer.toString(port),
                "http.address",
                "127.0.0.1"));
    }

    public AgentSettings with(String key, String value) {
        Map<String, String> changed = new TreeMap<>(values);
        changed.put(key, value);
        return new AgentSettings(changed);
    }

    public AgentSettings without(String key) {
        Map<String, String> changed = new TreeMap<>(values);
        changed.remove(key);
        return new AgentSettings(changed);
    }

    /** With a driver's library on the host in the place of the simulated tray. */
    public AgentSettings withDriver(FakeNvmlLibrary driver) {
        return without("nvml.simulate")
                .with("host.driverRoot", driver.driverRoot().toString());
    }

    public Path write(Path file) throws IOException {
        return Files.writeString(file, text());
    }

    /** The file's text: YAML, with a section for each part of a key, in the order of the keys. */
    public String text() throws IOException {
        ObjectNode document = Json.object();
        new TreeMap<>(values).forEach((key, value) -> {
            int dot = key.lastIndexOf('.');
            String section = dot < 0 ? "" : "/" + key.substring(0, dot).replace('.', '/');
            document.withObject(section).put(key.substring(dot + 1), value);
        });
        return YAML.writeValueAsString(document);
    }
}
