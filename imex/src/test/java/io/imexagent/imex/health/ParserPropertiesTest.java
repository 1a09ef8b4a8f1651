package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whatever is printed, the parsers answer; what the tool prints comes back as it was. */
class ParserPropertiesTest {

    @Property(tries = 2000)
    void arbitraryBytesAreAnswered(@ForAll @Size(max = 400) byte[] bytes) {
        answers(() -> DomainJson.parse(new String(bytes, StandardCharsets.UTF_8)));
        answers(() -> DomainText.parse(new String(bytes, StandardCharsets.UTF_8)));
        answers(() -> DaemonState.printed(new String(bytes, StandardCharsets.ISO_8859_1)));
    }

    @Property(tries = 500)
    void damagedPrintsAreAnswered(
            @ForAll @IntRange(max = 2000) int at, @ForAll byte value, @ForAll @IntRange(max = 2000) int length) {
        DomainReport report = ReportSpecimens.domain(4, List.of(2), DomainState.DEGRADED);
        for (String print : List.of(ReportSpecimens.json(report, at), ReportSpecimens.table(report))) {
            byte[] bytes = print.getBytes(StandardCharsets.UTF_8);
            bytes[at % bytes.length] = value;
            byte[] damaged = java.util.Arrays.copyOf(bytes, Math.min(bytes.length, length));
            answers(() -> DomainJson.parse(new String(damaged, StandardCharsets.UTF_8)));
            answers(() -> DomainText.parse(new String(damaged, StandardCharsets.UTF_8)));
        }
    }

    @Property(tries = 60)
    void whatIsPrintedComesBack(
            @ForAll @IntRange(min = 1, max = 20) int nodes,
            @ForAll @Size(max = 3) List<Integer> lost,
            @ForAll long seed)
            throws MalformedReport {
        List<Integer> down =
                lost.stream().map(index -> Math.floorMod(index, nodes)).toList();
        DomainReport report =
                ReportSpecimens.domain(nodes, down, down.isEmpty() ? DomainState.UP : DomainState.DEGRADED);

        assertThat(DomainJson.parse(ReportSpecimens.json(report, seed))).isEqualTo(report);
        assertThat(DomainText.parse(ReportSpecimens.table(report))).isEqualTo(report);
    }

    @Property(tries = 300)
    void whatIsCutOffIsNeverTakenForLess(@ForAll @IntRange(max = 3000) int length) {
        DomainReport report = ReportSpecimens.domain(4, List.of(1), DomainState.DEGRADED);
        String json = ReportSpecimens.json(report, 7).strip();
        String cut = json.substring(0, Math.min(length, json.length() - 1));

        assertThatThrownBy(() -> DomainJson.parse(cut)).isInstanceOf(MalformedReport.class);
    }

    /** With a value, or with what is wrong; and with nothing else. */
    private static void answers(Callable<?> parsing) {
        try {
            assertThat(parsing.call()).isNotNull();
        } catch (Exception malformed) {
            assertThat(malformed).isInstanceOf(MalformedReport.class);
        }
    }
}
