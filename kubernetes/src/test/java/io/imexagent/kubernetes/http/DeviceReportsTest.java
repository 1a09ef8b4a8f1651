package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.JsonText;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.DeviceReports;
import io.imexagent.kubernetes.DeviceReports.DeviceReport;
import io.imexagent.kubernetes.DeviceReports.Facts;
import io.imexagent.kubernetes.DeviceReports.Network;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written into {@code status.devices}, and by whom the API server takes it. */
class DeviceReportsTest {

    private static final String DRIVER = Fixtures.DRIVER;
    private static final String UID = Fixtures.uid(7);
    private static final ClaimName CLAIM =
            ClaimName.parse("default", "channel-a").orElseThrow();
    private static final UserIdentity ACCOUNT = UserIdentity.account("imex-agent", "imex-claim-status", "tray-1");
    private static final Facts FACTS = new Facts(
            "Prepared",
            "containers get IMEX channel 0",
            Optional.of(new JsonText("{\"channel\":0,\"clique\":\"c.7\"}")),
            Optional.of(new Network("eth2", List.of("192.0.2.5/24"), Optional.of("02:00:00:00:00:01"))));

    @TempDir
    Path folder;

    private final ApiDouble server;
    private HttpKubernetesApi api;

    DeviceReportsTest() throws IOException {
        server = ApiDouble.start(new ApiDoubleOptions().plainHttp());
        server.acceptToken("hunter2", ACCOUNT);
        ObjectNode pod = Fixtures.pod("default", "train-0", Fixtures.uid(2), "tray-1", "channel-a");
        server.apply(Fixtures.allocatedClaim("default", "channel-a", UID, "tray-1", Fixtures.uid(1), pod));
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    @BeforeEach
    void open() throws IOException {
        api = new ClientFixture().client(folder, server.url(), "token: hunter2");
    }

    private DeviceReports reports() {
        return api.deviceReports();
    }

    private void grantEndpoint() {
        server.grant(new RoleGrant(
                ACCOUNT.user(), ResourceType.RESOURCE_CLAIMS, "status", Optional.empty(), Set.of(RequestVerb.PATCH)));
    }

    private void grantAll() {
        grantEndpoint();
        server.grantReports(ACCOUNT.user(), "associated-node:patch", DRIVER);
    }

    private static DeviceReport report(String device, Facts facts) {
        return new DeviceReport(
                DRIVER, "tray-1", device, Optional.empty(), facts, Instant.parse("2026-11-28T12:00:00.5Z"));
    }

    private JsonNode devices() {
        return server.get(ResourceType.RESOURCE_CLAIMS, "default", "channel-a")
                .orElseThrow()
                .at("/status/devices");
    }

    @Test
    void anEntryHasConditionDataAndNetwork() throws Exception {
        grantAll();

        reports().report(CLAIM, UID, List.of(report("channel-0", FACTS)));

        assertThat(devices().toString())
                .isEqualTo("[{\"driver\":\"compute-domain.nvidia.com\",\"pool\":\"tray-1\",\"device\":\"channel-0\","
                        + "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
                        + "\"lastTransitionTime\":\"2026-11-28T12:00:00Z\",\"reason\":\"Prepared\","
                        + "\"message\":\"containers get IMEX channel 0\"}],"
                        + "\"data\":{\"channel\":0,\"clique\":\"c.7\"},"
                        + "\"networkData\":{\"interfaceName\":\"eth2\",\"ips\":[\"192.0.2.5/24\"],"
                        + "\"hardwareAddress\":\"02:00:00:00:00:01\"}}]");
    }

    @Test
    void aSecondReportTakesThePlaceOfTheFirstAndLeavesThoseOfOthers() throws Exception {
        grantAll();
        server.edit(
                ResourceType.RESOURCE_CLAIMS,
                "default",
                "channel-a",
                claim -> claim.withObject("/status")
                        .putArray("devices")
                        .addObject()
                        .put("driver", "gpu.example.com")
                        .put("pool", "tray-1")
                        .put("device", "gpu-0"));
        server.edit(
                ResourceType.RESOURCE_CLAIMS,
                "default",
                "channel-a",
                claim -> claim.withObject("/status/allocation/devices")
                        .withArray("results")
                        .addObject()
                        .put("request", "gpu")
                        .put("driver", "gpu.example.com")
                        .put("pool", "tray-1")
                        .put("device", "gpu-0"));
        DeviceReports reports = reports();

        reports.report(CLAIM, UID, List.of(report("channel-0", FACTS)));
        reports.report(CLAIM, UID, List.of(report("channel-0", Facts.PREPARED)));

        assertThat(devices().findValuesAsText("driver")).containsExactly("gpu.example.com", DRIVER);
        assertThat(devices().get(1).has("data")).isFalse();
    }

    @Test
    void twoDriversOfOneClaimLeaveEachOthersEntries() throws Exception {
        String rail = "rdma.imexagent.io";
        grantAll();
        server.grantReports(ACCOUNT.user(), "associated-node:patch", rail);
        server.edit(
                ResourceType.RESOURCE_CLAIMS,
                "default",
                "channel-a",
                claim -> claim.withObject("/status/allocation/devices")
                        .withArray("results")
                        .addObject()
                        .put("request", "rail")
                        .put("driver", rail)
                        .put("pool", "tray-1")
                        .put("device", "rail-0"));
        DeviceReports reports = reports();

        reports.report(CLAIM, UID, List.of(report("channel-0", FACTS)));
        reports.report(
                CLAIM,
                UID,
                List.of(new DeviceReport(
                        rail,
                        "tray-1",
                        "rail-0",
                        Optional.empty(),
                        Facts.PREPARED,
                        Instant.parse("2026-11-28T12:00:00Z"))));

        assertThat(devices().findValuesAsText("driver")).containsExactlyInAnyOrder(DRIVER, rail);
    }

    @Test
    void theRightToTheEndpointAloneIsNone() throws Exception {
        grantEndpoint();

        ApiFailure failure = failure(() -> reported(reports(), UID));

        assertThat(failure.kind()).isEqualTo(FailureKind.FORBIDDEN);
        assertThat(failure.message())
                .contains("kubernetes.claimStatusKubeconfig", "--claim-status", "associated-node:patch");
        assertThat(devices().isMissingNode()).isTrue();
    }

    @Test
    void neitherIsThatToTheDriversEntries() throws Exception {
        server.grantReports(ACCOUNT.user(), "associated-node:patch", DRIVER);

        assertThat(failure(() -> reported(reports(), UID)).kind()).isEqualTo(FailureKind.FORBIDDEN);
    }

    @Test
    void aTokenOfAnotherNodeAndAKubeletAreNotAssociated() throws Exception {
        UserIdentity other = UserIdentity.account("imex-agent", "imex-claim-status", "tray-2");
        for (UserIdentity identity : List.of(other, UserIdentity.node("tray-1"))) {
            server.acceptToken("hunter2", identity);
            server.grant(new RoleGrant(
                    identity.user(),
                    ResourceType.RESOURCE_CLAIMS,
                    "status",
                    Optional.empty(),
                    Set.of(RequestVerb.PATCH)));
            server.grantReports(identity.user(), "associated-node:patch", DRIVER);

            ApiFailure failure = failure(() -> reported(reports(), UID));

            assertThat(failure.kind()).as(identity.user()).isEqualTo(FailureKind.FORBIDDEN);
            assertThat(failure.message()).contains("[arbitrary-node:patch]");
        }
    }

    @Test
    void whatTheAccountsOwnPolicyDeniesIsAMissingRight() throws Exception {
        grantAll();
        server.admit((identity, write) -> {
            throw StatusException.denied(
                    write.type(),
                    CLAIM.name(),
                    "imex-agent-claim-status",
                    "the claim must be allocated to the node of the token");
        });

        ApiFailure failure = failure(() -> reported(reports(), UID));

        assertThat(failure.kind()).isEqualTo(FailureKind.FORBIDDEN);
        assertThat(failure.message())
                .contains("kubernetes.claimStatusKubeconfig", "imex-agent-claim-status", "the node of the token")
                .doesNotContain("node.name");
    }

    @Test
    void aClaimThatWasReplacedIsAnothers() throws Exception {
        grantAll();

        ApiFailure failure = failure(() -> reported(reports(), Fixtures.uid(8)));

        assertThat(failure.kind()).isEqualTo(FailureKind.NOT_FOUND);
        assertThat(failure.message()).contains("metadata.uid: Invalid value", "field is immutable");
        assertThat(devices().isMissingNode()).isTrue();
    }

    @Test
    void aDeviceThatIsNotAllocatedIsNotReported() throws Exception {
        grantAll();
        DeviceReports reports = reports();

        assertThat(failure(() -> {
                            reports.report(CLAIM, UID, List.of(report("channel-9", FACTS)));
                            return "reported";
                        })
                        .kind())
                .isEqualTo(FailureKind.INVALID);
    }

    private static String reported(DeviceReports reports, String uid) throws ApiException {
        reports.report(CLAIM, uid, List.of(report("channel-0", FACTS)));
        return "reported";
    }
}
