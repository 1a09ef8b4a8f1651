package io.imexagent.imex.setting;

import io.imexagent.core.policy.Isolation;
import io.imexagent.core.setting.Setting;
import io.imexagent.core.setting.Value;
import io.imexagent.imex.gate.ImexServiceSettings;
import io.imexagent.imex.health.ImexWatchSettings;
import io.imexagent.imex.prepare.CliqueMissing;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.prepare.Sharing;
import io.imexagent.kubernetes.clique.ChannelTable;
import java.util.Optional;
import java.util.OptionalInt;

/** The settings for IMEX channels and for the supervision of the host's nvidia-imex (the section {@code imex}). */
public record ImexSettings(
        @Setting("How workloads on one IMEX domain are kept apart; ignored while HostManagedIMEX is off.")
        @Value(unset = "must be set under HostManagedIMEX", example = "None", flag = "--isolation")
        Optional<Isolation> isolation,

        @Setting("With `IMEXChannel`, how many channels there are in a clique: from 1 to one less, they are bound"
                + " to ComputeDomains, as far as the driver of each of its nodes has them"
                + " (`NVreg_ImexChannelCount`).")
        @Value(preset = "" + ServingPolicy.USUAL_CHANNELS, noun = "a number of channels", range = "2..256")
        int channels,

        @Setting("With `IMEXChannel`, how many channels of a clique the ComputeDomains of one namespace may have"
                + " at the same time.")
        @Value(unset = "as many as `imex.channels`", example = "16", noun = "a number of channels", range = "1..256")
        OptionalInt channelsPerNamespace,

        @Setting("With `IMEXChannel`, how many claims may have a channel of this node at the same time, where the"
                + " cluster lacks DRAConsumableCapacity (before Kubernetes 1.36); elsewhere there is no limit.")
        @Value(preset = "" + ServingPolicy.USUAL_PLACES, noun = "a number of devices", range = "1..64")
        int places,

        @Setting("Which claims may hold one channel of a node at the same time: `Domain` lets several pods of one"
                + " ComputeDomain run on it, with `None` isolation where the cluster has DRAConsumableCapacity;"
                + " `None` lets one.")
        @Value(unset = "`Domain` with `IMEXChannel`, `None` with `None`", example = "Domain")
        Optional<Sharing> sharing,

        @Setting("What becomes of claims on a node all of whose GPUs report that they support no NVLink fabric: they"
                + " are refused, or prepared without a channel, so that one workload runs on nodes of both kinds.")
        @Value(preset = "Refuse")
        CliqueMissing cliqueMissing,

        ImexWatchSettings health,
        ImexServiceSettings service) {

    /** The number of channels of a clique, and the number for one namespace. */
    public ChannelTable.Limits limits() {
        return new ChannelTable.Limits(channels, channelsPerNamespace.orElse(channels));
    }

    /** The sharing in force: the operator's choice, or otherwise the default of the isolation. */
    public Sharing sharingInForce() {
        return sharing.orElseGet(() -> isolation.map(Sharing::defaultFor).orElse(Sharing.NONE));
    }
}
