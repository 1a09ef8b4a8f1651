package io.imexagent.controller.racks;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.controller.ClusterDocument;
import io.imexagent.controller.ClusterReport;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.racks.RackReport.Rack;
import io.imexagent.controller.racks.RackReport.RackWorkload;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.clique.AgentReport;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The racks as JSON, which the page shows and {@code imex-agent racks -o json} prints, and as tables. */
public final class RacksDocument {

    /** The version of the document: it rises when a member is removed or changes its meaning, not when one is added. */
    static final int VERSION = 3;

    /** The most characters that a table shows of a driver or a verdict; all of this version's verdicts are shorter. */
    private static final int LONGEST = 20;

    /** The most GPUs of a node that count, as in the report of its agent; a node may write any number. */
    private static final int MOST_GPUS = 1024;

    private RacksDocument() {}

    /** The racks as JSON, for a page with these links. */
    public static ObjectNode of(RackReport report, PageLinks links) {
        ObjectNode document = of(report);
        links.grafana().ifPresent(address -> document.put("grafana", address));
        links.runbook().ifPresent(address -> document.put("runbook", address));
        return document;
    }

    /** The racks as JSON. It has times and no durations since then, so that it changes only with its content. */
    public static ObjectNode of(RackReport report) {
        ObjectNode document = JsonTrees.object()
                .put("version", VERSION)
                .put("isolation", report.isolation().text());
        report.stale().ifPresent(why -> document.put("stale", why));
        ArrayNode racks = document.putArray("racks");
        report.racks().forEach(rack -> rack(racks.addObject(), rack));
        return document;
    }

    private static void rack(ObjectNode one, Rack rack) {
        rack.clique().ifPresent(clique -> one.put("clique", clique.text()));
        one.put("name", rack.name());
        rack.channels().ifPresent(channels -> one.put("channels", channels));
        one.put("used", rack.used());
        ArrayNode trays = one.putArray("trays");
        for (int tray = 0; tray < rack.trays().size(); tray++) {
            tray(trays.addObject(), rack, tray);
        }
        rack.links().others().forEach(one.putArray("others")::add);
        if (!rack.proof().runs().isEmpty()) {
            ArrayNode tests = one.putArray("tests");
            rack.proof()
                    .runs()
                    .forEach(run -> tests.addObject()
                            .put("level", run.level().word())
                            .put("ended", run.ended().toString())
                            .put("by", run.by()));
        }
        ArrayNode workloads = one.putArray("workloads");
        for (RackWorkload workload : rack.workloads()) {
            ObjectNode in = workloads
                    .addObject()
                    .put("namespace", workload.domain().namespace())
                    .put("name", workload.domain().name())
                    .put("uid", workload.domain().uid().value());
            workload.channel().ifPresent(channel -> in.put("channel", channel.number()));
            in.put("releasing", workload.releasing());
            workload.nodes().forEach(in.putArray("nodes")::add);
        }
        ArrayNode causes = one.putArray("causes");
        for (RackFault fault : rack.faults()) {
            ObjectNode cause = causes.addObject()
                    .put("kind", fault.kind().text())
                    .put("severity", fault.severity().text());
            fault.nodes().forEach(cause.putArray("nodes")::add);
            cause.put("text", fault.text());
            if (!fault.step().isEmpty()) {
                cause.put("step", fault.step());
            }
            fault.since().ifPresent(since -> cause.put("since", since.toString()));
            fault.consequences().forEach(cause.putArray("consequences")::add);
        }
    }

    private static void tray(ObjectNode one, Rack rack, int index) {
        CliqueReport.ReportedNode tray = rack.trays().get(index);
        NodeStatus status = tray.status();
        one.put("node", tray.name()).put("state", tray.state().text()).put("gpus", status.gpus());
        tray.lostSince().ifPresent(since -> one.put("lostSince", since.toString()));
        ClusterDocument.mode(one, status);
        status.driver().ifPresent(driver -> one.put("driver", driver));
        status.imex()
                .ifPresent(imex -> one.put("imex", imex)
                        .put("severity", FoundFaults.severity(imex).text()));
        status.imexSince().ifPresent(since -> one.put("since", since.toString()));
        status.peers().ifPresent(peers -> one.put("peers", peers));
        status.links().map(NodeLinks::address).ifPresent(address -> one.put("address", address));
        status.agent().ifPresent(agent -> agent(one.putObject("agent"), agent));
        if (!rack.links().rows().isEmpty()) {
            one.put("links", rack.links().rows().get(index));
        }
        if (!rack.proof().rows().isEmpty()) {
            one.put("proof", rack.proof().rows().get(index));
        }
    }

