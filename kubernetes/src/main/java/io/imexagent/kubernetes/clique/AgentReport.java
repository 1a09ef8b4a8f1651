package io.imexagent.kubernetes.clique;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.inventory.XidHistory.XidEvent;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An agent's report about itself and the node's GPUs, for people; no decision depends on it. Its size is bounded
 * whatever a node writes: only the first entries of a list are kept, invalid entries are left out, and invalid
 * characters become underscores.
 *
 * @param version the agent's version
 * @param gpus the number of GPUs that the driver lists, whether they work or not
 * @param product the names of the GPUs' products, separated by commas
 * @param findings as {@code critical:gpu-lost}, separated by blanks, the worst first; as a list they would cost a
 *     controller twenty times the memory
 * @param xidsSince since when agents have received the GPUs' events in this boot; empty if none has, so that the Xids
 *     are unknown
 * @param xids as {@code 1,79,2,2026-11-21T10:09:11Z}, separated by blanks: the index of the GPU, or a hyphen if the
 *     driver named none; the Xid, how often it occurred, and when last; the latest first
 */
public record AgentReport(
        String version, int gpus, String product, String findings, Optional<Instant> xidsSince, String xids) {

    /** The longest version and product, in characters. */
    public static final int LONGEST = 64;

    /** The most findings that are kept. */
    public static final int MOST_FINDINGS = 16;

    /** The most characters of all findings together. */
    public static final int LONGEST_FINDINGS = 1024;

    /** The most Xids that are kept. */
    public static final int MOST_XIDS = 8;

    /** The most characters of all Xids together. */
    public static final int LONGEST_XIDS = 512;

    private static final int MOST_GPUS = 1024;
    private static final Pattern NOT_OF_VERSION = Pattern.compile("[^0-9A-Za-z.+_-]");
    private static final Pattern NOT_OF_PRODUCT = Pattern.compile("[^ -~]");
    private static final Pattern FINDING = Pattern.compile("(critical|warning|info|ok):([a-z][a-z0-9-]{0,47})");
    private static final Pattern XID =
            Pattern.compile("(-|[0-9]{1,4}),([0-9]{1,9}),([0-9]{1,9}),([0-9]{4}-[0-9:T-]{14}Z)");

    public AgentReport {
        version = text(version, NOT_OF_VERSION);
        product = text(product, NOT_OF_PRODUCT);
        gpus = Math.clamp(gpus, 0, MOST_GPUS);
        findings = words(findings, LONGEST_FINDINGS, MOST_FINDINGS, AgentReport::finding);
        xids = words(xids, LONGEST_XIDS, MOST_XIDS, AgentReport::xid);
    }

    /** A finding of a node, by its code. */
    public record ReportedFinding(Severity severity, String code) {}

    /** An Xid of a GPU by NVML's index, which is empty if the driver named no GPU. */
    public record ReportedXid(OptionalInt gpu, long number, long count, Instant last) {}

    /** Builds the report of an agent of this version from its findings and the Xids that it has received. */
    public static AgentReport of(
            String version, int gpus, Stream<String> products, List<Finding> findings, Optional<XidHistory> xids) {
        return new AgentReport(
                version,
                gpus,
                products.filter(name -> !name.isBlank()).distinct().collect(Collectors.joining(", ")),
                findings.stream()
                        .sorted(Comparator.comparing(Finding::severity).reversed())
                        .map(finding -> finding.severity().text() + ":" + finding.code())
                        .distinct()
                        .collect(Collectors.joining(" ")),
                xids.map(XidHistory::since).map(since -> since.truncatedTo(ChronoUnit.SECONDS)),
                xids.map(XidHistory::events).orElse(List.of()).stream()
                        .sorted(Comparator.comparing(XidEvent::last).reversed())
                        .map(xid -> (xid.gpu().isPresent() ? xid.gpu().getAsInt() + "" : "-") + "," + xid.number() + ","
                                + Math.min(xid.count(), 999_999_999) + ","
                                + xid.last().truncatedTo(ChronoUnit.SECONDS))
                        .collect(Collectors.joining(" ")));
    }

    /** The findings, the worst first. */
    public List<ReportedFinding> findingList() {
        return list(findings, AgentReport::finding);
    }

    /** The Xids, the latest first. */
    public List<ReportedXid> xidList() {
        return list(xids, AgentReport::xid);
    }

    private static String text(String text, Pattern foreign) {
        return foreign.matcher(text.substring(0, Math.min(text.length(), LONGEST)))
                .replaceAll("_")
                .strip();
    }

    private static String words(String text, int longest, int most, Function<String, Optional<?>> read) {
        return Stream.of(text.substring(0, Math.min(text.length(), longest)).split(" ", -1))
                .filter(word -> read.apply(word).isPresent())
                .limit(most)
                .collect(Collectors.joining(" "));
    }

    private static <T> List<T> list(String words, Function<String, Optional<T>> read) {
        return Stream.of(words.split(" ", -1))
                .flatMap(word -> read.apply(word).stream())
                .toList();
    }

    private static Optional<ReportedFinding> finding(String word) {
        return FINDING.matcher(word)
                .results()
                .filter(found -> found.group().equals(word))
                .map(found -> new ReportedFinding(severity(found.group(1)), found.group(2)))
                .findFirst();
    }

    private static Severity severity(String word) {
        return Stream.of(Severity.values())
                .filter(severity -> severity.text().equals(word))
                .findFirst()
                .orElseThrow();
    }

    private static Optional<ReportedXid> xid(String word) {
        return XID.matcher(word)
                .results()
                .filter(found -> found.group().equals(word))
                .findFirst()
                .flatMap(AgentReport::xid);
    }

    private static Optional<ReportedXid> xid(MatchResult found) {
        try {
            return Optional.of(new ReportedXid(
                    found.group(1).equals("-") ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(found.group(1))),
                    Long.parseLong(found.group(2)),
                    Long.parseLong(found.group(3)),
                    Instant.parse(found.group(4))));
        } catch (DateTimeException noTime) {
            return Optional.empty();
        }
    }
}
