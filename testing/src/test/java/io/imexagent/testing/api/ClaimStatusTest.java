package io.imexagent.testing.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a change of a claim's status takes, and what becomes of what drivers reported there. */
final class ClaimStatusTest {
    private static final String STATUS = Client.CLAIMS + "/claim/status";
    private static final String APPLY = STATUS + "?fieldManager=a-driver&force=true";
    private static final String APPLIED = "application/apply-patch+yaml";
    private static final String REPORT =
            "{\"status\":{\"devices\":[{\"driver\":\"compute-domain.nvidia.com\",\"pool\":\"tray-1\",\"device\":\"channel-0\"}]}}";

    private final ApiDouble api;
    private final Client admin;

    ClaimStatusTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
        admin = Client.admin(api);
        ObjectNode pod = Fixtures.pod("default", "pod", Fixtures.uid(2), "tray-1", "claim");
        api.apply(Fixtures.allocatedClaim("default", "claim", Fixtures.uid(3), "tray-1", Fixtures.uid(1), pod));
    }

    @AfterEach
    void stop() {
        admin.close();
        api.close();
    }

    @Test
    void whatWasReportedGoesWithTheAllocation() throws Exception {
        assertThat(admin.patch(APPLY, APPLIED, REPORT).body().at("/status/devices"))
                .hasSize(1);

        Client.Reply freed = admin.merge(STATUS, "{\"status\":{\"allocation\":null,\"reservedFor\":null}}");

        assertThat(freed.code()).isEqualTo(200);
        assertThat(freed.body().path("status").has("devices")).isFalse();
    }

    @Test
    void nothingIsReportedOfWhatIsNotAllocated() throws Exception {
        assertThat(admin.patch(APPLY, APPLIED, REPORT.replace("channel-0", "channel-1"))
                        .at("/message"))
                .contains("must be an allocated device in the claim");
    }

    @Test
    void anApplyNamesItsManager() throws Exception {
        assertThat(admin.patch(STATUS, APPLIED, REPORT).code()).isEqualTo(400);
    }

    @Test
    void allocationsTakeARightOfTheirOwn() throws Exception {
        UserIdentity scheduler = new UserIdentity("scheduler", Set.of());
        api.acceptToken("scheduler", scheduler);
        api.grant(new RoleGrant(
                "scheduler", ResourceType.RESOURCE_CLAIMS, "status", Optional.empty(), Set.of(RequestVerb.PATCH)));
        String free = "{\"status\":{\"allocation\":null,\"reservedFor\":null}}";
        try (Client client = Client.withToken(api, "scheduler")) {
            Client.Reply refused = client.merge(STATUS, free);
            assertThat(refused.code()).isEqualTo(422);
            assertThat(refused.at("/message")).contains("resourceclaims/binding");

            api.grantBinding("scheduler", RequestVerb.PATCH);
            assertThat(client.merge(STATUS, free).code()).isEqualTo(200);
        }
    }
}
