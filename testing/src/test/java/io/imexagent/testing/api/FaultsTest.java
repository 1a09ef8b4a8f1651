package io.imexagent.testing.api;

import static io.imexagent.testing.api.Client.CLAIMS;
import static io.imexagent.testing.api.Client.NODES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.testing.api.access.RequestVerb;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Faults on request, and the log that tells what arrived. */
final class FaultsTest {
    private static final Predicate<LoggedRequest> GET_CLAIMS = LoggedRequest.of(RequestVerb.GET, "resourceclaims");

    private final ApiDouble api;
    private final Client admin;

    FaultsTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
        admin = Client.admin(api);
    }

    @BeforeEach
    void seed() {
        api.apply(Fixtures.unallocatedClaim("default", "claim", Fixtures.uid(1), Fixtures.uid(2)));
        api.apply(Fixtures.unallocatedClaim("default", "other", Fixtures.uid(3), Fixtures.uid(2)));
    }

    @AfterEach
    void stop() {
        admin.close();
        api.close();
    }

    @ParameterizedTest
    @CsvSource({
        "401,Unauthorized",
        "403,Forbidden",
        "409,Conflict",
        "410,Expired",
        "429,TooManyRequests",
        "500,InternalError",
        "503,ServiceUnavailable"
    })
    void answersWithAStatusAsOftenAsAsked(int code, String reason) throws Exception {
        InjectedFault fault =
                api.inject(GET_CLAIMS.and(request -> request.name().equals("claim")), FaultAction.answer(code), 2);

        assertThat(admin.get(CLAIMS + "/other").code()).isEqualTo(200);
        assertThat(admin.get(CLAIMS + "/claim").code()).isEqualTo(code);
        Client.Reply second = admin.get(CLAIMS + "/claim");
        assertThat(second.at("/reason")).isEqualTo(reason);
        assertThat(second.at("/code")).isEqualTo(Integer.toString(code));
        assertThat(admin.get(CLAIMS + "/claim").code()).isEqualTo(200);
        assertThat(fault.hits()).isEqualTo(2);
    }

    @Test
    void sendsRetryAfterWithTooManyRequests() throws Exception {
        api.inject(_ -> true, FaultAction.tooManyRequests(7), 1);

        Client.Reply reply = admin.get(CLAIMS);

        assertThat(reply.code()).isEqualTo(429);
        assertThat(reply.header("Retry-After")).isEqualTo("7");
        assertThat(reply.at("/details/retryAfterSeconds")).isEqualTo("7");
    }

    @Test
    void meetsOnlyTheUserItIsFor() throws Exception {
        api.inject(request -> request.user().equals("system:node:n"), FaultAction.answer(503));

        try (Client node = Client.node(api, "n")) {
            assertThat(node.get(NODES + "/n").code()).isEqualTo(503);
        }
        assertThat(admin.get(NODES).code()).isEqualTo(200);
    }

    @Test
    void dropsTheConnection() throws Exception {
        // A POST, because the client tries a GET again by itself.
        api.inject(LoggedRequest.of(RequestVerb.CREATE, "nodes"), new FaultAction.Drop(), 1);

        assertThatThrownBy(() -> admin.create(NODES, Fixtures.node("n", Fixtures.uid(4))))
                .isInstanceOf(IOException.class);
        assertThat(admin.create(NODES, Fixtures.node("n", Fixtures.uid(4))).code())
                .isEqualTo(201);
    }

    @Test
    void hangsUntilItIsReleased() throws Exception {
        InjectedFault fault = api.inject(GET_CLAIMS, new FaultAction.Hang(), 1);
        CompletableFuture<HttpResponse<String>> waiting =
                admin.http().sendAsync(admin.request(CLAIMS + "/claim").GET().build(), BodyHandlers.ofString());
        while (fault.hits() == 0) {
            Thread.sleep(1);
        }
        assertThat(waiting).isNotDone();

        fault.release();

        assertThat(waiting.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }

    @Test
    void goesOnAfterADelay() throws Exception {
        InjectedFault fault = api.inject(GET_CLAIMS, new FaultAction.Delay(Duration.ofMillis(5)), 1);

        assertThat(admin.get(CLAIMS + "/claim").code()).isEqualTo(200);
        assertThat(fault.hits()).isEqualTo(1);
    }

    @Test
    void isGoneAndComesBackWithItsObjectsOnTheSamePort() throws Exception {
        api.goAway();
        assertThatThrownBy(() -> admin.get(CLAIMS)).isInstanceOf(IOException.class);

        api.comeBack();
        assertThat(admin.get(CLAIMS).body().path("items")).hasSize(2);
    }

    @Test
    void logsAndCountsWhatArrived() throws Exception {
        admin.get(CLAIMS + "/claim");
        admin.get(CLAIMS + "/missing");
        admin.merge(CLAIMS + "/claim/status", "{}");

        assertThat(api.requests().count("get", "resourceclaims")).isEqualTo(2);
        assertThat(api.requests().count("patch", "resourceclaims/status")).isEqualTo(1);
        assertThat(api.requests().answers()).containsEntry(200, 2).containsEntry(404, 1);
        assertThat(api.requests().recent()).hasSize(3).first().satisfies(request -> {
            assertThat(request.namespace()).isEqualTo("default");
            assertThat(request.name()).isEqualTo("claim");
            assertThat(request.user()).isEqualTo("kubernetes-admin");
        });
        api.requests().clear();
        assertThat(api.requests().counts()).isEmpty();
    }
}
