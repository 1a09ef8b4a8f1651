package io.imexagent.kubernetes.access;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The current context of a kubeconfig: which server, and who asks. Relative paths are resolved against its folder, and
 * what certificates and keys are in files is read.
 *
 * @param server the server's URL
 * @param insecure whether the file says that the server's certificate is not to be checked
 * @param authority the certificates that vouch for the server; empty for the system's own
 * @param certificate the client certificate chain; its PEM may hold the key too
 * @param key the client key
 * @param token a token that does not change
 * @param tokenFile a file with a token that rotates; wins over {@code token}
 * @param exec a plugin that gives credentials
 */
record Kubeconfig(
        URI server,
        boolean insecure,
        Optional<PemText> authority,
        Optional<PemText> certificate,
        Optional<PemText> key,
        Optional<String> token,
        Optional<Path> tokenFile,
        Optional<Exec> exec) {

    /**
     * A credential plugin, {@code client.authentication.k8s.io}.
     *
     * @param apiVersion the API version that it speaks
     * @param command the program; looked up in the PATH where it has no slash
     * @param arguments its arguments
     * @param environment what is added to the environment
     * @param clusterInfo the cluster as the plugin wants to be told of it; empty where it does not
     * @param installHint what the kubeconfig says about how to install it
     */
    record Exec(
            String apiVersion,
            String command,
            List<String> arguments,
            Map<String, String> environment,
            Optional<Map<String, Object>> clusterInfo,
            Optional<String> installHint) {

        Exec {
            arguments = List.copyOf(arguments);
            environment = Map.copyOf(environment);
        }
    }
}
