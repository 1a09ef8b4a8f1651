package io.imexagent.imex.prepare;

import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.imex.specimen.Parameters;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Everything that can be wrong with a claim or its node, in the order in which prepare asks for it; faults of one step
 * exclude each other.
 */
enum Fault {
    ABORTED(Step.ABORTED, RefusalCode.PREPARE_ABORTED),
    NOT_ALLOCATED(Step.ALLOCATION, RefusalCode.NOT_ALLOCATED),
    CONFIG_BROKEN(Step.DECODING, RefusalCode.CONFIG_INVALID),
    CONFIG_NOT_OPAQUE(Step.DECODING, RefusalCode.CONFIG_INVALID),
    NO_DEVICE(Step.ONE_RESULT, RefusalCode.NO_DEVICE),
    SEVERAL_DEVICES(Step.ONE_RESULT, RefusalCode.SEVERAL_DEVICES),
    CONFIG_OF_ANOTHER_REQUEST(Step.MATCH, RefusalCode.CONFIG_MISSING),
    CHANNEL_CONFIG_FOR_A_DAEMON(Step.KIND, RefusalCode.CONFIG_MISMATCH),
    DAEMON_CONFIG_FOR_A_CHANNEL(Step.KIND, RefusalCode.DAEMON_DISABLED),
    DAEMON_CLAIM(Step.KIND, RefusalCode.DAEMON_DISABLED),
    MODE_ALL(Step.MODE, RefusalCode.ALLOCATION_MODE),
    MODE_UNKNOWN(Step.MODE, RefusalCode.ALLOCATION_MODE),
    FOREIGN_POOL(Step.POOL, RefusalCode.FOREIGN_POOL),
    UNPUBLISHED_CHANNEL(Step.PUBLISHED, RefusalCode.DEVICE_NOT_PUBLISHED),
    CHANNEL_NOT_OFFERED(Step.OFFERED, RefusalCode.DEVICE_NOT_PUBLISHED),
    DOMAIN_DELETING(Step.OWNER, RefusalCode.DOMAIN_DELETING),
    CHANNEL_HELD(Step.CHANNEL, RefusalCode.CHANNEL_HELD),
    DOMAIN_MISSING(Step.DOMAIN, RefusalCode.DOMAIN_NOT_FOUND),
    DOMAIN_ELSEWHERE(Step.DOMAIN, RefusalCode.DOMAIN_NOT_FOUND),
    NO_CLIQUE(Step.CLIQUE, RefusalCode.NO_CLIQUE),
    CLIQUES_DIFFER(Step.CLIQUE, RefusalCode.CLIQUE_CONFLICT),
    FABRIC_REGISTERING(Step.CLIQUE, RefusalCode.FABRIC_NOT_READY),
    FABRIC_FAILED(Step.CLIQUE, RefusalCode.FABRIC_NOT_READY),
    NVML_SILENT(Step.CLIQUE, RefusalCode.FABRIC_NOT_READY),
    CLIQUE_WITHOUT_TABLE(Step.BINDING, RefusalCode.CLIQUE_WITHOUT_TABLE),
    CHANNELS_EXHAUSTED(Step.BINDING, RefusalCode.CHANNELS_EXHAUSTED),
    NAMESPACE_CHANNELS_EXHAUSTED(Step.BINDING, RefusalCode.NAMESPACE_CHANNELS_EXHAUSTED),
    CLIQUE_LEFT(Step.BINDING, RefusalCode.CLIQUE_LEFT),
    CHANNEL_CONFLICT(Step.BINDING, RefusalCode.CHANNEL_CONFLICT),
    HOLD_LOST(Step.BINDING, RefusalCode.HOLD_LOST),
    NO_MAJOR(Step.MAJOR, RefusalCode.NO_CHANNEL_MAJOR),
    MAJOR_UNKNOWN(Step.MAJOR, RefusalCode.NO_CHANNEL_MAJOR);

