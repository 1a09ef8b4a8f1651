package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.Reviews.User;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who others are, and what they may do. */
class ReviewsTest {

    private static final String TOKENS = "POST /apis/authentication.k8s.io/v1/tokenreviews";
    private static final String SUBJECTS = "POST /apis/authorization.k8s.io/v1/subjectaccessreviews";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final User JANE = new User("jane", "", List.of("operators"), Map.of());

    @TempDir
    Path folder;

    private final ClientFixture fixture = new ClientFixture();

    @Test
    void aTokenHasAnOwnerWhoMayOrMayNot() throws Exception {
        var options = new ApiDoubleOptions().token("jane's", new UserIdentity("jane", Set.of("operators")));
        try (ApiDouble server = ApiDouble.start(options);
                HttpKubernetesApi api = fixture.client(
                        server.writeKubeconfig(folder.resolve("kubeconfig"), new Login.TokenLogin("node:tray-1")),
                        Duration.ofSeconds(20))) {
            server.grantPath("operators", "/inventory");

            User jane = api.reviews().owner("jane's").orElseThrow();

            assertThat(jane.name()).isEqualTo("jane");
            assertThat(jane.groups()).containsExactlyInAnyOrder("system:authenticated", "operators");
            assertThat(api.reviews().owner("nobody's")).isEmpty();
            assertThat(api.reviews().mayGet(jane, "/inventory")).isTrue();
            assertThat(api.reviews().mayGet(jane, "/domains")).isFalse();
        }
    }

    @Test
    void whoMayNotAskIsToldTheRule() throws Exception {
        var options = new ApiDoubleOptions().token("hunter2", new UserIdentity("somebody", Set.of()));
        try (ApiDouble server = ApiDouble.start(options);
                HttpKubernetesApi api = fixture.client(
                        server.writeKubeconfig(folder.resolve("kubeconfig"), new Login.TokenLogin("hunter2")),
                        Duration.ofSeconds(20))) {
            var refused = failure(() -> api.reviews().owner("jane's"));

            assertThat(refused.kind()).isEqualTo(FailureKind.FORBIDDEN);
            assertThat(refused.message())
                    .contains("user somebody lacks the verb create on tokenreviews")
                    .doesNotContain("jane's");
        }
    }

    @Test
    void whatAuthenticationFoundOutGoesToTheAuthorizer() throws Exception {
        try (StubServer server = StubServer.plain();
                HttpKubernetesApi api = fixture.client(folder, server)) {
            server.on(TOKENS, 201, """
                    {"status":{"authenticated":true,"user":{"username":"jane","uid":"42","groups":["operators"],
                    "extra":{"scopes":["a","b"]}}}}""");
            server.on(SUBJECTS, 201, "{\"status\":{\"allowed\":true}}");

            User jane = api.reviews().owner("jane's").orElseThrow();

            assertThat(api.reviews().mayGet(jane, "/inventory")).isTrue();
            assertThat(JSON.readTree(server.requests().getLast().body()).path("spec"))
                    .isEqualTo(JSON.readTree("""
                            {"user":"jane","uid":"42","groups":["operators"],"extra":{"scopes":["a","b"]},
                            "nonResourceAttributes":{"path":"/inventory","verb":"get"}}"""));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"status\":\"yes\"}", "{\"status\":{\"authenticated\":true}}", "[]"})
    void anAnswerThatIsNoneLetsNobodyIn(String answer) throws Exception {
        try (StubServer server = StubServer.plain();
                HttpKubernetesApi api = fixture.client(folder, server)) {
            server.on(TOKENS, 201, answer);
            server.on(SUBJECTS, 201, answer);

            assertThat(failure(() -> api.reviews().owner("jane's")).kind()).isEqualTo(FailureKind.UNREADABLE);
            assertThat(failure(() -> api.reviews().mayGet(JANE, "/inventory")).kind())
                    .isEqualTo(FailureKind.UNREADABLE);
        }
    }
}
