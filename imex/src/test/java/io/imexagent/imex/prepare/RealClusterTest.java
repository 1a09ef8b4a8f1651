package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.cdi.CdiSpecReader;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimService.PrepareObserver;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.ManualClock;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.dra.driver.DriverClaims;
import io.imexagent.dra.recovery.Recovery.RecoveryResult;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ModeGuard;
import io.imexagent.imex.mode.ServingMode;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects captured from a cluster with the public driver: the claim is prepared as that driver prepared it. */
class RealClusterTest {

    private static final String UID = "7f3c0156-3566-44cf-a6f8-8acd6bcbbf17";
    private static final String SPEC = "k8s.compute-domain.nvidia.com-claim_" + UID + ".yaml";

    @TempDir
    Path folder;

    @Test
    void theCapturedClaimIsPreparedToTheByteOfTheCheckpointAndTheMeaningOfTheSpec() throws Exception {
        JsonNode claim = item("resourceclaim-allocated.yaml");
        var ref = new ClaimRef(
                new ClaimName(
                        claim.at("/metadata/namespace").asText(),
                        claim.at("/metadata/name").asText()),
                new ClaimUid(claim.at("/metadata/uid").asText()));

        Outcome<Prepared> answer = prepare(ref, claim.get("status").toString());

        assertThat(answer)
                .isEqualTo(Outcome.accepted(new Prepared(List.of(new PreparedDevice.ReturnedDevice(
                        List.of("channel"),
                        "tb-node",
                        "channel-0",
                        List.of("k8s.compute-domain.nvidia.com/claim=" + UID + "-channel-0"),
                        Optional.empty())))));
        assertThat(Files.readString(folder.resolve("checkpoint.json")))
                .isEqualTo(new String(resource("checkpoint.json"), StandardCharsets.UTF_8));
        CdiSpecReader yaml = CdiSpecReader.yaml();
        assertThat(yaml.read(Files.readAllBytes(folder.resolve("cdi").resolve(SPEC))))
                .isEqualTo(yaml.read(resource(SPEC)));
    }

    private Outcome<Prepared> prepare(ClaimRef ref, String status) throws Exception {
        var claims = new FakeClaims();
        claims.put(ref, status);
        var domains = new FakeDomains();
        JsonNode domain = item("computedomain.yaml");
        domains.serve(
                domain.at("/metadata/uid").asText(),
                domain.at("/metadata/namespace").asText());
        var inventory = new FakeInventory(capturedNode());
        var driver = new ChannelRules(
                        domains,
                        inventory,
                        NodeSpecimens.policy("tb-node", Isolation.NONE, false),
                        new FakeChannels(),
                        FakePods.UNREAD,
                        System::nanoTime)
                .driver("claims", new ModeGuard(new ModeFile(folder.resolve("state")), ServingMode.HOST_MANAGED_NONE));
        var clock = new ManualClock();
        var host = new ClaimHost(
                folder,
                folder,
                folder,
                folder.resolve("cdi"),
                Duration.ofSeconds(60),
                FileSteps.ALL_PASS,
                EffectListener.NONE,
                WorkerObserver.NONE,
                clock,
                clock,
                () -> 0);
        var settings = PrepareSettings.answeringWithin(Duration.ofSeconds(30));
        try (var prepared = new DriverClaims<>(driver, host, claims, claims, settings, new PrepareObserver() {})) {
            assertThat(prepared.recover(inventory.current().bootId())).isInstanceOf(RecoveryResult.RecoveryDone.class);
            return prepared.service()
                    .prepare(List.of(DraSpecimens.request(ref)), Node.BUDGET)
                    .get()
                    .values()
                    .iterator()
                    .next();
        }
    }

    private static NodeInventory capturedNode() {
        NodeInventory node = Inventories.with(Inventories.gb200(), new ChannelMajor.RegisteredMajor(234));
        return Inventories.with(node, Optional.of(new BootId("f87f843e-96a2-4457-b9f7-a77c468fcaff")));
    }

    private static JsonNode item(String list) throws IOException {
        return new YAMLMapper().readTree(resource(list)).at("/items/0");
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = RealClusterTest.class.getResourceAsStream(name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }
}