    private static void agent(ObjectNode one, AgentReport agent) {
        one.put("version", agent.version()).put("gpus", agent.gpus());
        if (!agent.product().isEmpty()) {
            one.put("product", agent.product());
        }
        if (!agent.findings().isEmpty()) {
            ArrayNode findings = one.putArray("findings");
            agent.findingList()
                    .forEach(finding -> findings.addObject()
                            .put("severity", finding.severity().text())
                            .put("code", finding.code()));
        }
        agent.xidsSince().ifPresent(since -> one.put("xidsSince", since.toString()));
        if (agent.xidsSince().isPresent() && !agent.xids().isEmpty()) {
            ArrayNode xids = one.putArray("xids");
            for (AgentReport.ReportedXid xid : agent.xidList()) {
                ObjectNode heard = xids.addObject();
                xid.gpu().ifPresent(gpu -> heard.put("gpu", gpu));
                heard.put("xid", xid.number())
                        .put("count", xid.count())
                        .put("last", xid.last().toString());
            }
        }
    }

    /** Only the causes, as JSON. */
    public static ObjectNode ofCauses(RackReport report) {
        ObjectNode document = of(report);
        document.path("racks").forEach(rack -> ((ObjectNode) rack).retain("clique", "name", "causes"));
        return document;
    }

    /** Only the causes, a line for each. */
    public static String causes(RackReport report, Instant now, Screen screen) {
        String causes = Table.texts(screen, causes(report, now));
        return stale(report) + (causes.isEmpty() ? "nothing is wrong\n" : causes);
    }

    private static String stale(RackReport report) {
        return report.stale().map(why -> "this may be old: " + why + "\n\n").orElse("");
    }

    /** The causes, the worst first; for a single rack with the remedies. */
    private static Table causes(RackReport report, Instant now) {
        Table causes = Table.of("RACK", "SEVERITY", "AGE", "CAUSE");
        report.racks().stream()
                .flatMap(rack -> rack.faults().stream().map(fault -> Map.entry(Cell.of(rack.name()), fault)))
                .sorted(Comparator.comparing((Map.Entry<Cell, RackFault> cause) ->
                                cause.getValue().severity())
                        .reversed())
                .forEach(cause -> {
                    RackFault fault = cause.getValue();
                    causes.row(
                            cause.getKey(),
                            Cell.of(fault.severity()),
                            Cell.of(age(fault.since(), now)),
                            Cell.of(fault.line()));
                    if (report.racks().size() == 1 && !fault.step().isEmpty()) {
                        Cell none = Cell.of("");
                        causes.row(none, none, none, new Cell("step: " + fault.step(), Cell.Style.FAINT));
                    }
                });
        return causes;
    }

