package io.imexagent.e2e.process;

import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * A configuration file for the agent, in the making.
 *
 * @param values values by key, such as {@code imex.isolation}
 */
public record AgentSettings(Map<String, String> values) {

    /** Copies the values. */
    public AgentSettings {
        values = Map.copyOf(values);
    }

    /**
     * An agent that serves channel 0 of a made-up host with a simulated GB200 tray, to this user, with metrics on a free
     * loopback port.
     *
     * @param node the node's name
     * @param kubeconfig how the API server is reached
     * @throws IOException when the user cannot be told
     */
    public static AgentSettings of(FakeHost host, String node, Path kubeconfig) throws IOException {
        Map<String, String> values = new TreeMap<>();
        values.put("node.name", node);
        values.put("host.root", host.root().toString());
        values.put("nvml.simulate", "gb200");
        values.put("kubelet.root", host.kubeletRoot().toString());
        values.put("kubelet.uid", user(host.directory()));
        values.put("kubernetes.kubeconfig", kubeconfig.toAbsolutePath().toString());
        values.put("cdi.directory", host.cdiDirectory().toString());
        values.put("state.directory", host.stateDirectory().toString());
        values.put("featureGates.HostManagedIMEX", "true");
        values.put("imex.isolation", "None");
        values.put("imex.health.tool", host.imex().tool().toString());
        values.put("imex.health.systemctl", host.imex().systemctl().toString());
        values.put("http.address", "127.0.0.1");
        values.put("http.port", "0");
        return new AgentSettings(values);
    }

    /** With a value more, or another one. */
    public AgentSettings with(String key, String value) {
        Map<String, String> changed = new TreeMap<>(values);
        changed.put(key, value);
        return new AgentSettings(changed);
    }

    /** Without a value. */
    public AgentSettings without(String key) {
        Map<String, String> changed = new TreeMap<>(values);
        changed.remove(key);
        return new AgentSettings(changed);
    }

    /**
     * Writes the file.
     *
     * @throws IOException when it cannot be written
     */
    public Path write(Path file) throws IOException {
        return Files.writeString(file, text());
    }

    /** The file's text. */
    public String text() {
        Section root = new Section();
        values.forEach(root::put);
        StringBuilder text = new StringBuilder();
        root.print(text, "");
        return text.toString();
    }

    private static String user(Path own) throws IOException {
        return String.valueOf(Files.getAttribute(own, "unix:uid"));
    }

    /** Keys of one level. */
    private static final class Section {
        private final Map<String, String> scalars = new TreeMap<>();
        private final Map<String, Section> sections = new TreeMap<>();

        void put(String path, String value) {
            int dot = path.indexOf('.');
            if (dot < 0) {
                scalars.put(path, value);
            } else {
                sections.computeIfAbsent(path.substring(0, dot), name -> new Section())
                        .put(path.substring(dot + 1), value);
            }
        }

        void print(StringBuilder text, String indent) {
            scalars.forEach((key, value) -> text.append(indent)
                    .append(key)
                    .append(": ")
                    .append(quoted(value))
                    .append('\n'));
            sections.forEach((key, section) -> {
                text.append(indent).append(key).append(":\n");
                section.print(text, indent + "  ");
            });
        }

        private static String quoted(String value) {
            boolean plain = value.chars()
                    .allMatch(character -> Character.isLetterOrDigit(character)
                            || character == '/'
                            || character == '.'
                            || character == '-'
                            || character == '_');
            return plain && !value.isEmpty() ? value : "'" + value.replace("'", "''") + "'";
        }
    }
}
