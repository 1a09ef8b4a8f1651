package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Both forms of {@code nvidia-imex-ctl -N}, over what the tool printed on real nodes and over faulty prints. */
class DomainParsersTest {

    private static Callable<DomainReport> json(String text) {
        return () -> DomainJson.parse(text);
    }

    private static Callable<DomainReport> table(String text) {
        return () -> DomainText.parse(text);
    }

    private static DomainReport read(Callable<DomainReport> parsing) {
        try {
            return parsing.call();
        } catch (Exception e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    private static String reason(Callable<DomainReport> parsing) {
        return String.valueOf(
                catchThrowableOfType(MalformedReport.class, parsing::call).getMessage());
    }

    @Test
    void readsTheListingOfARealTwoNodeDomain() {
        DomainReport report = read(table(ReportSpecimens.file("two-nodes-up.txt")));

        assertThat(report.state()).isEqualTo(PrintedState.of(DomainState.UP));
        assertThat(report.local()).hasValue(0);
        assertThat(report.nodes())
                .extracting(NodeReport::address, NodeReport::state, NodeReport::version)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                "172.17.1.5", PrintedState.of(DaemonState.READY), Optional.of("580.126.20")),
                        org.assertj.core.groups.Tuple.tuple(
                                "172.17.1.6", PrintedState.of(DaemonState.READY), Optional.of("580.126.20")));
        assertThat(report.connection(0, 1)).contains(PrintedState.of(ConnectionState.CONNECTED));
        assertThat(report.connection(1, 0)).contains(PrintedState.of(ConnectionState.CONNECTED));
        assertThat(report.connection(0, 2)).isEmpty();
    }

    @Test
    void readsTheJsonOfTheContract() {
        DomainReport report = read(json(ReportSpecimens.file("one-node-up.json")));

        assertThat(report.state()).isEqualTo(PrintedState.of(DomainState.UP));
        assertThat(report.local()).isEmpty();
        assertThat(report.nodes()).singleElement().satisfies(node -> {
            assertThat(node.name()).isEqualTo("n1");
            assertThat(node.version()).contains("580.95.05");
            assertThat(node.connections())
                    .containsExactly(java.util.Map.entry(0, PrintedState.of(ConnectionState.CONNECTED)));
        });
    }

    @Test
    void readsAnyOrderOfMembers() {
        DomainReport report = ReportSpecimens.domain(5, List.of(3), DomainState.DEGRADED);

        for (long seed = 0; seed < 20; seed++) {
            assertThat(read(json(ReportSpecimens.json(report, seed)))).isEqualTo(report);
        }
    }

    @Test
    void readsAFullMatrixOf72NodesInBothForms() {
        DomainReport report = ReportSpecimens.domain(72, List.of(7, 71), DomainState.DEGRADED);

        assertThat(read(json(ReportSpecimens.json(report, 1)))).isEqualTo(report);
        assertThat(read(table(ReportSpecimens.table(report.withLocal(OptionalInt.of(4))))))
                .isEqualTo(report.withLocal(OptionalInt.of(4)));
        assertThat(report.ready()).isEqualTo(70);
    }

    @Test
    void readsEveryLetterOfTheLegendAndKeepsOthersAsNotConnected() {
        DomainReport report = ReportSpecimens.up(12);
        int to = 0;
        for (ConnectionState state : ConnectionState.values()) {
            report = ReportSpecimens.with(report, 0, to++, state);
        }
        report = ReportSpecimens.with(report, 0, 11, new PrintedState<ConnectionState>("!X!", Optional.empty()));

        DomainReport read = read(table(ReportSpecimens.table(report)));

        assertThat(read).isEqualTo(report);
        assertThat(read.connection(0, 11))
                .hasValueSatisfying(
                        state -> assertThat(state.is(ConnectionState.CONNECTED)).isFalse());
    }

    @Test
    void aConnectionWithoutANameHereIsNotConnected() {
        DomainReport report =
                read(json(ReportSpecimens.file("one-node-up.json").replace("CONNECTED", "CONNECTED_MAYBE")));

        assertThat(report.connection(0, 0))
                .contains(new PrintedState<ConnectionState>("CONNECTED_MAYBE", Optional.empty()));
        assertThat(report.connection(0, 0).orElseThrow().is(ConnectionState.CONNECTED))
                .isFalse();
    }

    @Test
    void aPeerThatIsDownHasNoVersionAndInvalidConnections() {
        DomainReport report = read(json("""
                {"status":"DEGRADED","nodes":{
                  "1":{"status":"UNAVAILABLE","host":"10.0.0.2","version":"",
                       "connections":{"0":{"status":"INVALID"},"1":{"status":"INVALID"}}},
                  "0":{"status":"READY","host":"10.0.0.1","version":"580.95.05","connections":{}}}}
                """));

        assertThat(report.nodes()).extracting(NodeReport::index).containsExactly(0, 1);
        assertThat(report.node(1)).hasValueSatisfying(node -> {
            assertThat(node.ready()).isFalse();
            assertThat(node.version()).isEmpty();
        });
        assertThat(report.connection(1, 0)).contains(PrintedState.of(ConnectionState.INVALID));
        assertThat(report.connection(0, 1)).isEmpty();
    }

