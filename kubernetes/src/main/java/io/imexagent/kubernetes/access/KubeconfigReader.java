package io.imexagent.kubernetes.access;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.imexagent.host.json.JsonTrees;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Reads a context of a kubeconfig ({@code v1 Config}). It refuses fields that it does not support, rather
 * than ignore them.
 */
final class KubeconfigReader {

    private static final YAMLFactory YAML = new YAMLFactory();

    /** The most names that a message lists; more would not help the reader to find one. */
    private static final int MOST_NAMES = 10;

    /**
     * Unsupported fields that change the user or the server: if one were ignored, calls would be made as another user.
     */
    private static final List<String> UNSUPPORTED_CLUSTER = List.of("tls-server-name", "proxy-url");

    private static final List<String> EXEC_VERSIONS =
            List.of("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1");

    private static final List<String> UNSUPPORTED_USER = List.of("username", "password", "auth-provider", "as");

    /**
     * A context, with its name if it has one. If it has no authority, those of the system are trusted; {@code
     * tokenFile} takes precedence over {@code token}.
     */
    record Kubeconfig(
            Optional<String> context,
            URI server,
            boolean insecure,
            Optional<Pem> authority,
            Optional<Pem> certificate,
            Optional<Pem> key,
            Optional<String> token,
            Optional<Path> tokenFile,
            Optional<ExecConfig> exec) {}

    /**
     * A credential plugin. A command without a slash is searched in the PATH; {@code clusterInfo} is set if the plugin
     * requests it.
     */
    record ExecConfig(
            String apiVersion,
            String command,
            List<String> arguments,
            Map<String, String> environment,
            Optional<ObjectNode> clusterInfo,
            Optional<String> installHint) {

        ExecConfig {
            arguments = List.copyOf(arguments);
            environment = Map.copyOf(environment);
        }
    }

    private final Path file;
    private final Path folder;

