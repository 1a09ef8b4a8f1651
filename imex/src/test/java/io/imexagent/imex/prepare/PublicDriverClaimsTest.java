package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.cdi.CdiSpec;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ManualClock;
import io.imexagent.dra.claim.Refused;
import io.imexagent.imex.fake.Inventories;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Takes over what a public driver 0.5 in host-managed mode left at a kubelet 1.36.2: recorded files, byte for byte. */
class PublicDriverClaimsTest {

    private static final BootId BOOT = new BootId("b2512ec5-a2b7-4a8c-a068-9b6c4e943d83");
    private static final ClaimRef WITH_CLIQUE = ref("p-1-channel-rckrs", "ed433b3c-789a-421c-839f-faa6b836621f");
    private static final ClaimRef WITHOUT_CLIQUE = ref("p-4-channel-fdlp9", "080cb375-368b-43d7-b4be-c0d69ddf55fd");
    private static final ClaimRef STARTED = ref("p-5-channel-rbnhz", "df2df0fc-87f3-445f-a824-ae77e932e786");
    private static final ClaimRef ABORTED = ref("p-11-channel-892wn", "9bcd8708-f4c3-4351-acb5-b5b0bc99aec2");

    @TempDir
    private Path folder;

    @Test
    void aClaimIsAnsweredFromItsFileAndUnprepared() throws Exception {
        leave("completed.json");
        Files.createDirectories(folder.resolve("cdi"));
        Files.write(spec(WITH_CLIQUE), resource("claim.yaml"));
        try (Node node = node(Isolation.NONE)) {
            assertThat(node.spec(WITH_CLIQUE).orElseThrow().devices())
                    .singleElement()
                    .returns(WITH_CLIQUE.uid() + "-channel-0", CdiSpec.Device::name);
            assertThat(node.prepare(WITH_CLIQUE))
                    .isEqualTo(answer("k8s.compute-domain.nvidia.com/claim=" + WITH_CLIQUE.uid() + "-channel-0"));
            assertThat(node.unprepare(WITH_CLIQUE)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(spec(WITH_CLIQUE)).doesNotExist();
            assertThat(node.saved().entries()).isEmpty();
        }
    }

    /** Neither the answer nor a spec changes when the node gets a clique meanwhile. */
    @ParameterizedTest
    @EnumSource(
            value = Isolation.class,
            names = {"NONE", "IMEX_CHANNEL"})
    void aClaimWithoutACdiDeviceIsAnsweredSoAndUnpreparedUnderEachIsolation(Isolation isolation) throws Exception {
        leave("without-clique.json");
        try (Node node = node(isolation)) {
            assertThat(node.prepare(WITHOUT_CLIQUE)).isEqualTo(answer());
            assertThat(spec(WITHOUT_CLIQUE)).doesNotExist();
            try (Node restarted = Node.in(folder).like(node).start()) {
                restarted.reconciler().start();
                assertThat(restarted.prepare(WITHOUT_CLIQUE)).isEqualTo(answer());
                assertThat(spec(WITHOUT_CLIQUE)).doesNotExist();

                assertThat(restarted.unprepare(WITHOUT_CLIQUE)).isEqualTo(Outcome.accepted(new Unprepared()));
                assertThat(restarted.saved().entries()).isEmpty();
            }
        }
    }

    @Test
    void aClaimWithoutACdiDeviceKeepsNobodyFromTheChannel() throws Exception {
        leave("without-clique.json");
        try (Node node = node(Isolation.NONE)) {
            assertThat(node.prepare(node.claim("other"))).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void aPrepareThatWasBrokenOffEndsAsAborted() throws Exception {
        leave("started.json");
        try (Node node = node(Isolation.NONE)) {
            assertThat(node.prepared.ledger().entry(STARTED.uid())).containsInstanceOf(ClaimEntry.Started.class);
            assertThat(node.unprepare(STARTED)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(node.saved(STARTED)).containsInstanceOf(ClaimEntry.Aborted.class);
        }
    }

    @Test
    void aBelatedPrepareOfTheVersionThatWasAbortedIsRefused() throws Exception {
        leave("aborted.json");
        try (Node node = node(Isolation.NONE)) {
            node.time.jump(Duration.between(ManualClock.NOON, Instant.parse("2026-11-26T18:09:00Z")));
            JsonNode recorded = new ObjectMapper().readTree(resource("aborted.json"));
            node.claims.put(
                    ABORTED,
                    recorded.at("/v2/preparedClaims/" + ABORTED.uid() + "/status")
                            .toString());

            assertThat(Refused.of(node.prepare(ABORTED)).code()).isEqualTo(RefusalCode.PREPARE_ABORTED);
            assertThat(node.unprepare(ABORTED)).isEqualTo(Outcome.accepted(new Unprepared()));
        }
    }

    private Node node(Isolation isolation) throws Exception {
        NodeInventory node = Inventories.with(Inventories.gb200(), new ChannelMajor.RegisteredMajor(507));
        Node built = Node.in(folder).with(isolation).build();
        built.inventory.set(Inventories.with(node, Optional.of(BOOT)));
        return built.started();
    }

    private void leave(String checkpoint) throws IOException {
        Files.createDirectories(folder.resolve("plugin"));
        Files.write(folder.resolve("plugin/checkpoint.json"), resource(checkpoint));
    }

    private Path spec(ClaimRef claim) {
        return folder.resolve("cdi/k8s.compute-domain.nvidia.com-claim_" + claim.uid() + ".yaml");
    }

    private static Outcome<Prepared> answer(String... cdiDevices) {
        return Outcome.accepted(new Prepared(List.of(new PreparedDevice.ReturnedDevice(
                List.of("channel"), "tb-node", "channel-0", List.of(cdiDevices), Optional.empty()))));
    }

    private static ClaimRef ref(String name, String uid) {
        return new ClaimRef(new ClaimName("default", name), new ClaimUid(uid));
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = PublicDriverClaimsTest.class.getResourceAsStream("/public-driver-0.5/" + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }
}
