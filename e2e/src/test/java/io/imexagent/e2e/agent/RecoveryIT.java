package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a starting agent makes of the life before. */
@ExtendWith(Worlds.class)
class RecoveryIT {
    private static final String DRIVER = "compute-domain.nvidia.com";
    private static final ClaimResult DONE = new ClaimResult.ClaimDone(List.of());

    @Test
    void aKilledAgentStillKnowsItsClaimsWithoutTheApiServer(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        ClaimedPod rival = world.schedule(2);
        AgentProcess first = world.startServing();
        ClaimResult answer = world.prepare(workload);
        assertThat(answer).isInstanceOf(ClaimResult.ClaimDone.class);
        String checkpoint = world.checkpoint();
        first.kill();
        Path spec = world.host().cdiFiles(workload.claim().uid()).getFirst();
        Files.delete(spec);
        world.api().goAway();

        AgentProcess second = world.startRegistered(world.launch());

        assertThat(spec).exists();
        assertThat(world.checkpoint()).isEqualTo(checkpoint);
        assertThat(world.prepare(workload)).isEqualTo(answer);

        world.api().comeBack();
        world.forget(workload);
        assertThat(World.refusal(world.prepare(rival)))
                .contains(
                        "channel 0 already allocated by claim "
                                + workload.claim().uid(),
                        "[channel_held]");
        world.api().goAway();
        assertThat(world.unprepare(workload)).isEqualTo(DONE);
        assertThat(world.unprepare(workload)).isEqualTo(DONE);
        assertThat(world.host().cdiFiles()).isEmpty();
        world.api().comeBack();
        world.awaitPrepared(second, rival);
    }

    @Test
    void aRebootVoidsAllClaims(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        ClaimedPod next = world.schedule(2);
        AgentProcess first = world.startServing();
        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
        first.kill();
        world.host().reboot();

        AgentProcess second = world.startServing();

        assertThat(world.checkpoint())
                .doesNotContain(workload.claim().uid())
                .contains(world.host().bootId());
        assertThat(world.host().cdiFiles()).isEmpty();
        world.awaitPrepared(second, next);
    }

    @Test
    void orphanedSpecsOfThisKindGoAndOthersStay(World world) throws Exception {
        Path orphan = world.host()
                .cdiDirectory()
                .resolve("k8s.compute-domain.nvidia.com-claim_7f3c0156-3566-44cf-a6f8-8acd6bcbbf17.yaml");
        Files.copy(Checkout.find().root().resolve("e2e/src/test/resources/real-cluster/cdi-claim.yaml"), orphan);
        KubeletRecord.write(world.host().kubeletRoot(), DRIVER, Map.of());
        Path foreign = Files.writeString(
                world.host().cdiDirectory().resolve("k8s.gpu.nvidia.com-claim_1.yaml"), "of another driver");

        world.startServing();

        assertThat(orphan).doesNotExist();
        assertThat(foreign).hasContent("of another driver");
    }

    @Test
    void aCheckpointThatIsLostWhileContainersRunIsMadeAgain(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        ClaimedPod rival = world.schedule(2);
        AgentProcess first = world.startServing();
        ClaimResult answer = world.prepare(workload);
        assertThat(answer).isInstanceOf(ClaimResult.ClaimDone.class);
        first.kill();
        Path checkpoint = world.host().checkpoint();
        Files.delete(checkpoint);
        Files.delete(checkpoint.resolveSibling(checkpoint.getFileName() + ".bak"));
        AgentProcess refused = world.start(world.launch());
        assertThat(refused.awaitExit()).isEqualTo(1);
        Path spec = world.host().cdiFiles(workload.claim().uid()).getFirst();
        assertThat(String.join("\n", refused.log()))
                .contains("dra_manager_state is missing", spec.toString(), "kubelet.root", "crictl ps");
        KubeletRecord.write(
                world.host().kubeletRoot(), DRIVER, Map.of(workload.claim(), (ClaimResult.ClaimDone) answer));

        AgentProcess second = world.startServing();

        assertThat(second.line("claims are taken over")).isPresent();
        assertThat(spec).exists();
        assertThat(world.prepare(workload)).isEqualTo(answer);
        assertThat(World.refusal(world.prepare(rival))).contains("[channel_held]");
        Files.delete(spec);
        second.awaitTrue("the spec to be written again", () -> Files.exists(spec));
        assertThat(world.unprepare(workload)).isEqualTo(DONE);
        assertThat(world.host().cdiFiles()).isEmpty();
        world.awaitPrepared(second, rival);
    }

