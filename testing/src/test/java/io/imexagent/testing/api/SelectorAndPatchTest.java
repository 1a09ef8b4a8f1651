package io.imexagent.testing.api;

import static io.imexagent.testing.api.Client.DOMAINS;
import static io.imexagent.testing.api.Client.SLICES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How objects are selected and patched. */
final class SelectorAndPatchTest {
    private final ApiDouble api;
    private final Client admin;

    SelectorAndPatchTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
        admin = Client.admin(api);
    }

    @BeforeEach
    void seed() {
        api.apply(Fixtures.computeDomain("default", "domain", Fixtures.uid(1), "template"));
    }

    @AfterEach
    void stop() {
        admin.close();
        api.close();
    }

    private ObjectNode newDomain(String name) {
        ObjectNode domain = Fixtures.computeDomain("default", name, Fixtures.uid(2), "template");
        domain.withObject("/metadata").remove("finalizers");
        return domain;
    }

    @Test
    void selectsByLabels() throws Exception {
        admin.merge(DOMAINS + "/domain", "{\"metadata\":{\"labels\":{\"tier\":\"one\",\"x\":\"y\"}}}");
        admin.create(DOMAINS, newDomain("plain"));

        assertThat(names("labelSelector=tier%3Done")).containsExactly("domain");
        assertThat(names("labelSelector=tier!%3Done")).containsExactly("plain");
        assertThat(names("labelSelector=tier%20in%20(one,two),x")).containsExactly("domain");
        assertThat(names("labelSelector=tier%20notin%20(one)")).containsExactly("plain");
        assertThat(names("labelSelector=!tier")).containsExactly("plain");
        assertThat(admin.get(DOMAINS + "?labelSelector=a%3D%3D%3Db").code()).isEqualTo(400);
    }

    @Test
    void selectsByTheFieldsOfTheTypeAndRefusesOthers() throws Exception {
        admin.create(DOMAINS, newDomain("plain"));

        assertThat(names("fieldSelector=metadata.name%3Dplain")).containsExactly("plain");
        assertThat(names("fieldSelector=metadata.name!%3Dplain,metadata.namespace%3Ddefault"))
                .containsExactly("domain");
        Client.Reply refused = admin.get(SLICES + "?fieldSelector=spec.pool.name%3Dn");
        assertThat(refused.code()).isEqualTo(400);
        assertThat(refused.at("/message")).contains("field label not supported: spec.pool.name");
    }

    @Test
    void listsAcrossNamespaces() throws Exception {
        api.apply(Fixtures.computeDomain("team", "other", Fixtures.uid(7), "template"));

        assertThat(admin.get("/apis/resource.nvidia.com/v1beta1/computedomains")
                        .body()
                        .path("items"))
                .hasSize(2);
        assertThat(admin.get(DOMAINS).body().path("items")).hasSize(1);
    }

    @Test
    void takesMergePatchesAndNoOtherForm() throws Exception {
        String labels = "{\"metadata\":{\"labels\":{\"a\":\"b\",\"c\":null}}}";

        assertThat(admin.merge(DOMAINS + "/domain", labels).at("/metadata/labels/a"))
                .isEqualTo("b");
        for (String form : List.of("json-patch+json", "strategic-merge-patch+json", "apply-patch+yaml")) {
            assertThat(admin.patch(DOMAINS + "/domain", "application/" + form, labels)
                            .code())
                    .as(form)
                    .isEqualTo(415);
        }
    }

    private List<String> names(String query) throws IOException, InterruptedException {
        return StreamSupport.stream(
                        admin.get(DOMAINS + "?" + query).body().path("items").spliterator(), false)
                .map(item -> item.at("/metadata/name").asText())
                .toList();
    }
}
