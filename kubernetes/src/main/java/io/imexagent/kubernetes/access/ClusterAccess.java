package io.imexagent.kubernetes.access;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How the agent reaches the API server.
 *
 * @param kubeconfigs the kubeconfig, or where it may be: at least one; it need not exist yet when the agent starts
 * @param connectTimeout how long a connection may take to come about, TLS not counted
 * @param requestTimeout how long a full answer may take, a second for each megabyte apart; a watch must only begin in it
 */
public record ClusterAccess(List<Path> kubeconfigs, Duration connectTimeout, Duration requestTimeout) {

    /** Copies the list in. Refuses timeouts that are not positive. */
    public ClusterAccess {
        kubeconfigs = List.copyOf(kubeconfigs);
        if (!connectTimeout.isPositive() || !requestTimeout.isPositive()) {
            throw new IllegalArgumentException("timeouts of the API server must be positive");
        }
    }

    /** Access by this kubeconfig, with 5 s to connect and 10 s to answer. */
    public static ClusterAccess of(Path kubeconfig) {
        return of(List.of(kubeconfig));
    }

    /** The same by the first of these that exists. */
    public static ClusterAccess of(List<Path> kubeconfigs) {
        return new ClusterAccess(kubeconfigs, Duration.ofSeconds(5), Duration.ofSeconds(10));
    }

    /**
     * The kubeconfig to read: of several the first that exists, or that cannot be looked at, as its reading will say; empty
     * where none does. One alone need not exist.
     */
    public Optional<Path> kubeconfig() {
        return kubeconfigs.size() == 1
                ? Optional.of(kubeconfigs.getFirst())
                : kubeconfigs.stream()
                        .filter(file -> !Files.notExists(file, LinkOption.NOFOLLOW_LINKS))
                        .findFirst();
    }

    /** That there is none of them, in words. */
    public String noneExists() {
        return "there is no kubeconfig: none of "
                + kubeconfigs.stream().map(Path::toString).collect(Collectors.joining(", ")) + " exists";
    }
}