    @Test
    void passesOverWarningsBeforeTheJson() {
        assertThat(read(json("WARNING: no GSSAPI\n" + ReportSpecimens.file("one-node-up.json")))
                        .nodes())
                .hasSize(1);
    }

    @Test
    void saysWhatIsWrongWithJson() {
        assertThat(reason(json(""))).contains("no JSON object");
        assertThat(reason(json("{\"nodes\":{\"0\":{\"sta"))).contains("broken");
        assertThat(reason(json("{\"status\":\"UP\"}"))).contains("\"nodes\"");
        assertThat(reason(json("{\"nodes\":[],\"status\":\"UP\"}"))).contains("\"nodes\"");
        assertThat(reason(json("{\"nodes\":{},\"status\":7}"))).contains("\"status\" of the domain");
        assertThat(reason(json("{\"nodes\":{\"x\":{}},\"status\":\"UP\"}"))).contains("\"x\" is no number");
        assertThat(reason(json("{\"nodes\":{\"1024\":{}},\"status\":\"UP\"}"))).contains("0 to 1023");
        assertThat(reason(json("{\"nodes\":{\"0\":{}},\"status\":\"UP\"}"))).contains("node 0 has no text \"status\"");
        assertThat(reason(json(
                        "{\"nodes\":{\"0\":{\"status\":\"READY\"},\"00\":{\"status\":\"READY\"}},\"status\":\"UP\"}")))
                .contains("node 0 twice");
        assertThat(reason(json("{\"nodes\":{},\"nodes\":{},\"status\":\"UP\"}")))
                .contains("broken");
        assertThat(reason(json("{\"a\":".repeat(100_000)))).contains("broken");
    }

    @Test
    void saysWhatIsWrongWithATable() {
        String good = ReportSpecimens.file("two-nodes-up.txt").replace('\u00a0', ' ');
        assertThat(reason(table(""))).contains("Domain State:");
        assertThat(reason(table(good.replace("Domain State: UP", "")))).contains("Domain State:");
        assertThat(reason(table(good.replace("Node #1", "Node #0")))).contains("node 0 twice");
        assertThat(reason(table(good.replace("Node #1", "Node #x")))).contains("no number");
        assertThat(reason(table("Node #0   * 172.17.1.5"))).contains("cut off");
        assertThat(reason(table(good.replace("       1        C   C", "       1        C"))))
                .contains("1 connections of node 1, and 2 columns");
        assertThat(reason(table(good.replace("       1        C   C", "       7        C   C"))))
                .contains("does not list: [7]");
    }

    @Test
    void everyPrefixOfATableIsUnreadableOrWhole() {
        String good = ReportSpecimens.file("two-nodes-up.txt").replace('\u00a0', ' ');
        DomainReport whole = read(table(good));
        int complete = good.indexOf("Domain State: UP") + "Domain State: UP".length();

        for (int length = 0; length < complete - " UP".length(); length++) {
            String cut = good.substring(0, length);
            assertThatThrownBy(() -> DomainText.parse(cut))
                    .as("the first %d characters", length)
                    .isInstanceOf(MalformedReport.class);
        }
        assertThat(read(table(good.substring(0, complete)))).isEqualTo(whole);
    }

    @Test
    void aTableWithoutAMatrixHasNodesWithoutConnections() {
        DomainReport report = read(table("Node #0 * 10.0.0.1 * - READY - Version: 1\nDomain State: UP\n"));

        assertThat(report.nodes())
                .containsExactly(new NodeReport(
                        0,
                        "10.0.0.1",
                        Optional.empty(),
                        PrintedState.of(DaemonState.READY),
                        Optional.of("1"),
                        new TreeMap<>()));
    }

    @Test
    void theLocalStateIsOneWholeWord() throws MalformedReport {
        assertThat(DaemonState.printed("READY\n")).isEqualTo(PrintedState.of(DaemonState.READY));
        assertThat(DaemonState.printed("warning: x\nWAITING_FOR_PEERS"))
                .isEqualTo(PrintedState.of(DaemonState.WAITING_FOR_PEERS));
        assertThat(DaemonState.printed("NOT_READY"))
                .isEqualTo(new PrintedState<DaemonState>("NOT_READY", Optional.empty()));
        assertThatThrownBy(() -> DaemonState.printed("ready")).isInstanceOf(MalformedReport.class);
        assertThatThrownBy(() -> DaemonState.printed(" \n")).isInstanceOf(MalformedReport.class);
    }
}
