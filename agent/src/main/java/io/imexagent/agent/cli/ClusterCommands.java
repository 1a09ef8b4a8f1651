package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.Origin;
import io.imexagent.controller.ClusterDocument;
import io.imexagent.controller.ClusterReport;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.controller.racks.RackReport;
import io.imexagent.controller.racks.RacksDocument;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.imex.health.ImexConfiguration;
import io.imexagent.kubernetes.clique.NodesFileComparison;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The commands about the cluster: controller, manifests, domains, cliques, racks. */
record ClusterCommands(Collaborators collaborators) {

    private static final String ADMISSION = "--admission";
    private static final String CHECK = "--check";
    private static final String CLAIM_STATUS = "--claim-status";
    private static final String FABRIC_TEST = "--fabric-test";
    private static final String PLACEMENT = "--placement";
    private static final String USER = "--controller-user";
    private static final String WATCH = "--watch";
    private static final String ALERTS = "--alerts";

    private static final int LARGEST_FILE = 1 << 20;

    /** Moves the cursor of a terminal home, and clears the screen. */
    private static final String CLEAR = "\u001b[H\u001b[2J";

    Command controller() {
        var spec = Command.described(
                        "controller",
                        "Run the controller of ComputeDomains until SIGTERM; of several, one works at a time.")
                .addOption(KubeconfigChoice.file("controller.kubeconfig"));
        return Command.running(spec, invocation -> collaborators.controller());
    }

    Command manifests() {
        var spec = Command.described(
                        "manifests",
                        "Print the cluster's objects for this configuration: imex-agent manifests | kubectl apply"
                                + " -f -")
                .addOption(GlobalOptions.toggle(
                        "With the policies that refuse early what agents refuse anyway.", ADMISSION))
                .addOption(GlobalOptions.toggle(
                        "With the service account as which agents write status.devices of claims; for Kubernetes 1.36"
                                + " and later.",
                        CLAIM_STATUS))
                .addOption(GlobalOptions.toggle(
                        "With the roles of whoever runs imex-agent fabric test, without a binding.", FABRIC_TEST))
                .addOption(GlobalOptions.toggle(
                        "With the policy that keeps the pods of a ComputeDomain in one clique, see placement.clique; for"
                                + " Kubernetes 1.36 and later.",
                        PLACEMENT))
                .addOption(GlobalOptions.filled(
                        USER,
                        "USER",
                        "The user of the controllers' kubeconfig. Default: " + ManifestOptions.CONTROLLER_USER + "."));
        return Command.configured(spec, ClusterCommands::printManifests);
    }

    private static ExitCode printManifests(Invocation invocation, AgentConfig config) {
        Origin mode = config.origin(ConfigKeys.HOST_MANAGED);
        if (!config.hostManaged() && !config.rdma().enabled() && !mode.isFlag()) {
            invocation.warn("prints nothing: " + ConfigKeys.HOST_MANAGED + " is false (" + mode.text()
                    + "), and that mode's objects come with the public driver's own chart; for host-managed IMEX add"
                    + " --feature-gates HostManagedIMEX=true --isolation None, or IMEXChannel; for the public driver's"
                    + " objects all the same --feature-gates HostManagedIMEX=false");
            return ExitCode.CONFIGURATION;
        }
        var options = new ManifestOptions(
                config.hostManaged(),
                config.imex().isolation().orElse(Isolation.NONE),
                invocation.has(ADMISSION),
                config.controller().namespace(),
                invocation.option(USER, String.class).orElse(ManifestOptions.CONTROLLER_USER),
                config.rdma().enabled(),
                invocation.has(CLAIM_STATUS),
                invocation.has(FABRIC_TEST),
                invocation.has(PLACEMENT));
        invocation.warn("prints for " + ConfigKeys.HOST_MANAGED + "=" + options.hostManaged()
                + (options.hostManaged()
                        ? ", imex.isolation=" + options.isolation().text()
                        : "")
                + ", rdma.enabled=" + options.rdma() + ", controllers in namespace " + options.namespace() + " as user "
                + options.controllerUser()
                + config.file().map(file -> ", by " + file).orElse(", without a configuration file"));
        invocation.out().print(Manifests.of(options));
        if (!options.hostManaged()) {
            Stream.of(FABRIC_TEST, PLACEMENT, ADMISSION)
                    .filter(invocation::has)
                    .filter(option -> !(option.equals(ADMISSION) && options.rdma()))
                    .forEach(option ->
                            invocation.warn("left out: what " + option + " adds, which is for host-managed IMEX"));
        }
        if (config.placementOfCliques() != PlacementMode.OFF && !options.placement()) {
            invocation.warn("left out: the policy of placement.clique="
                    + config.placementOfCliques().text() + "; add it with " + PLACEMENT
                    + ", on Kubernetes 1.36 or later");
        }
        return ExitCode.OK;
    }

    Command domains() {
        var spec = KubeconfigChoice.addTo(Command.printing(
                "domains",
                "List the ComputeDomains of the cluster: their channels by clique, the nodes that hold them, and"
                        + " what is wrong."));
        return Command.configured(spec, (invocation, config) -> {
            List<ClusterReport.ReportedDomain> domains =
                    cluster(invocation, config).domains();
            invocation.print(
                    now(), screen -> ClusterDocument.domains(domains, screen), () -> ClusterDocument.domains(domains));
            return ExitCode.OK;
        });
    }

