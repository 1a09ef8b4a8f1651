package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the account of imex-claim-status may write, also where the API server itself does not ask for each field. */
class ClaimStatusPolicyTest {

    private static final String ACCOUNT = "system:serviceaccount:imex-agent:imex-claim-status";
    private static final String OURS =
            "{\"driver\":\"compute-domain.nvidia.com\",\"pool\":\"tray-1\",\"device\":\"channel-0\"}";
    private static final String OTHERS = "{\"driver\":\"gpu.example.com\",\"pool\":\"tray-1\",\"device\":\"gpu-0\"}";
    private static final String USERS = "[{\"resource\":\"pods\",\"name\":\"train-0\",\"uid\":\"u\"}]";
    private static final String TRAY_1 =
            selector("{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"tray-1\"]}");

    private static String selector(String field) {
        return "\"nodeSelector\":{\"nodeSelectorTerms\":[{\"matchFields\":[" + field + "]}]}";
    }

    private static String claim(String selector, String users, String... devices) {
        return "{\"status\":{\"allocation\":{\"devices\":{\"results\":[]}"
                + (selector.isEmpty() ? "" : "," + selector) + "}"
                + (users.isEmpty() ? "" : ",\"reservedFor\":" + users)
                + (devices.length == 0 ? "" : ",\"devices\":[" + String.join(",", devices) + "]") + "}}";
    }

    private static List<String> refusals(String user, String extra, String before, String after) {
        return new Policy(Cluster.withClaimStatus(Cluster.SHARED), "imex-agent-claim-status")
                .with("request", "{\"operation\":\"UPDATE\",\"userInfo\":{\"username\":\"" + user + "\"" + extra + "}}")
                .with("oldObject", before)
                .with("object", after)
                .refusals();
    }

    private static List<String> refusals(String before, String after) {
        return refusals(ACCOUNT, onNode("[\"tray-1\"]"), before, after);
    }

    private static String onNode(String nodes) {
        return ",\"extra\":{\"authentication.kubernetes.io/node-name\":" + nodes + "}";
    }

    @Test
    void ownEntriesComeAndGo() {
        String none = claim(TRAY_1, USERS);
        String told = claim(TRAY_1, USERS, OURS);

        assertThat(refusals(none, told)).isEmpty();
        assertThat(refusals(told, none)).isEmpty();
        assertThat(refusals(claim(TRAY_1, "", OTHERS), claim(TRAY_1, "", OTHERS, OURS)))
                .isEmpty();
    }

    @Test
    void othersAreNoneOfItsBusiness() {
        assertThat(refusals("system:kube-scheduler", "", "{}", claim(TRAY_1, USERS)))
                .isEmpty();
    }

    @Test
    void entriesOfOtherDriversStay() {
        for (String after : List.of(claim(TRAY_1, USERS, OURS), claim(TRAY_1, USERS, OTHERS, OTHERS, OURS))) {
            assertThat(refusals(claim(TRAY_1, USERS, OTHERS), after))
                    .singleElement()
                    .asString()
                    .contains("other drivers");
        }
    }

    @Test
    void allocationsAndUsersStay() {
        String before = claim(TRAY_1, USERS);

        for (String after : List.of(
                claim(TRAY_1, "", OURS),
                claim(TRAY_1, USERS.replace("train-0", "mine"), OURS),
                before.replace("\"results\":[]", "\"results\":[" + OURS + "]"))) {
            assertThat(refusals(before, after)).singleElement().asString().contains("nothing but status.devices");
        }
        assertThat(refusals("{}", before)).singleElement().asString().contains("nothing but status.devices");
        assertThat(refusals(claim(TRAY_1, ""), before))
                .singleElement()
                .asString()
                .contains("nothing but status.devices");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"tray-2\"]", "[]", "[\"tray-1\",\"tray-2\"]"})
    void aTokenOfAnotherNodeMayNothing(String nodes) {
        String claim = claim(TRAY_1, USERS);

        assertThat(refusals(ACCOUNT, onNode(nodes), claim, claim))
                .singleElement()
                .asString()
                .contains("node of the token");
        assertThat(refusals(ACCOUNT, "", claim, claim))
                .singleElement()
                .asString()
                .contains("node of the token");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"tray-1\",\"tray-2\"]}",
                "{\"key\":\"metadata.name\",\"operator\":\"NotIn\",\"values\":[\"tray-1\"]}"
            })
    void neitherDoesOneWhereTheClaimIsNotThatNodesAlone(String field) {
        String claim = claim(selector(field), USERS);

        assertThat(refusals(claim, claim)).singleElement().asString().contains("node of the token");
    }

    @Test
    void norOneWhereTheClaimIsAllocatedToNoNode() {
        String claim = claim("", USERS);

        assertThat(refusals(claim, claim)).singleElement().asString().contains("node of the token");
    }
}
