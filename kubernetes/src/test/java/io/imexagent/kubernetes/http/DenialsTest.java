package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.KubernetesApi.ApiState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Refusals in the words of a real API server. */
class DenialsTest extends StubbedApi {

    private static final ClaimName NAME = new ClaimName("team", "claim");
    private static final String CLAIM = "GET /apis/resource.k8s.io/v1/namespaces/team/resourceclaims/claim";
    private static final String NODES = "GET /api/v1/nodes/node-b";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static String status(String name) throws IOException {
        try (InputStream file = Objects.requireNonNull(DenialsTest.class.getResourceAsStream("denials/" + name))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private ApiFailure agent(String name) throws IOException {
        String body = status(name + ".json");
        server.on(CLAIM, MAPPER.readTree(body).path("code").asInt(403), body);
        return failure(() -> api.claims().get(NAME));
    }

    private ApiFailure controller(String name) throws IOException {
        String body = status(name + ".json");
        server.on(NODES, MAPPER.readTree(body).path("code").asInt(403), body);
        try (HttpControlPlane cluster =
                fixture.controlPlane(folder, "http://127.0.0.1:" + server.port(), Duration.ofSeconds(20))) {
            return failure(() -> cluster.fabric().nodeExists("node-b"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            namespace-terminating  | NAMESPACE_ENDING | its namespace is being deleted
            quota                  | QUOTA            | a ResourceQuota of its namespace allows no more: templates; delete
            quota-unknown          | QUOTA            | allows no more: templates; delete
            policy                 | ADMISSION        | the admission policy owners refuses it, and no rule is missing
            policy-invalid         | ADMISSION        | the admission policy owners refuses it
            policy-of-ours         | ADMISSION        | check that node.name is this node's name
            webhook                | ADMISSION        | the admission webhook validate.kyverno.svc-fail refuses it
            webhook-400            | ADMISSION        | the admission webhook policy.example.com refuses it
            rbac                   | FORBIDDEN        | bind a ClusterRole with this rule to user system:serviceaccount
            rbac-role-missing      | FORBIDDEN        | user imex-controller lacks the verb get on resourceclaims
            rbac-of-a-kubelet      | FORBIDDEN        | to the group system:nodes, as the ClusterRole imex-agent has it
            no-relationship        | NO_RELATIONSHIP  | knows of no pod on this node that uses it
            other-node             | OTHER_NODE       | set node.name to node-a
            all-nodes              | FORBIDDEN        | user system:node:node-a lacks the verb
            restriction-other-node | OTHER_NODE       | set node.name to node-a
            restriction-slice      | OTHER_NODE       | set node.name to the name of this host's Node
            restriction-labels     | ADMISSION        | the admission plugin NodeRestriction lets no node do this
            other-plugin           | ADMISSION        | the API server's admission refuses it
            words-of-a-tenant      | ADMISSION        | the admission policy names refuses it
            """)
    void tellsTheCauseOfARefusalAndItsRemedy(String name, FailureKind kind, String remedy) throws IOException {
        ApiFailure failure = agent(name);

        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure.message())
                .startsWith("cannot read ResourceClaim team/claim: ")
                .contains(remedy);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            namespace-terminating  | NAMESPACE_ENDING | its namespace is being deleted
            quota                  | QUOTA            | or raise the quota
            policy                 | ADMISSION        | let imex-controller do this
            policy-of-ours         | ADMISSION        | with --controller-user set to the user of this kubeconfig
            webhook                | ADMISSION        | let imex-controller do this
            rbac                   | FORBIDDEN        | as the ClusterRole imex-controller has it
            rbac-of-a-kubelet      | FORBIDDEN        | use a kubeconfig whose user has the rules of the ClusterRole imex-controller
            no-relationship        | FORBIDDEN        | use a kubeconfig whose user
            other-node             | FORBIDDEN        | use a kubeconfig whose user
            all-nodes              | FORBIDDEN        | use a kubeconfig whose user
            restriction-other-node | FORBIDDEN        | use a kubeconfig whose user
            restriction-slice      | FORBIDDEN        | use a kubeconfig whose user
            restriction-labels     | FORBIDDEN        | use a kubeconfig whose user
            other-plugin           | ADMISSION        | let imex-controller do this
            """)
    void advisesAControllerNothingAboutNodes(String name, FailureKind kind, String remedy) throws IOException {
        ApiFailure failure = controller(name);

        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure.message())
                .contains(remedy)
                .doesNotContain("node.name")
                .doesNotContain("system:nodes");
    }

    /** The names before the cause may have 253 characters each. */
    @Test
    void readsTheCauseBehindLongNames() throws IOException {
        String node = "n".repeat(253);
        server.on(CLAIM, 403, status("no-relationship.json").replace("node-a", node));

        ApiFailure failure = failure(() -> api.claims().get(NAME));

        assertThat(failure.kind()).isEqualTo(FailureKind.NO_RELATIONSHIP);
        assertThat(failure.message()).hasSizeLessThan(700);
    }

    /** A tenant's quota or namespace says nothing of the API server. */
    @ParameterizedTest
    @CsvSource({"quota, true", "namespace-terminating, true", "policy, true", "rbac, false"})
    void anAnswerOfAdmissionIsThatOfAServerThatIsWell(String name, boolean well) throws IOException {
        var _ = agent(name);

        assertThat(api.state() instanceof ApiState.ApiAnswering).isEqualTo(well);
    }

    @Test
    void aRefusalWithoutAWordMayBeAProxys() throws IOException {
        server.on(CLAIM, 403, "<html>blocked</html>");

        ApiFailure failure = failure(() -> api.claims().get(NAME));

        assertThat(failure.kind()).isEqualTo(FailureKind.FORBIDDEN);
        assertThat(failure.message())
                .contains("no proxy before http://127.0.0.1")
                .doesNotContain("blocked");
    }

    @Test
    void aMessageOfHostileLengthCostsNothing() throws IOException {
        server.on(
                CLAIM,
                403,
                StubServer.status(403, "Forbidden", "User \\\"" + "\\\\\\\\".repeat(15_000) + "\\\" cannot get ", ""));

        assertThat(failure(() -> api.claims().get(NAME)).kind()).isEqualTo(FailureKind.ADMISSION);
    }
}
