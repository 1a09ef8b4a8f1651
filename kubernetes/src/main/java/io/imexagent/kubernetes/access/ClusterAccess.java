package io.imexagent.kubernetes.access;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How the agent reaches the API server.
 *
 * @param kubeconfig the kubeconfig; it need not exist yet when the agent starts
 * @param connectTimeout how long a connection may take to come about, TLS not counted
 * @param requestTimeout how long a full answer may take, a second for each megabyte apart; a watch must only begin in it
 */
public record ClusterAccess(Path kubeconfig, Duration connectTimeout, Duration requestTimeout) {

    /** Refuses timeouts that are not positive. */
    public ClusterAccess {
        if (!connectTimeout.isPositive() || !requestTimeout.isPositive()) {
            throw new IllegalArgumentException("timeouts of the API server must be positive");
        }
    }

    /** Access by this kubeconfig, with 5 s to connect and 10 s to answer. */
    public static ClusterAccess of(Path kubeconfig) {
        return new ClusterAccess(kubeconfig, Duration.ofSeconds(5), Duration.ofSeconds(10));
    }
}
