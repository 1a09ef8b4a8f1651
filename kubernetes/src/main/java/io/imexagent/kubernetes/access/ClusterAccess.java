package io.imexagent.kubernetes.access;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How the agent reaches the API server.
 *
 * @param key the name of the setting for the kubeconfig, for messages: a key of the configuration, an option or a
 *     variable
 * @param kubeconfigs the possible paths of the kubeconfig, at least one; it need not exist yet when the agent starts
 * @param context the context of the kubeconfig; empty for its current one
 * @param serviceAccount the account of this pod, used if no kubeconfig exists
 * @param requestTimeout how long a whole response may take, plus a second for each megabyte; a watch only has to begin
 *     within it
 */
public record ClusterAccess(
        String key,
        List<Path> kubeconfigs,
        Optional<String> context,
        Optional<ServiceAccount> serviceAccount,
        Duration requestTimeout) {

    private static final String OF_NODE = "kubernetes.kubeconfig";
    private static final String OF_CLAIM_STATUS = "kubernetes.claimStatusKubeconfig";
    private static final String OF_CONTROLLER = "controller.kubeconfig";

    public ClusterAccess {
        kubeconfigs = List.copyOf(kubeconfigs);
    }

    /** Creates access by the kubeconfig that this key names, with a timeout of 10 s. */
    public static ClusterAccess of(String key, Path kubeconfig) {
        return of(key, List.of(kubeconfig));
    }

    /** Adds the service account of the pod with this environment and root, for the case that no kubeconfig exists. */
    public ClusterAccess orServiceAccount(Map<String, String> environment, Path root) {
        return new ClusterAccess(key, kubeconfigs, context, ServiceAccount.of(environment, root), requestTimeout);
    }

    /** Returns a copy with this context of the kubeconfig. */
    public ClusterAccess withContext(Optional<String> named) {
        return new ClusterAccess(key, kubeconfigs, named, serviceAccount, requestTimeout);
    }

    /** Creates access by the first of a node's kubeconfigs that exists, with a timeout of 10 s. */
    public static ClusterAccess of(List<Path> kubeconfigs) {
        return of(OF_NODE, kubeconfigs);
    }

    /** Creates access by the first of these kubeconfigs that exists, with a timeout of 10 s. */
    public static ClusterAccess of(String key, List<Path> kubeconfigs) {
        return new ClusterAccess(key, kubeconfigs, Optional.empty(), Optional.empty(), Duration.ofSeconds(10));
    }

    /**
     * The kubeconfig to read: the only one, or the first that exists or whose existence cannot be checked; empty if
     * none does.
     */
    public Optional<Path> kubeconfig() {
        return kubeconfigs.size() == 1
                ? Optional.of(kubeconfigs.getFirst())
                : kubeconfigs.stream()
                        .filter(file -> !Files.notExists(file, LinkOption.NOFOLLOW_LINKS))
                        .findFirst();
    }

    /** The service account to use: that of the pod, if a token is mounted and no kubeconfig exists. */
    Optional<ServiceAccount> account() {
        return serviceAccount
                .filter(ServiceAccount::mounted)
                .filter(account ->
                        kubeconfigs.stream().allMatch(file -> Files.notExists(file, LinkOption.NOFOLLOW_LINKS)));
    }

    /** The remedy for a missing kubeconfig, as a clause. */
    String remedy() {
        return switch (key) {
            case OF_NODE -> "on a kubelet's node it appears when the node has joined the cluster; otherwise set " + key;
            case OF_CLAIM_STATUS ->
                "docs/rights.md#the-status-of-claims says how to make it; or set " + key + " to another file";
            case OF_CONTROLLER -> "docs/controller.md says how to make it; or set " + key + " to another file";
            default -> "name one that exists with --kubeconfig, or in the variable KUBECONFIG";
        };
    }

    public String noneExists() {
        return "there is no kubeconfig: none of "
                + kubeconfigs.stream().map(Path::toString).collect(Collectors.joining(", ")) + " exists";
    }
}