    /** The causes, the racks, their nodes with the rows of their matrices, and the workloads; the worst racks first. */
    public static String text(RackReport report, Instant now, Screen screen) {
        if (report.racks().isEmpty()) {
            return stale(report) + "no racks: no node has written its NVLinkNode\n";
        }
        Table racks = Table.of("RACK", "CLIQUE", "NODES", "GPUS", "CHANNELS", "USED", "WORKLOADS", "CAUSES");
        Table trays = Table.of("RACK", "NODE", "STATE", "GPUS", "DRIVER", "IMEX", "AGE", "CONNECTIONS");
        Table proofs = Table.of("RACK", "NODE", "IMPORTS");
        Table tests = Table.of("RACK", "TESTED", "LEVEL", "BY");
        Table workloads = Table.of("RACK", "CHANNEL", "WORKLOAD", "STATE", "NODES");
        List<String> footnotes = new ArrayList<>();
        for (Rack rack : report.racks()) {
            Cell name = Cell.of(rack.name());
            int gpus = rack.trays().stream()
                    .mapToInt(tray -> Math.clamp(tray.status().gpus(), 0, MOST_GPUS))
                    .sum();
            racks.row(
                    name.text(),
                    rack.clique().map(CliqueId::text).orElse(Cell.UNKNOWN),
                    rack.trays().size() + "",
                    gpus + "",
                    rack.channels().isPresent() ? rack.channels().getAsInt() + "" : "-",
                    rack.used() + "",
                    rack.workloads().size() + "",
                    rack.faults().size() + "");
            for (int tray = 0; tray < rack.trays().size(); tray++) {
                trays.row(cells(name, rack, tray, now));
                if (!rack.proof().rows().isEmpty()) {
                    proofs.row(
                            name.text(),
                            rack.trays().get(tray).name(),
                            rack.proof().rows().get(tray));
                }
            }
            rack.proof()
                    .runs()
                    .forEach(run -> tests.row(
                            name.text(),
                            age(Duration.between(run.ended(), now)),
                            run.level().word(),
                            run.by()));
            var names = ClusterReport.names(rack.workloads().stream().map(RackWorkload::domain));
            rack.workloads()
                    .forEach(workload -> workloads.row(
                            name.text(),
                            workload.channel().map(Object::toString).orElse("-"),
                            names.apply(workload.domain()),
                            state(workload),
                            String.join(",", workload.nodes())));
            if (!rack.links().others().isEmpty()) {
                footnotes.add(name.text() + " has connections to "
                        + rack.links().others().size()
                        + " addresses of none of its nodes, which are left out here: -o json has them");
            }
        }
        if (report.racks().stream().anyMatch(rack -> !rack.proof().rows().isEmpty())) {
            footnotes.addFirst(
                    "imports by the fabric test, a letter for each node that exports: + proven, F failed, T hung, f and t"
                            + " the same while nvidia-imex calls the two connected, . not tried, S stale");
        }
        footnotes.addFirst(
                "connections, a letter for each node of the rack in this order: C connected, D degraded, L lost,"
                        + " U unknown, - the node itself");
        Table notes = Table.ofFacts();
        footnotes.forEach(notes::row);
        String below = Table.texts(screen, proofs, tests, workloads);
        return stale(report)
                + Table.texts(screen, causes(report, now), racks, trays)
                + notes.text(screen)
                + (below.isEmpty() ? "" : "\n" + below);
    }

    private static String state(RackWorkload workload) {
        return workload.channel().isEmpty()
                ? "waiting"
                : workload.channel().get().number() == 0 ? "shared" : workload.releasing() ? "releasing" : "bound";
    }

    private static Cell[] cells(Cell name, Rack rack, int index, Instant now) {
        CliqueReport.ReportedNode tray = rack.trays().get(index);
        NodeStatus status = tray.status();
        String state = tray.state().text();
        String imex = status.imex().orElse("");
        return new Cell[] {
            name,
            Cell.of(tray.name()),
            tray.lost() ? Cell.bad(state) : Cell.of(state),
            Cell.of(status.gpus() + ""),
            Cell.of(cut(status.driver().orElse(Cell.UNKNOWN))),
            Cell.of(FoundFaults.severity(imex), imex.isEmpty() ? Cell.UNKNOWN : cut(imex)),
            Cell.of(age(status.imexSince(), now)),
            Cell.of(
                    rack.links().rows().isEmpty()
                            ? Cell.UNKNOWN
                            : rack.links()
                                    .rows()
                                    .get(index)
                                    .substring(0, rack.trays().size()))
        };
    }

    /** Cuts a text of a node, which may be of any length, so that it does not make the rows of others long. */
    private static String cut(String text) {
        return text.length() > LONGEST ? text.substring(0, LONGEST - 1) + "…" : text;
    }

    private static String age(Optional<Instant> since, Instant now) {
        return since.map(time -> age(Duration.between(time, now))).orElse(Cell.UNKNOWN);
    }

    /** The age as kubectl writes it, in the largest unit that gives at least two. */
    static String age(Duration age) {
        long seconds = Math.max(0, age.toSeconds());
        return seconds < 120
                ? seconds + "s"
                : seconds < 7_200
                        ? seconds / 60 + "m"
                        : seconds < 172_800 ? seconds / 3_600 + "h" : seconds / 86_400 + "d";
    }
}