    Command cliques() {
        var spec = KubeconfigChoice.addTo(Command.printing(
                "cliques",
                "List the NVLink cliques of the cluster: their nodes, how nvidia-imex is there, which channels are"
                        + " used and by whom, and what nodes hold that do not answer."));
        return Command.configured(spec, (invocation, config) -> {
            List<CliqueReport> cliques = cluster(invocation, config).cliques();
            invocation.print(
                    now(), screen -> ClusterDocument.cliques(cliques, screen), () -> ClusterDocument.cliques(cliques));
            return ExitCode.OK;
        });
    }

    Command nodesFile() {
        var spec = KubeconfigChoice.addTo(
                        Command.printing(
                                "nodes-file",
                                "Print nodes_config.cfg of nvidia-imex as it should be on all nodes of a clique: the lines that more"
                                        + " than half of its files have. What is open stands in comments, and ends with exit code 1."))
                .addPositional(GlobalOptions.argument("CLIQUE", "The clique, as imex-agent cliques lists it."))
                .addOption(GlobalOptions.filled(
                        CHECK, "FILE", "Compare this file with it, - for standard input, and say what differs."));
        return Command.configured(spec, (invocation, config) -> {
            String wanted = invocation.argument(0);
            Optional<String> checked = invocation.option(CHECK, String.class);
            Optional<List<String>> written =
                    checked.isPresent() ? Optional.of(lines(invocation, checked.get())) : Optional.empty();
            CliqueReport clique = cluster(invocation, config).read().cliques().stream()
                    .filter(one -> one.clique().text().equals(wanted))
                    .findFirst()
                    .orElseThrow(
                            () -> invocation.wrong("CLIQUE is none of this cluster; imex-agent cliques lists them"));
            NodesFileComparison files = clique.nodesFiles();
            if (files.proposal().isEmpty()) {
                invocation.warn(files.faults().stream()
                        .map(NodesFileComparison.NodesFileFault::text)
                        .findFirst()
                        .orElse("no node of " + clique.clique() + " reports a nodes_config.cfg; agents of this version"
                                + " do, where nvidia-imex is installed"));
                return ExitCode.FAILED;
            }
            Optional<List<String>> differences = written.map(files::check);
            invocation.print(
                    now(),
                    screen -> differences
                            .map(found -> found.isEmpty()
                                    ? "the file is as it should be\n"
                                    : String.join("\n", found)
                                            + "\nwrite the file that imex-agent nodes-file " + clique.clique()
                                            + " prints, and restart nvidia-imex once the node is drained\n")
                            .orElseGet(() -> ClusterDocument.nodesFile(clique)),
                    () -> ClusterDocument.nodesFile(clique, differences));
            boolean open = differences
                    .map(found -> !found.isEmpty())
                    .orElseGet(() -> files.proposal().stream()
                            .anyMatch(line -> line.reason().isPresent()));
            return open ? ExitCode.FAILED : ExitCode.OK;
        });
    }

    /** Reads the lines of a file of nodes on this machine, at most its first {@link #LARGEST_FILE} bytes. */
    private static List<String> lines(Invocation invocation, String file) throws IOException {
        try (InputStream bytes = file.equals("-") ? System.in : Files.newInputStream(Path.of(file))) {
            return ImexConfiguration.nodes(new String(bytes.readNBytes(LARGEST_FILE), StandardCharsets.ISO_8859_1));
        } catch (InvalidPathException | NoSuchFileException missing) {
            throw invocation.wrong(CHECK + ": there is no such file");
        }
    }

    Command racks() {
        var spec = KubeconfigChoice.addTo(Command.printing(
                        "racks",
                        "Show the NVLink racks of the cluster: what is wrong; nodes with their GPUs, drivers, verdicts on"
                                + " nvidia-imex and connections; channels, and the workloads that have them."))
                .addPositional(
                        GlobalOptions.argument("RACK", "One rack only: its name, its clique or a node of it.")
                                .toBuilder()
                                .required(false)
                                .arity("0..1")
                                .build())
                .addOption(GlobalOptions.toggle("Show what is wrong alone, a line for each cause.", ALERTS))
                .addOption(GlobalOptions.toggle(
                        "Show them again whenever they change, on a terminal in the place of what was shown.", WATCH));
        return Command.configured(spec, (invocation, config) -> {
            LocalCluster cluster = cluster(invocation, config);
            var chosen = new ChosenRack(invocation.firstArgument(), invocation::wrong, invocation::warn);
            if (invocation.has(WATCH)) {
                cluster.watchRacks(all -> chosen.in(all).ifPresent(racks -> {
                    invocation.out().print(invocation.screen().columns().isPresent() ? CLEAR : "");
                    print(invocation, racks);
                    invocation.out().println();
                }));
            } else {
                chosen.in(RackReport.of(cluster.read().fabric(now()), Optional.empty()))
                        .ifPresent(racks -> print(invocation, racks));
            }
            return ExitCode.OK;
        });
    }

    private void print(Invocation invocation, RackReport racks) {
        boolean alerts = invocation.has(ALERTS);
        Instant now = now();
        invocation.print(
                now,
                screen -> alerts ? RacksDocument.causes(racks, now, screen) : RacksDocument.text(racks, now, screen),
                () -> alerts ? RacksDocument.ofCauses(racks) : RacksDocument.of(racks));
    }

    private Instant now() {
        return collaborators.process().clock().instant();
    }

    private LocalCluster cluster(Invocation invocation, AgentConfig config) throws IOException {
        return new LocalCluster(config, collaborators.process(), KubeconfigChoice.announced(invocation, config));
    }
}
