package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.http.HttpKubernetesApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Facts and sources of this process: version, the abbreviated commit of its build (or {@code unknown}), environment,
 * the time of day, the monotonic clock, random numbers in 0 … 1.
 */
public record ThisProcess(
        String version,
        String commit,
        Map<String, String> environment,
        Clock clock,
        LongSupplier nanoTime,
        DoubleSupplier random) {

    public ThisProcess {
        environment = Map.copyOf(environment);
    }

    /** Whether this process runs as root. */
    static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid") instanceof Integer uid && uid == 0;
    }

    /**
     * Tests whether the user of this process may not use a path of the agent: a file that the user cannot read, or a
     * directory that the user cannot write to. Always false for root, for whom other checks report faults.
     */
    static Predicate<Path> closed() throws IOException {
        return isRoot()
                ? path -> false
                : path -> !(Files.isReadable(path) && (Files.isRegularFile(path) || Files.isWritable(path)));
    }

    /** Whether this process runs in a pod: there the kubelet sets a variable with the API server's address. */
    public boolean inPod() {
        return !environment.getOrDefault("KUBERNETES_SERVICE_HOST", "").isEmpty();
    }

    /** Whether systemd started this very process for a unit, not a process before it (systemd.exec(5)). */
    public boolean isService() {
        return Long.toString(ProcessHandle.current().pid()).equals(environment.get("SYSTEMD_EXEC_PID"));
    }

    /** The absolute folders of {@code LD_LIBRARY_PATH}, which the dynamic linker searches first (ld.so(8)). */
    public List<Path> libraryPath() {
        return Stream.of(environment.getOrDefault("LD_LIBRARY_PATH", "").split("[:;]"))
                .filter(folder -> folder.startsWith("/"))
                .map(Path::of)
                .toList();
    }

    /** The API server of the node's kubeconfig; the client's name appears in the server's log. */
    public KubernetesApi api(AgentConfig config, String client, ApiObserver observer) {
        return new HttpKubernetesApi(ClusterAccess.of(config.kubeconfigs()), client, clock, random, observer);
    }

    /** The API server under the identity that reports devices of claims; empty if the configuration has none. */
    public Optional<HttpKubernetesApi> reportingApi(AgentConfig config, String client, ApiObserver observer) {
        return config.claimStatusKubeconfig()
                .map(file -> ClusterAccess.of("kubernetes.claimStatusKubeconfig", file)
                        .orServiceAccount(environment, Path.of("/")))
                .map(access -> new HttpKubernetesApi(access, client, clock, random, observer));
    }
}
