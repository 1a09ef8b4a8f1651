package io.imexagent.kubernetes.access;

import io.imexagent.kubernetes.access.KubeconfigReader.Kubeconfig;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The service account of the pod in which this process runs. The kubelet mounts a token, which it replaces long before
 * it ends, and the cluster's authority. The server's address is in the environment, so that no name has to be resolved.
 *
 * @param server the address of the API server, as in a URL: {@code 10.96.0.1:443}
 * @param folder the folder that holds {@code token} and {@code ca.crt}
 */
record ServiceAccount(String server, Path folder) {

    private static final String FOLDER = "var/run/secrets/kubernetes.io/serviceaccount";

    /** The account, with its files below {@code root}; empty if the environment is not that of a pod. */
    static Optional<ServiceAccount> of(Map<String, String> environment, Path root) {
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "");
        if (host.isEmpty() || port.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new ServiceAccount((host.contains(":") ? "[" + host + "]" : host) + ":" + port, root.resolve(FOLDER)));
    }

    /** Whether a token is mounted; with {@code automountServiceAccountToken: false} none is. */
    boolean mounted() {
        return Files.exists(token());
    }

    /** The account in the form of a kubeconfig's content. */
    Kubeconfig kubeconfig() throws AccessException {
        Path authority = folder.resolve("ca.crt");
        return new Kubeconfig(
                Optional.empty(),
                server(server),
                false,
                Optional.of(new Pem(authority.toString(), AccessSource.file("file", authority))),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(token()),
                Optional.empty());
    }

    private Path token() {
        return folder.resolve("token");
    }

    private static URI server(String address) throws AccessException {
        try {
            return new URI("https://" + address).parseServerAuthority();
        } catch (URISyntaxException e) {
            throw new AccessException(
                    "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no server: " + address
                            + "; the kubelet sets them: leave them as they are",
                    e);
        }
    }
}
