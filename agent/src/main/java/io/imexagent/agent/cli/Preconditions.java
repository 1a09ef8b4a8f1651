package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiKind;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.dra.claim.ClaimRecall;
import io.imexagent.dra.kubelet.KubeletUnits.KubeletRoot;
import io.imexagent.dra.kubelet.PluginCheck;
import io.imexagent.dra.kubelet.RegistrySockets;
import io.imexagent.dra.recovery.MissingRecord;
import io.imexagent.imex.bind.ChannelBinder;
import io.imexagent.imex.check.CheckpointChecks;
import io.imexagent.imex.check.DriverRemains;
import io.imexagent.imex.check.HostChecks;
import io.imexagent.imex.check.IsolationChecks;
import io.imexagent.imex.check.UserNamespaceCheck;
import io.imexagent.imex.prepare.ChannelRecall;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.probe.ChannelNodes;
import io.imexagent.imex.probe.DeviceStat;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.rdma.rails.RailDriver;
import io.imexagent.rdma.rails.RailRules;
import io.imexagent.rdma.report.RailRecordCheck;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks every precondition of a node that serves channels or RDMA NICs. {@code api} opens the API server, which is
 * closed after use; other plugins are searched in {@code proc}; {@code closed} tests which paths this user may not use.
 * Changes nothing on the node or in the cluster.
 */
public record Preconditions(LocalHost host, Supplier<KubernetesApi> api, Path proc, Predicate<Path> closed) {

    /**
     * Returns all results, in the order in which an operator would set up a node; for an agent that only observes,
     * those of the host. For a user other than root, one result replaces all checks of paths that this user may not
     * use.
     */
    public List<CheckResult> run() throws InterruptedException {
        AgentConfig config = host.config();
        NodeInventory inventory = host.inventory();
        boolean channels = config.hostManaged();
        var results = new ArrayList<>(new HostChecks(
                        inventory,
                        channels && !config.bindsChannels(),
                        config.imex().cliqueMissing())
                .run());
        results.add(HostChecks.imexNodes(
                config.host().root(), config.imex().health().configuration(), host.identity(List.of())));
        results.add(HostChecks.imexService(host.imex(inventory)));
        boolean rails = config.rdma().enabled();
        Path kubelet = config.kubelet().root();
        Path plugin = config.kubelet().plugin(DriverNames.DRIVER);
        var railRecord =
                new RailRecordCheck(config.kubelet().plugin(RailDriver.NAME), config.nodeName(), inventory.bootId());
        var directories = new DirectoryChecks(config);
        var access = ClusterAccess.of(config.kubeconfigs());
        List<Path> hidden = Stream.concat(
                        directories.closed(closed).stream(),
                        access.kubeconfig().filter(Predicate.not(Files::notExists)).filter(closed).stream())
                .toList();
        if (!hidden.isEmpty()) {
            results.add(notRoot(hidden));
        } else if (!rails) {
            railRecord.left().ifPresent(results::add);
        }
        if (!channels) {
            results.add(CheckResult.ok(
                    "serving",
                    rails
                            ? "HostManagedIMEX is off: only RDMA NICs are served, no IMEX channels"
                            : "HostManagedIMEX is off: the agent only observes, what serving needs is not checked"));
        }
        if (!channels && !rails) {
            return results;
        }
        if (config.bindsChannels()) {
            results.addAll(
                    new IsolationChecks(config.host().root(), config.imex().channels(), inventory).run());
        }
        if (channels) {
            var pods = new UserNamespaceCheck(
                    new ChannelNodes(config.host().root(), DeviceStat.OF_FILES), inventory.channelMajor());
            results.add(config.bindsChannels() ? pods.owned(config.imex().channels()) : pods.shared());
        }
        if (hidden.isEmpty()) {
            results.addAll(directories.run());
        }
        results.add(kubeletRoot(config));
        if (!hidden.isEmpty()) {
            return results;
        }
        try (var plugins = new RegistrySockets(kubelet);
                KubernetesApi server = api.get()) {
            if (channels) {
                String remedy =
                        "stop the kubelet plugin of the public driver on this node; imex-agent refuses to start beside it";
                results.add(new PluginCheck(plugins, kubelet, proc, "other-plugin", DriverNames.DRIVER, remedy).run());
                results.addAll(new DriverRemains(proc, plugin).run());
                results.addAll(checkpoint(config, plugin, inventory, server));
            }
            if (rails) {
                String remedy = "stop the process that is named; imex-agent refuses to start beside it";
                results.add(
                        new PluginCheck(plugins, kubelet, proc, "rdma-other-plugin", RailDriver.NAME, remedy).run());
                results.add(railRecord.serving(
                        missing(RailRules.KIND, RailDriver.NAME, RailRules.recall(config.nodeName()), server)));
            }
            results.addAll(new ApiChecks(config, access, server).run());
            return results;
        }
    }

    private static CheckResult notRoot(List<Path> hidden) {
        return CheckResult.warning(
                "user",
                "this user is not root and may not use "
                        + hidden.stream().map(Path::toString).collect(Collectors.joining(", "))
                        + ": directories, records of claims, other plugins and the API server are not checked",
                "run it as root: sudo imex-agent check");
    }

    private List<CheckResult> checkpoint(AgentConfig config, Path plugin, NodeInventory inventory, KubernetesApi server)
            throws InterruptedException {
        ServingPolicy policy = config.servingPolicy();
        var recall = new ChannelRecall(policy, boot -> ChannelBinder.held(server.fabric(), config.nodeName(), boot));
        MissingRecord missing = missing(ChannelRules.KIND, DriverNames.DRIVER, recall, server);
        return new CheckpointChecks(plugin, config.stateDirectory(), policy, missing, inventory.bootId()).run();
    }

    /** What the agent's start decides about a missing record. */
    private MissingRecord missing(CdiKind kind, String driver, ClaimRecall recall, KubernetesApi server) {
        AgentConfig config = host.config();
        return new MissingRecord(
                new CdiDirectory(config.cdiDirectory(), kind),
                config.host().root(),
                config.kubelet().root(),
                driver,
                recall,
                name -> server.claims().get(name),
                host.process().clock());
    }

    /** Checks that the root directory in the kubelet's arguments, which holds its plugins, is the configured one. */
    private static CheckResult kubeletRoot(AgentConfig config) throws InterruptedException {
        String id = "kubelet-root";
        Path root = config.kubelet().root();
        Optional<KubeletRoot> running = config.kubeletUnits().running();
        if (running.isEmpty()) {
            return CheckResult.ok(
                    id,
                    "systemd has no kubelet unit whose root directory could be compared with " + root
                            + " (kubelet.units)");
        }
        return running.get()
                .differsFrom(root)
                .map(why -> CheckResult.critical(id, why, running.get().remedy()))
                .orElseGet(() -> CheckResult.ok(id, running.get().unit() + " has the root directory " + root));
    }
}