    /** The questions of prepare, in their order. */
    enum Step {
        ABORTED,
        ALLOCATION,
        DECODING,
        ONE_RESULT,
        MATCH,
        KIND,
        MODE,
        POOL,
        PUBLISHED,
        OFFERED,
        OWNER,
        CHANNEL,
        DOMAIN,
        CLIQUE,
        BINDING,
        MAJOR
    }

    final Step step;
    final RefusalCode code;

    Fault(Step step, RefusalCode code) {
        this.step = step;
        this.code = code;
    }

    void into(Situation s) {
        switch (this) {
            case ABORTED -> s.abortedAt = Optional.of(s.now);
            case NOT_ALLOCATED -> s.allocated = false;
            case CONFIG_BROKEN -> s.moreConfigs.add(ClaimSpecimens.config(Source.FROM_CLASS, Parameters.broken()));
            case CONFIG_NOT_OPAQUE ->
                s.moreConfigs.add(new DeviceConfig(Source.FROM_CLASS, List.of(), Optional.empty()));
            case NO_DEVICE -> s.driver = "gpu.nvidia.com";
            case SEVERAL_DEVICES -> s.copies = 2;
            case CONFIG_OF_ANOTHER_REQUEST -> s.configuredRequests = List.of("another");
            case CHANNEL_CONFIG_FOR_A_DAEMON -> {
                s.daemonConfig = false;
                s.device = "daemon-0";
            }
            case DAEMON_CONFIG_FOR_A_CHANNEL -> {
                s.daemonConfig = true;
                s.device = "channel-0";
            }
            case DAEMON_CLAIM -> {
                s.daemonConfig = true;
                s.device = "daemon-0";
            }
            case MODE_ALL -> s.mode = "All";
            case MODE_UNKNOWN -> s.mode = "foo";
            case FOREIGN_POOL -> s.pool = "node-b";
            case UNPUBLISHED_CHANNEL -> s.device = "channel-" + ServingPolicy.USUAL_CHANNELS;
            case CHANNEL_NOT_OFFERED -> s.isolated(5).bound().offered = 5;
            case DOMAIN_DELETING -> {
                s.isolated(5);
                s.domain = Optional.of(Situation.domain(ClaimSpecimens.NAMESPACE, true));
            }
            case CHANNEL_HELD ->
                s.ledger = s.ledger.with(ClaimSpecimens.completed(
                        ClaimSpecimens.ref("other"), s.bound().channel()));
            case DOMAIN_MISSING -> s.domain = Optional.empty();
            case DOMAIN_ELSEWHERE -> s.domain = Optional.of(Situation.domain("another-team", false));
            case NO_CLIQUE -> s.clique = new CliqueState.NoClique("no GPU");
            case CLIQUES_DIFFER -> s.clique = twoCliques();
            case FABRIC_REGISTERING -> s.clique = new CliqueState.RegisteringClique("GPU 0");
            case FABRIC_FAILED -> s.clique = new CliqueState.FailedClique("GPU 0");
            case NVML_SILENT -> s.clique = new CliqueState.UnknownClique("no answer");
            case CLIQUE_WITHOUT_TABLE,
                    CHANNELS_EXHAUSTED,
                    NAMESPACE_CHANNELS_EXHAUSTED,
                    CLIQUE_LEFT,
                    CHANNEL_CONFLICT,
                    HOLD_LOST -> s.isolated(new Planning.Table(Outcome.refused(code, "there is no channel"), true));
            case NO_MAJOR -> s.major = new ChannelMajor.UnregisteredMajor();
            case MAJOR_UNKNOWN -> s.major = new ChannelMajor.UnknownMajor("cannot read");
        }
    }

    private static CliqueState twoCliques() {
        var cliques = new TreeSet<CliqueId>();
        cliques.add(NodeSpecimens.CLIQUE);
        cliques.add(new CliqueId(NodeSpecimens.CLIQUE.text() + "2"));
        return new CliqueState.ConflictingClique(cliques);
    }
}
