package io.imexagent.kubernetes.clique;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.inventory.XidHistory.XidCause;
import io.imexagent.core.inventory.XidHistory.XidEvent;
import io.imexagent.kubernetes.clique.AgentReport.ReportedFinding;
import io.imexagent.kubernetes.clique.AgentReport.ReportedXid;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AgentReportTest {

    private static final Instant BOOT = Instant.parse("2026-11-21T08:00:00.25Z");

    @Test
    void theWorstFindingsAndTheLatestXidsAreReported() {
        List<Finding> findings = IntStream.range(0, 40)
                .mapToObj(i -> i == 39
                        ? Finding.critical("gpu-lost", "what", "then")
                        : Finding.warning("code-" + i, "what", "then"))
                .toList();
        List<XidEvent> events = IntStream.range(0, 40)
                .mapToObj(i -> new XidEvent(
                        i == 39 ? OptionalInt.empty() : OptionalInt.of(i),
                        79,
                        XidCause.GPU,
                        Long.MAX_VALUE,
                        BOOT,
                        BOOT.plusSeconds(i)))
                .toList();

        AgentReport report = AgentReport.of(
                "0.3.0",
                4,
                Stream.of("NVIDIA GB200", "", "NVIDIA GB200"),
                findings,
                Optional.of(new XidHistory(BOOT, events)));

        assertThat(report.findingList())
                .hasSize(AgentReport.MOST_FINDINGS)
                .startsWith(
                        new ReportedFinding(Severity.CRITICAL, "gpu-lost"),
                        new ReportedFinding(Severity.WARNING, "code-0"));
        assertThat(report.xidList())
                .hasSize(AgentReport.MOST_XIDS)
                .startsWith(
                        new ReportedXid(OptionalInt.empty(), 79, 999_999_999, Instant.parse("2026-11-21T08:00:39Z")));
        assertThat(report.product()).isEqualTo("NVIDIA GB200");
        assertThat(report.xidsSince()).contains(Instant.parse("2026-11-21T08:00:00Z"));
        assertThat(new AgentReport(
                        report.version(),
                        report.gpus(),
                        report.product(),
                        report.findings(),
                        report.xidsSince(),
                        report.xids()))
                .isEqualTo(report);
    }

    @Test
    void anAgentThatHeardNothingHasNoXidsAndOneThatNeverListenedDoesNotKnow() {
        assertThat(AgentReport.of("1", 4, Stream.of(), List.of(), Optional.of(new XidHistory(BOOT, List.of()))))
                .satisfies(report -> assertThat(report.xidsSince()).isPresent())
                .satisfies(report -> assertThat(report.xidList()).isEmpty());
        assertThat(AgentReport.of("1", 4, Stream.of(), List.of(), Optional.empty())
                        .xidsSince())
                .isEmpty();
    }

    @Test
    void whateverANodeWritesIsBoundedAndPlain() {
        String hostile = "</script><img src=x onerror=alert(1)>\u202e\u0000";
        var report = new AgentReport(
                hostile.repeat(50),
                Integer.MAX_VALUE,
                hostile.repeat(50),
                "critical:gpu-lost fatal:x critical:" + "x".repeat(60) + " warning:UP " + hostile
                        + IntStream.range(0, 5_000).mapToObj(i -> " info:c" + i).collect(Collectors.joining()),
                Optional.of(BOOT),
                "1,79,2,2026-11-21T10:09:11Z 1,79,2,2026-99-21T10:09:11Z x,79,2,2026-11-21T10:09:11Z -,1,1, "
                        + hostile);

        assertThat(report.version()).hasSize(AgentReport.LONGEST).matches("[0-9A-Za-z.+_-]+");
        assertThat(report.product())
                .hasSizeLessThanOrEqualTo(AgentReport.LONGEST)
                .matches("[ -~]+");
        assertThat(report.gpus()).isEqualTo(1024);
        assertThat(report.findingList()).hasSize(AgentReport.MOST_FINDINGS);
        assertThat(report.findings()).startsWith("critical:gpu-lost info:c0 ");
        assertThat(report.xids()).isEqualTo("1,79,2,2026-11-21T10:09:11Z");
        assertThat(new AgentReport("1", -3, "", "", Optional.empty(), "").gpus())
                .isZero();
    }
}
