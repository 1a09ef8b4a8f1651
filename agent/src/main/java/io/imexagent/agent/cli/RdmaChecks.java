package io.imexagent.agent.cli;

import io.imexagent.agent.cli.CheckSource.Check;
import io.imexagent.agent.cli.CheckSource.Verdict;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.rdma.RdmaView;
import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.dra.NetdevSupport;
import io.imexagent.rdma.inventory.GpuDirect;
import io.imexagent.rdma.inventory.NetnsMode;
import io.imexagent.rdma.selection.PeerDifference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What must be so before RDMA NICs can be handed to containers. */
final class RdmaChecks {

    private RdmaChecks() {}

    static List<Check> of(
            RdmaView view, AgentConfig.Rdma config, Optional<NetdevSupport> netdev, Optional<RdmaPeer> peer) {
        List<Check> checks = new ArrayList<>();
        checks.add(enabled(config.enabled()));
        checks.add(rails(view));
        checks.add(gpuDirect(view.inventory().gpuDirect()));
        checks.add(netnsMode(view.inventory().netnsMode()));
        netdev.ifPresent(support -> checks.add(netdev(support)));
        peer.ifPresent(one -> checks.add(peer(one.difference(view, config))));
        view.selection().findings().forEach(finding -> checks.add(finding(finding)));
        return checks;
    }

    private static Check enabled(boolean on) {
        return on
                ? ok("enabled", "rdma.enabled is on")
                : new Check(
                        "enabled",
                        Verdict.WARNING,
                        "rdma.enabled is off: the agent publishes none of these NICs",
                        Optional.of("set rdma.enabled to true and start the agent anew"));
    }

    private static Check rails(RdmaView view) {
        int rails = view.selection().rails().size();
        int all = view.inventory().nics().size();
        return rails > 0
                ? ok(
                        "rails",
                        rails + " of " + all + " NICs are offered: "
                                + RdmaText.labels(view.selection().rails()))
                : new Check(
                        "rails",
                        Verdict.FAILURE,
                        all == 0 ? "this node has no RDMA NIC" : "none of the " + all + " NICs is offered",
                        Optional.of(
                                all == 0
                                        ? "load the NIC's driver (mlx5_core, mlx5_ib), or set rdma.enabled to false"
                                        : "'imex-agent rdma show' tells the reason of each"));
    }

    private static Check gpuDirect(GpuDirect verdict) {
        String message = verdict.text() + ": " + verdict.reason();
        return switch (verdict) {
            case GpuDirect.DmaBuf dmaBuf -> ok("gpudirect", message);
            case GpuDirect.Peermem peermem -> ok("gpudirect", message);
            case GpuDirect.None none ->
                new Check(
                        "gpudirect",
                        Verdict.WARNING,
                        message,
                        Optional.of("use the driver's open kernel modules on kernel 5.12 or later, or load"
                                + " nvidia_peermem; until then data goes through the host's memory"));
        };
    }

    private static Check netnsMode(NetnsMode mode) {
        return switch (mode) {
            case NetnsMode.Shared shared -> ok("netns-mode", "shared: containers see the devices that they are given");
            case NetnsMode.Exclusive exclusive ->
                new Check(
                        "netns-mode",
                        Verdict.WARNING,
                        "exclusive: an RDMA device is seen in one network namespace only, and no container sees it",
                        Optional.of("rdma system set netns shared, before any network namespace is made"));
            case NetnsMode.Unknown unknown ->
                new Check("netns-mode", Verdict.WARNING, unknown.reason(), Optional.of("load the module ib_core"));
        };
    }

    private static Check netdev(NetdevSupport support) {
        return switch (support) {
            case NetdevSupport.Supported supported ->
                ok("netdev", "the container runtime can move interfaces, with the hook " + supported.hook());
            case NetdevSupport.Unsupported unsupported ->
                new Check(
                        "netdev",
                        Verdict.WARNING,
                        "claims with mode Netdev are refused: " + unsupported.reason(),
                        Optional.of("mend that, or take rdma.runtime out where no claim has mode Netdev"));
        };
    }

    private static Check peer(PeerDifference difference) {
        return difference.isNone()
                ? ok("peer", "this node and the peer have the same rails")
                : new Check(
                        "peer",
                        Verdict.FAILURE,
                        "the rails differ: only here " + names(difference.onlyHere()) + "; only at the peer "
                                + names(difference.onlyThere()),
                        Optional.of("make the same NICs usable on both, or set rdma.peer on both to those that both"
                                + " have; ranks with different NICs block each other in the first collective"));
    }

    private static String names(Collection<String> names) {
        return names.isEmpty() ? "none" : String.join(",", names);
    }

    private static Check finding(Finding finding) {
        Verdict verdict = switch (finding.severity()) {
            case INFO -> Verdict.OK;
            case WARNING -> Verdict.WARNING;
            case ERROR -> Verdict.FAILURE;
        };
        return new Check(finding.code(), verdict, finding.message(), Optional.of(finding.remedy()));
    }

    private static Check ok(String name, String message) {
        return new Check(name, Verdict.OK, message, Optional.empty());
    }
}