    private KubeconfigReader(Path file) {
        this.file = file;
        this.folder = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of("/"));
    }

    /** Reads the named context, or the current one. */
    static Kubeconfig read(Path file, byte[] content, Optional<String> context) throws AccessException {
        return new KubeconfigReader(file).read(content, context);
    }

    private Kubeconfig read(byte[] content, Optional<String> wanted) throws AccessException {
        JsonNode root = parse(content);
        String contextName = wanted.or(() -> text(root, "current-context"))
                .orElseThrow(() -> fault("it has no current-context", "set one with kubectl config use-context"));
        JsonNode context = named(root, "contexts", contextName, "context");
        String clusterName =
                text(context, "cluster").orElseThrow(() -> fault("its context names no cluster", "add one"));
        String userName = text(context, "user").orElseThrow(() -> fault("its context names no user", "add one"));
        JsonNode cluster = named(root, "clusters", clusterName, "cluster");
        JsonNode user = named(root, "users", userName, "user");
        refuse(cluster, UNSUPPORTED_CLUSTER, "cluster " + clusterName);
        refuse(user, UNSUPPORTED_USER, "user " + userName);
        boolean insecure = cluster.path("insecure-skip-tls-verify").asBoolean(false);
        URI server = server(cluster, insecure);
        Optional<Pem> authority = pem(cluster, "certificate-authority");
        return new Kubeconfig(
                Optional.of(contextName),
                server,
                insecure,
                authority,
                pem(user, "client-certificate"),
                pem(user, "client-key"),
                text(user, "token"),
                text(user, "tokenFile").map(folder::resolve),
                exec(user.path("exec"), cluster, server, authority));
    }

    private JsonNode parse(byte[] content) throws AccessException {
        try (JsonParser parser = YAML.createParser(content)) {
            JsonNode root = JsonTrees.value(parser);
            if (!root.isObject()) {
                throw fault("it holds no object", "give it the form of a kubeconfig, kind Config");
            }
            return root;
        } catch (JsonProcessingException e) {
            // The parser's message quotes the source, which holds secrets.
            throw fault(
                    "it is no YAML"
                            + Optional.ofNullable(e.getLocation())
                                    .map(at -> " in line " + at.getLineNr())
                                    .orElse(""),
                    "fix the file");
        } catch (IOException e) {
            throw new AccessException("cannot read kubeconfig " + file + ": " + e.getMessage(), e);
        }
    }

    private JsonNode named(JsonNode root, String list, String name, String field) throws AccessException {
        for (JsonNode entry : root.path(list)) {
            if (entry.path("name").asText().equals(name) && entry.path(field).isObject()) {
                return entry.path(field);
            }
        }
        String known = StreamSupport.stream(root.path(list).spliterator(), false)
                .limit(MOST_NAMES)
                .map(entry -> entry.path("name").asText())
                .collect(Collectors.joining(", "));
        throw fault(
                "its " + list + " have no " + name,
                list.equals("contexts") && !known.isEmpty()
                        ? "use another context: it has " + known
                        : "add it, or use another context");
    }

    private void refuse(JsonNode node, List<String> fields, String where) throws AccessException {
        for (String field : fields) {
            if (node.hasNonNull(field)) {
                throw fault(where + " has " + field + ", which is not supported", "use a kubeconfig without it");
            }
        }
    }

    private URI server(JsonNode cluster, boolean insecure) throws AccessException {
        String text = text(cluster, "server").orElseThrow(() -> fault("its cluster has no server", "add its URL"));
        URI server;
        try {
            server = URI.create(text.replaceAll("/+$", ""));
        } catch (IllegalArgumentException e) {
            throw new AccessException("kubeconfig " + file + ": its server is no URL: " + text, e);
        }
        String scheme = Optional.ofNullable(server.getScheme()).orElse("").toLowerCase(Locale.ROOT);
        if (server.getHost() == null || !(scheme.equals("https") || scheme.equals("http"))) {
            throw fault("its server is no https URL: " + text, "give it the form https://host:port");
        }
        if (scheme.equals("http") && !insecure && !loopback(server.getHost())) {
            throw fault(
                    "its server " + text + " is reached without TLS",
                    "use https, or set insecure-skip-tls-verify to say that this is meant");
        }
        return server;
    }

    private static boolean loopback(String host) {
        try {
            // A literal address needs no lookup. Of names, only localhost is trusted to be this machine.
            return host.equals("localhost")
                    || (host.matches("[0-9.]+|\\[.*]")
                            && InetAddress.getByName(host).isLoopbackAddress());
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private Optional<Pem> pem(JsonNode node, String field) throws AccessException {
        Optional<String> data = text(node, field + "-data");
        Optional<Path> named = text(node, field).map(folder::resolve);
        if (data.isEmpty()) {
            return named.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Pem(named.get().toString(), AccessSource.file("file", named.get())));
        }
        try {
            return Optional.of(new Pem(
                    "kubeconfig " + file + " (" + field + "-data)",
                    new String(Base64.getMimeDecoder().decode(data.get()), StandardCharsets.ISO_8859_1)));
        } catch (IllegalArgumentException e) {
            throw fault("its " + field + "-data is no base64", "encode the PEM text again");
        }
    }

    private Optional<ExecConfig> exec(JsonNode exec, JsonNode cluster, URI server, Optional<Pem> authority)
            throws AccessException {
        if (!exec.isObject()) {
            return Optional.empty();
        }
        String version = text(exec, "apiVersion").orElse("no apiVersion");
        if (!EXEC_VERSIONS.contains(version)) {
            throw fault("its exec plugin speaks " + version, "use " + String.join(" or ", EXEC_VERSIONS));
        }
        if (text(exec, "interactiveMode").orElse("").equals("Always")) {
            throw fault(
                    "its exec plugin wants a terminal (interactiveMode Always)",
                    "imex-agent gives it none: use another");
        }
        String command = text(exec, "command").orElseThrow(() -> fault("its exec plugin has no command", "add it"));
        var environment = new LinkedHashMap<String, String>();
        for (JsonNode variable : exec.path("env")) {
            environment.put(
                    variable.path("name").asText(), variable.path("value").asText());
        }
        var arguments = new ArrayList<String>();
        exec.path("args").forEach(argument -> arguments.add(argument.asText()));
        return Optional.of(new ExecConfig(
                version,
                command.contains("/") ? folder.resolve(command).normalize().toString() : command,
                arguments,
                environment,
                exec.path("provideClusterInfo").asBoolean(false)
                        ? Optional.of(clusterInfo(cluster, server, authority))
                        : Optional.empty(),
                text(exec, "installHint")));
    }

    /** The {@code spec.cluster} of an ExecCredential, with the content of files, as client-go builds it. */
    private static ObjectNode clusterInfo(JsonNode cluster, URI server, Optional<Pem> authority) {
        ObjectNode info = JsonTrees.object().put("server", server.toString());
        authority.ifPresent(pem -> info.put(
                "certificate-authority-data",
                Base64.getEncoder().encodeToString(pem.text().getBytes(StandardCharsets.ISO_8859_1))));
        if (cluster.path("insecure-skip-tls-verify").asBoolean(false)) {
            info.put("insecure-skip-tls-verify", true);
        }
        for (JsonNode extension : cluster.path("extensions")) {
            if (extension.path("name").asText().equals("client.authentication.k8s.io/exec")) {
                info.set("config", extension.path("extension"));
            }
        }
        return info;
    }

    static Optional<String> text(JsonNode node, String field) {
        return Optional.of(node.path(field))
                .filter(JsonNode::isValueNode)
                .filter(value -> !value.isNull())
                .map(JsonNode::asText)
                .filter(value -> !value.isEmpty());
    }

    private AccessException fault(String what, String remedy) {
        return new AccessException("kubeconfig " + file + ": " + what + "; " + remedy);
    }
}
