package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.render.DomainsDocument;
import io.imexagent.controller.manifests.ManifestOptions;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.controller.report.ClusterReport;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.text.Table;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/** The commands that are about the cluster: {@code controller}, {@code manifests}, {@code domains}. */
final class ClusterCommands {

    private static final String ADMISSION = "--admission";
    private static final String USER = "--controller-user";

    private final Configured configured;
    private final Collaborators collaborators;

    ClusterCommands(Configured configured, Collaborators collaborators) {
        this.configured = configured;
        this.collaborators = collaborators;
    }

    Command controller() {
        var spec = Command.described(
                "controller", "Run the controller of ComputeDomains until SIGTERM; of several, one works at a time.");
        return Command.running(spec, configured, invocation -> collaborators.controller());
    }

    Command manifests() {
        var spec = Command.described(
                        "manifests",
                        "Print the cluster's objects for this configuration: imex-agent manifests | kubectl apply"
                                + " -f -")
                .addOption(GlobalOptions.toggle(
                        "With the policies that refuse early what agents refuse anyway.", ADMISSION))
                .addOption(OptionSpec.builder(USER)
                        .type(String.class)
                        .paramLabel("USER")
                        .description("The user of the controllers' kubeconfig. Default: "
                                + ManifestOptions.CONTROLLER_USER + ".")
                        .build());
        return Command.configured(spec, configured, (invocation, effective) -> {
            AgentConfig config = effective.config();
            invocation
                    .out()
                    .print(Manifests.of(new ManifestOptions(
                            config.hostManaged(),
                            config.find(ConfigKeys.ISOLATION).orElse(Isolation.NONE),
                            invocation.has(ADMISSION),
                            config.get(ConfigKeys.CONTROLLER_NAMESPACE),
                            invocation.option(USER, String.class).orElse(ManifestOptions.CONTROLLER_USER),
                            config.rdma().enabled())));
            return ExitCode.OK;
        });
    }

    Command domains() {
        var spec = Command.described(
                        "domains",
                        "List the ComputeDomains of the cluster: channel, nodes with claims, and what is wrong; and the"
                                + " channels that ComputeDomains which are gone still keep.")
                .addOption(GlobalOptions.output());
        return Command.configured(spec, configured, (invocation, effective) -> {
            ClusterReport report = collaborators.domains().read(effective.config());
            invocation.print(() -> text(report, invocation.colours()), () -> DomainsDocument.of(report));
            return ExitCode.OK;
        });
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
