package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.render.DomainsDocument;
import io.imexagent.controller.report.ClusterReport;
import io.imexagent.core.text.Table;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent domains}. */
final class DomainsCommand implements Command {

    private final Configured configured;
    private final DomainsSource source;

    DomainsCommand(Configured configured, DomainsSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("domains").addOption(GlobalOptions.output());
        spec.usageMessage()
                .description(
                        "List the ComputeDomains of the cluster: channel, nodes with claims, and what is wrong; and the"
                                + " channels that ComputeDomains which are gone still keep.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            ClusterReport report = source.read(effective.config());
            invocation.print(() -> text(report, invocation.colours()), () -> document(report));
            return ExitCode.OK;
        });
    }

    private static ObjectNode document(ClusterReport report) {
        return DomainsDocument.of(report);
    }

    private static String text(ClusterReport report, boolean colours) {
        String domains = table(report.domains(), colours);
        return report.left().isEmpty() ? domains : domains + "\n" + left(report.left(), colours);
    }

    private static String left(List<ClusterReport.LeftChannel> channels, boolean colours) {
        Table table = Table.of("CHANNEL", "LAST OF", "RESTS UNTIL", "CLAIMS", "WRONG");
        for (ClusterReport.LeftChannel channel : channels) {
            table.row(
                    channel.channel().toString(),
                    channel.owner(),
                    channel.restsUntil().map(Object::toString).orElse("held"),
                    Integer.toString(channel.claims()),
                    String.join("; ", channel.wrong()));
        }
        return table.text(colours);
    }

    private static String table(List<ClusterReport.Domain> domains, boolean colours) {
        if (domains.isEmpty()) {
            return "no ComputeDomains\n";
        }
        Table table = Table.of("NAMESPACE", "NAME", "STATUS", "CHANNEL", "TEMPLATE", "CLAIMS", "NODES", "WRONG");
        for (ClusterReport.Domain domain : domains) {
            table.row(
                    domain.namespace(),
                    domain.name(),
                    domain.deleting() ? "Deleting" : domain.ready() ? "Ready" : "NotReady",
                    domain.channel().map(Object::toString).orElse("0"),
                    domain.template(),
                    Integer.toString(domain.claims()),
                    String.join(",", domain.nodes()),
                    String.join("; ", domain.wrong()));
        }
        return table.text(colours);
    }
}
