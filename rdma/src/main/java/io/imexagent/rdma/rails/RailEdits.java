package io.imexagent.rdma.rails;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimEdits.ClaimFile;
import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.core.claim.ClaimEdits.Edits;
import io.imexagent.core.claim.ClaimEdits.Hook;
import io.imexagent.core.claim.ClaimEdits.Interface;
import io.imexagent.core.claim.ClaimEdits.Mount;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.watch.RdmaView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The changes to containers of a claim: nodes, environment, interfaces, the topology file, the hook. Pure. */
record RailEdits(List<Rail> rails, RailConfig config, RdmaView view, NetdevSupport netdev) {

    /** The path in containers of the file with variables that the pod may override. */
    private static final String NCCL_CONF = "/run/imex-agent/nccl.conf";

    private static final String GID_INDEX = "NCCL_IB_GID_INDEX";

    ClaimEdits of(ClaimUid claim) {
        var devices = new TreeMap<String, ClaimEdits.DeviceEdits>();
        for (Rail rail : rails) {
            devices.put(
                    RailDriver.cdiDevice(claim, rail.deviceName()),
                    new ClaimEdits.DeviceEdits(
                            rail.nic().name().text(),
                            new Edits(nodes(rail), List.of(), interfaces(rail), List.of(), List.of())));
        }
        List<String> variables = variables().entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .toList();
        // NCCL reads NAME=value from the file, and sets variables that are not set (setEnvFile in src/misc/param.cc).
        RailConfig.EnvironmentMode how =
                config.env().orElseGet(() -> PodVariables.of(view).defaultMode());
        return how == RailConfig.EnvironmentMode.ALWAYS || variables.isEmpty()
                ? new ClaimEdits(shared(variables), devices)
                : new ClaimEdits(
                        shared(List.of("NCCL_CONF_FILE=" + NCCL_CONF)),
                        devices,
                        Optional.of(new ClaimFile(NCCL_CONF, variables)));
    }

    /** The interface keeps its name, by which people and NCCL_SOCKET_IFNAME refer to it. */
    private List<Interface> interfaces(Rail rail) {
        return rail.nic().interfaceName().stream()
                .filter(name -> config.movesInterfaces())
                .map(name -> new Interface(name.text(), name.text()))
                .toList();
    }

    private List<DeviceNodeEdits> nodes(Rail rail) {
        Stream<DeviceNodeEdits> management =
                view.inventory().management().getOrDefault(rail.nic().name().text(), List.of()).stream()
                        .filter(node -> (config.umad() && node.name().startsWith("umad"))
                                || (config.issm() && node.name().startsWith("issm")));
        return Stream.concat(Stream.of(rail.uverbs()), management).toList();
    }

    private Edits shared(List<String> environment) {
        List<DeviceNodeEdits> nodes = view.inventory().rdmaCm().stream().toList();
        List<Mount> mounts =
                hostTopology().stream().map(path -> new Mount(path, path)).toList();
        return new Edits(nodes, environment, List.of(), mounts, hooks());
    }

    /**
     * The hook sets ARP up in the container's namespace, since the kernel resets it when an interface changes its
     * namespace.
     */
    private List<Hook> hooks() {
        List<String> moved = rails.stream()
                .flatMap(rail -> interfaces(rail).stream())
                .map(Interface::inContainer)
                .toList();
        return netdev instanceof NetdevSupport.Supported(String hook) && !moved.isEmpty()
                ? List.of(new Hook("createRuntime", hook, moved))
                : List.of();
    }

    private Map<String, String> variables() {
        var variables = new LinkedHashMap<String, String>();
        config.hca()
                .or(() -> config.nccl() ? Rail.ncclIbHca(rails) : Optional.empty())
                .ifPresent(value -> variables.put("NCCL_IB_HCA", value));
        config.gidIndex()
                .ifPresentOrElse(index -> variables.put(GID_INDEX, Integer.toString(index)), () -> hostGids(variables));
        config.topologyFile().or(this::hostTopology).ifPresent(file -> variables.put("NCCL_TOPO_FILE", file));
        variables.putAll(config.debug());
        return variables;
    }

    /**
     * Adds the variables about GIDs, only if the interfaces stay on the host: after a move, the kernel puts an
     * interface's GIDs into unpredictable slots ({@code drivers/infiniband/core/roce_gid_mgmt.c}).
     */
    private void hostGids(Map<String, String> variables) {
        if (config.nccl() && !config.movesInterfaces()) {
            Optional<Integer> index = view.settings().ncclGidIndex() ? Rail.ncclGidIndex(rails) : Optional.empty();
            index.ifPresentOrElse(
                    same -> variables.put(GID_INDEX, Integer.toString(same)),
                    () -> Rail.ncclAddressFamily(rails)
                            .ifPresent(family -> variables.put("NCCL_IB_ADDR_FAMILY", family)));
        }
    }

    private Optional<String> hostTopology() {
        return config.nccl() && config.hostTopology() && config.topologyFile().isEmpty()
                ? view.topologyFile()
                : Optional.empty();
    }
}
