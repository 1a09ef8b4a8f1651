package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.access.KubeconfigFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.Assertions;

/** Makes clients for tests. */
final class ClientFixture {

    /** What an observer was told, such as {@code get resourceclaims.resource.k8s.io ok}. */
    final List<String> observed = new CopyOnWriteArrayList<>();

    private final ApiObserver observer = (verb, resource, failure, took) -> observed.add(verb + " " + resource + " "
            + failure.map(ApiFailure.FailureKind::label).orElse("ok"));

    /** A client of this server, with a token. */
    HttpKubernetesApi client(Path folder, StubServer server) throws IOException {
        return client(folder, "http://127.0.0.1:" + server.port(), "token: hunter2");
    }

    /** A client of this address, as this user. */
    HttpKubernetesApi client(Path folder, String server, String user) throws IOException {
        return client(KubeconfigFile.write(folder, server, "", user), Duration.ofSeconds(20));
    }

    /** A client by this kubeconfig. */
    HttpKubernetesApi client(Path kubeconfig, Duration requestTimeout) {
        return new HttpKubernetesApi(
                new ClusterAccess(
                        "kubernetes.kubeconfig",
                        List.of(kubeconfig),
                        Optional.empty(),
                        Optional.empty(),
                        requestTimeout),
                "imex-agent/test",
                InstantSource.system(),
                () -> 0.5,
                observer);
    }

    /** A controller's client of this address, with a token. */
    HttpControlPlane controlPlane(Path folder, String server, Duration requestTimeout) throws IOException {
        return controlPlane(KubeconfigFile.write(folder, server, "", "token: hunter2"), requestTimeout);
    }

    /** A controller's client by this kubeconfig. */
    HttpControlPlane controlPlane(Path kubeconfig, Duration requestTimeout) {
        return new HttpControlPlane(
                new ClusterAccess(
                        "kubernetes.kubeconfig",
                        List.of(kubeconfig),
                        Optional.empty(),
                        Optional.empty(),
                        requestTimeout),
                "imex-controller/test",
                "controller",
                "imex-agent",
                5000,
                InstantSource.system(),
                () -> 0.5,
                observer);
    }

    /** Something that fails. */
    @FunctionalInterface
    interface Failing {
        Object call() throws ApiException;
    }

    /** The failure of a call that must fail. */
    static ApiFailure failure(Failing call) {
        try {
            Object answer = call.call();
            throw new AssertionError("no failure but " + answer);
        } catch (ApiException e) {
            Assertions.assertThat(e).hasMessage(e.failure().message());
            Assertions.assertThat(e.failure().message()).doesNotContain("hunter2");
            return e.failure();
        }
    }
}
