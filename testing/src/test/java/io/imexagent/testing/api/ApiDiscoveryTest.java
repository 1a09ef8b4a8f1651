package io.imexagent.testing.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What the double says that it serves. */
final class ApiDiscoveryTest {
    @Test
    void namesItsGroupsVersionsAndResources() throws Exception {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
                Client admin = Client.admin(api)) {
            assertThat(admin.get("/version").at("/minor")).isEqualTo("36");
            assertThat(admin.get("/api").at("/versions/0")).isEqualTo("v1");
            assertThat(admin.get("/apis").body().path("groups")).hasSize(3);
            assertThat(admin.get("/apis/resource.k8s.io").at("/preferredVersion/groupVersion"))
                    .isEqualTo("resource.k8s.io/v1");
            assertThat(resources(admin, "/apis/resource.k8s.io/v1"))
                    .contains("resourceclaims", "resourceclaims/status", "resourceslices", "deviceclasses");
            assertThat(resources(admin, "/api/v1")).contains("nodes", "pods", "events", "namespaces");
            assertThat(admin.get("/healthz").raw().body()).isEqualTo("ok");
        }
    }

    @Test
    void servesNoV1OfTheResourceGroupWhenItIsOlder() throws Exception {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions().plainHttp().older());
                Client admin = Client.admin(api)) {
            JsonNode versions = admin.get("/apis/resource.k8s.io").body().path("versions");

            assertThat(versions.findValuesAsText("version")).containsExactly("v1beta2", "v1beta1");
            assertThat(admin.get("/apis/resource.k8s.io/v1").code()).isEqualTo(404);
            assertThat(admin.get(Client.SLICES).code()).isEqualTo(404);
            assertThat(admin.get("/version").at("/gitVersion")).isEqualTo("v1.33.0");
        }
    }

    @Test
    void answersUnknownPathsWith404AndNobodyWith401() throws Exception {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
                Client admin = Client.admin(api);
                Client nobody = Client.anonymous(api)) {
            assertThat(admin.get("/apis/apps/v1/deployments").raw().body()).isEqualTo("404 page not found\n");
            assertThat(admin.get("/apis/resource.k8s.io/v1/resourceslices/a/scale")
                            .code())
                    .isEqualTo(404);
            assertThat(nobody.get("/apis").code()).isEqualTo(401);
            assertThat(nobody.get("/version").code()).isEqualTo(200);
        }
    }

    private static Iterable<String> resources(Client client, String path) throws IOException, InterruptedException {
        return client.get(path).body().path("resources").findValuesAsText("name");
    }
}
