package io.imexagent.testing.api;

import static io.imexagent.testing.api.Client.CLAIMS;
import static io.imexagent.testing.api.Client.DOMAINS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How large objects may be: what the real server takes is taken, and the least that it refuses is refused in its words. */
final class LimitsTest {
    private final ApiDouble api;
    private final Client admin;

    LimitsTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
        admin = Client.admin(api);
    }

    @AfterEach
    void stop() {
        admin.close();
        api.close();
    }

    private void assertLimit(String path, ObjectNode taken, ObjectNode refused, int code, String message)
            throws IOException, InterruptedException {
        assertThat(admin.create(path, taken).code()).isEqualTo(201);
        Client.Reply reply = admin.create(path, refused);
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.at("/message")).contains(message);
    }

    @Test
    void annotationsHave256KibTogether() throws Exception {
        assertLimit(
                DOMAINS,
                annotated("small", 256 * 1024),
                annotated("large", 256 * 1024 + 1),
                422,
                "metadata.annotations: Too long: may not be more than 262144 bytes");
    }

    private static ObjectNode annotated(String name, int bytes) {
        ObjectNode domain = Fixtures.computeDomain("default", name, "", "template");
        domain.withObject("/metadata/annotations").put("one", "").put("two", "x".repeat(bytes - 6));
        return domain;
    }

    @Test
    void parametersHave10KibAndAreAsDeepAsTheyLike() throws Exception {
        assertLimit(
                CLAIMS,
                claim("small", 1, 10 * 1024),
                claim("large", 1, 10 * 1024 + 1),
                422,
                "spec.devices.config[0].opaque.parameters: Too long: may not be more than 10240 bytes");
    }

    @Test
    void aClaimHas32Configurations() throws Exception {
        assertLimit(
                CLAIMS,
                claim("small", 32, 10 * 1024),
                claim("large", 33, 4_000),
                422,
                "spec.devices.config: Too many: 33: must have at most 32 items");
    }

    /** A claim with configurations whose parameters have so many bytes, 3,000 of them brackets. */
    private static ObjectNode claim(String name, int configs, int bytes) {
        ObjectNode claim = Fixtures.unallocatedClaim("default", name, "", Fixtures.uid(1));
        ObjectNode parameters = Json.literal("{\"a\":" + "[".repeat(1_500) + "]".repeat(1_500) + "}");
        parameters.put("b", "x".repeat(bytes - 3_013));
        ArrayNode list = claim.withArray("/spec/devices/config").removeAll();
        for (int i = 0; i < configs; i++) {
            list.addObject().putObject("opaque").put("driver", "d.example.com").set("parameters", parameters);
        }
        return claim;
    }

    @Test
    void anObjectHasAsMuchAsEtcdTakes() throws Exception {
        ObjectNode small = labelled("small", 3_500);
        assertThat(Json.bytes(small).length).isBetween(3 << 18, 3 << 19);
        assertLimit(DOMAINS, small, labelled("large", 4_300), 500, "etcdserver: request is too large");
        assertThat(api.get(ResourceType.COMPUTE_DOMAINS, "default", "large")).isEmpty();
    }

    @Test
    void aRequestHas3Mib() throws Exception {
        Client.Reply reply = admin.create(DOMAINS, labelled("large", 9_000));

        assertThat(reply.code()).isEqualTo(413);
        assertThat(reply.at("/reason")).isEqualTo("RequestEntityTooLarge");
        assertThat(reply.at("/message")).isEqualTo("Request entity too large: limit is 3145728");
    }

    private static ObjectNode labelled(String name, int labels) {
        ObjectNode domain = Fixtures.computeDomain("default", name, "", "template");
        ObjectNode all = domain.withObject("/metadata/labels");
        for (int i = 0; i < labels; i++) {
            all.put("x".repeat(240) + "/" + "y".repeat(55) + "-" + (1_000 + i), "z".repeat(63));
        }
        return domain;
    }
}
