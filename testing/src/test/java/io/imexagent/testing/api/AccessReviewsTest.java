package io.imexagent.testing.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whose a token is and what its owner may do, in the words of the double. */
final class AccessReviewsTest {

    private static final String TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews";
    private static final String SUBJECTS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    private static final String TOKEN = "{\"spec\":{\"token\":\"%s\"}}";

    private final ApiDouble api;
    private final Client kubelet;

    AccessReviewsTest() throws IOException {
        api = ApiDouble.start(
                new ApiDoubleOptions().plainHttp().token("jane's", new UserIdentity("jane", Set.of("operators"))));
        kubelet = Client.node(api, "tray-1");
    }

    @AfterEach
    void stop() {
        kubelet.close();
        api.close();
    }

    @Test
    void tellsWhoseATokenIs() throws Exception {
        var known = kubelet.create(TOKENS, Json.literal(TOKEN.formatted("jane's")));
        var unknown = kubelet.create(TOKENS, Json.literal(TOKEN.formatted("nobody's")));

        assertThat(known.code()).isEqualTo(201);
        assertThat(known.body().at("/status").toString())
                .isEqualTo("{\"user\":{\"username\":\"jane\",\"groups\":[\"system:authenticated\",\"operators\"]},"
                        + "\"authenticated\":true}");
        assertThat(unknown.body().at("/status").toString())
                .isEqualTo("{\"user\":{},\"error\":\"invalid bearer token\"}");
    }

    @Test
    void tellsWhoMayGetAPath() throws Exception {
        api.grantPath("operators", "/inventory");

        assertThat(allowed("jane", "operators", "get")).isTrue();
        assertThat(allowed("jane", "others", "get")).isFalse();
        assertThat(allowed("jane", "operators", "put")).isFalse();
        assertThat(allowed("kubernetes-admin", UserIdentity.MASTERS, "get")).isTrue();
    }

    private boolean allowed(String user, String group, String verb) throws Exception {
        return kubelet.create(SUBJECTS, Json.literal("""
                        {"spec":{"user":"%s","groups":["%s"],
                        "nonResourceAttributes":{"path":"/inventory","verb":"%s"}}}""".formatted(user, group, verb)))
                .body()
                .at("/status/allowed")
                .booleanValue();
    }

    @Test
    void onlyKubeletsMayAskOfOthers() throws Exception {
        try (Client jane = Client.withToken(api, "jane's")) {
            var refused = jane.create(TOKENS, Json.literal(TOKEN.formatted("jane's")));

            assertThat(refused.code()).isEqualTo(403);
            assertThat(refused.at("/message"))
                    .isEqualTo("tokenreviews.authentication.k8s.io is forbidden: User \"jane\" cannot create resource"
                            + " \"tokenreviews\" in API group \"authentication.k8s.io\" at the cluster scope");
        }
    }
}