    @Test
    void aTornCheckpointIsMovedAsideAndItsBackupUsed(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        ClaimedPod rival = world.schedule(2);
        AgentProcess first = world.startServing();
        ClaimResult answer = world.prepare(workload);
        assertThat(answer).isInstanceOf(ClaimResult.ClaimDone.class);
        first.kill();
        byte[] whole = Files.readAllBytes(world.host().checkpoint());
        Files.write(world.host().checkpoint(), Arrays.copyOf(whole, whole.length / 2));

        AgentProcess second = world.startServing();

        assertThat(second.line("moved aside")).isPresent();
        try (Stream<Path> files = Files.list(world.host().pluginDirectory())) {
            assertThat(files.filter(file -> file.toString().contains("checkpoint.json.corrupt-")))
                    .hasSize(1);
        }
        assertThat(new String(whole, StandardCharsets.UTF_8)).isEqualTo(world.checkpoint());
        assertThat(World.refusal(world.prepare(rival)))
                .contains(
                        "channel 0 already allocated by claim "
                                + workload.claim().uid(),
                        "[channel_held]");
        assertThat(world.host().cdiFiles(workload.claim().uid())).hasSize(1);
        assertThat(world.prepare(workload)).isEqualTo(answer);
    }

    @Test
    void withoutAnyWholeGenerationTheStartIsRefusedAsLongAsThereAreSpecs(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess first = world.startServing();
        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
        first.kill();
        Path backup = world.host().checkpoint().resolveSibling("checkpoint.json.bak");
        Files.writeString(world.host().checkpoint(), "{\"checksum\":1", StandardCharsets.UTF_8);
        Files.writeString(backup, "", StandardCharsets.UTF_8);

        AgentProcess refused = world.start(world.launch());

        assertThat(refused.awaitExit()).isEqualTo(1);
        Path spec = world.host().cdiFiles(workload.claim().uid()).getFirst();
        assertThat(String.join("\n", refused.log()))
                .contains(
                        world.host().checkpoint().toString(),
                        backup.toString(),
                        spec.toString(),
                        "they stay Terminating while the agent is down",
                        "delete these CDI specs and start imex-agent",
                        "kubectl uncordon NODE")
                .doesNotContain("API server not usable");
        assertThat(world.host().checkpoint()).exists();

        // As it says there: the pods that wait are let go.
        Files.delete(spec);
        AgentProcess second = world.startServing();
        world.awaitUnprepared(second, workload);
        world.awaitPrepared(second, workload);
    }

    @Test
    void aCheckpointOfDriverManagedModeRefusesTheStart(World world) throws Exception {
        Files.createDirectories(world.host().pluginDirectory());
        Files.copy(
                Checkout.find().root().resolve("e2e/src/test/resources/driver-managed/checkpoint.json"),
                world.host().checkpoint());
        world.host().bootId("f87f843e-96a2-4457-b9f7-a77c468fcaff");

        AgentProcess refused = world.start(world.launch());

        assertThat(refused.awaitExit()).isEqualTo(1);
        assertThat(String.join("\n", refused.log())).contains("driver-managed");
        assertThat(world.host().registrationSocket()).doesNotExist();
    }

    @Test
    void anotherIsolationOverPreparedClaimsIsRefusedByNameAndForcedOnTheRecord(World world) throws Exception {
        AgentProcess first = world.startServing();
        ClaimedPod workload = world.schedule(1);
        world.awaitPrepared(first, workload);
        assertThat(first.terminate()).isZero();
        world.with("imex.isolation", "IMEXChannel");

        AgentProcess refused = world.start(world.launch());

        assertThat(refused.awaitExit()).isEqualTo(1);
        assertThat(String.join("\n", refused.log()))
                .contains("IMEXChannel", workload.claim().uid(), "--force");
        assertThat(world.host().registrationSocket()).doesNotExist();
        assertThat(world.host().cdiFiles(workload.claim().uid())).isNotEmpty();

        AgentProcess forced = world.startRegistered(world.launch().arguments("--force"));

        assertThat(forced.log()).anyMatch(line -> line.contains("WARN") && line.contains("--force"));
        assertThat(world.host().cdiFiles(workload.claim().uid())).isNotEmpty();
    }
}
