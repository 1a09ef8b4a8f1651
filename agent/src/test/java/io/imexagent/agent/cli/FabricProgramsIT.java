package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.runtime.Main;
import io.imexagent.fabric.fake.FakeCudaLibrary;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.host.FakeHost;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code fabric test} and {@code fabric local} as processes, to their end or that of a signal. */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FabricProgramsIT {

    private static final List<ResourceType> OF_A_RUN = List.of(
            ResourceType.JOBS,
            ResourceType.NETWORK_POLICIES,
            ResourceType.SERVICES,
            ResourceType.SECRETS,
            ResourceType.COMPUTE_DOMAINS);

    @TempDir
    Path folder = Path.of("");

    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    void aSignalEndsARunAndTakesItsObjectsAway(String signal, int code) throws Exception {
        try (ApiDouble api = cluster();
                ProgramProcess run = run(api, "run")) {
            run.await("pods to wait for", () -> run.err().contains("waiting for pods: 0 of 2 have started"));
            assertThat(OF_A_RUN).allSatisfy(type -> assertThat(api.list(type)).hasSize(1));

            run.signal(signal);

            assertThat(run.awaitEnd()).isEqualTo(code);
            assertThat(run.err()).contains("ended by a signal, and what the run made is deleted");
            assertThat(OF_A_RUN).allSatisfy(type -> assertThat(api.list(type)).isEmpty());
        }
    }

    @Test
    void aRunThatWasKilledLeavesWhatGoesWithItsJobAndTheNextTakesAway() throws Exception {
        try (ApiDouble api = cluster()) {
            try (ProgramProcess run = run(api, "killed")) {
                run.await("pods to wait for", () -> run.err().contains("waiting for pods: 0 of 2 have started"));
                run.signal("KILL");
                assertThat(run.awaitEnd()).isEqualTo(137);
            }
            ObjectNode job = api.list(ResourceType.JOBS).getFirst();
            assertThat(job.at("/spec/activeDeadlineSeconds").asInt()).isEqualTo(600);
            assertThat(job.at("/spec/ttlSecondsAfterFinished").asInt()).isEqualTo(600);
            for (ResourceType type : OF_A_RUN.subList(1, OF_A_RUN.size())) {
                assertThat(api.list(type).getFirst().at("/metadata/ownerReferences/0/uid"))
                        .as(type.kind())
                        .isEqualTo(job.at("/metadata/uid"));
            }

            try (ProgramProcess second = run(api, "second")) {
                assertThat(second.awaitEnd()).isEqualTo(1);
                assertThat(second.err())
                        .contains("a fabric test is under way in clique", "of ada in namespace default")
                        .contains("kubectl delete job imex-fabric-test-");
            }
            assertThat(api.list(ResourceType.JOBS)).containsExactly(job);

            for (ResourceType type : List.of(ResourceType.JOBS, ResourceType.COMPUTE_DOMAINS)) {
                String name = api.list(type).getFirst().at("/metadata/name").asText();
                api.edit(
                        type,
                        "default",
                        name,
                        object -> object.withObject("/metadata/annotations")
                                .put(FabricRuns.UNTIL, "2026-01-01T00:00:00Z"));
            }
            try (ProgramProcess third = run(api, "third")) {
                third.await("pods to wait for", () -> third.err().contains("waiting for pods: 0 of 2 have started"));
                assertThat(third.err()).contains("taking away what a run of ada left in namespace default");
                assertThat(api.list(ResourceType.JOBS).getFirst().at("/metadata/uid"))
                        .isNotEqualTo(job.at("/metadata/uid"));
            }
        }
    }

    @Test
    void aHostIsProvenAndLeftAsItWas() throws Exception {
        FakeCudaLibrary driver = driver();
        List<String> mounts = Files.readAllLines(Path.of("/proc/self/mountinfo"));

        try (ProgramProcess local = local(driver)) {
            assertThat(local.awaitEnd()).as(local.output()).isZero();
            assertThat(local.out())
                    .contains(": proven: memory exported on channels 256 and 257 was imported and mapped on the same")
                    .contains("It proves nothing of nvidia-imex or of other nodes.");
        }

        assertThat(driver.imports())
                .filteredOn(one -> one.kind().equals("import"))
                .extracting(one -> one.channel() + " " + one.result())
                .containsExactly("256 0", "256 800", "256 800", "256 0", "257 0", "257 800", "257 800", "257 0");
        assertThat(driver.held()).isZero();
        assertThat(Files.readAllLines(Path.of("/proc/self/mountinfo"))).isEqualTo(mounts);
        assertThat(Path.of("/dev/nvidia-caps-imex-channels")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "KILL"})
    void noChildOutlivesASignalWhileAnImportHangs(String signal) throws Exception {
        FakeCudaLibrary driver = driver().set("hang.cuMemImportFromShareableHandle", "yes");

        try (ProgramProcess local = local(driver)) {
            local.await("import", () -> driver.calls().contains("cuMemImportFromShareableHandle"));
            List<ProcessHandle> children = local.children();
            assertThat(children).hasSizeGreaterThanOrEqualTo(2);

            local.signal(signal);

            assertThat(local.awaitEnd()).isEqualTo(signal.equals("INT") ? 130 : 137);
            for (ProcessHandle child : children) {
                assertThat(child.onExit().get(60, TimeUnit.SECONDS)).isEqualTo(child);
            }
        }
        assertThat(driver.held()).isZero();
    }

    private ProgramProcess run(ApiDouble api, String name) throws Exception {
        Path kubeconfig = api.writeKubeconfig(folder.resolve("kubeconfig"), new Login.TokenLogin("admin"));
        return ProgramProcess.start(
                Files.createDirectory(folder.resolve(name)),
                Map.of("IMEX_AGENT_CONTROLLER_KUBECONFIG", kubeconfig.toString(), "USER", "ada", "HOSTNAME", ""),
                "fabric",
                "test",
                "--image",
                "registry.example/imex-agent:1.2.3");
    }

    private static ApiDouble cluster() throws Exception {
        ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
        api.acceptToken("admin", UserIdentity.ADMIN);
        api.apply(FabricTestCommandTest.node("tray-1"));
        api.apply(FabricTestCommandTest.node("tray-2"));
        return api;
    }

    /** The libraries of a driver, which know one GPU of a host. */
    private FakeCudaLibrary driver() {
        FakeNvmlLibrary nvml = FakeNvmlLibrary.compile(folder);
        FakeCudaLibrary cuda = FakeCudaLibrary.compile(folder).set("dev", "/dev");
        String uuid = nvml.tray().gpus().getFirst().uuid();
        return cuda.set("gpu.0.uuid", uuid.substring("GPU-".length()).replace("-", ""));
    }

    private ProgramProcess local(FakeCudaLibrary driver) throws Exception {
        FakeHost host = FakeHost.create(folder.resolve("h"));
        return ProgramProcess.startInContainer(
                folder,
                driver.driverRoot().resolve("usr/lib64"),
                Main.class,
                Map.of(
                        "IMEX_AGENT_HOST_ROOT", host.root().toString(),
                        "IMEX_AGENT_HOST_DRIVER_ROOT", driver.driverRoot().toString()),
                "fabric",
                "local",
                "--gpu",
                "0");
    }
}
