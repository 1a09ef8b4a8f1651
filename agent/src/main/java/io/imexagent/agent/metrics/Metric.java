package io.imexagent.agent.metrics;

import static io.imexagent.agent.metrics.Metric.MetricType.COUNTER;
import static io.imexagent.agent.metrics.Metric.MetricType.GAUGE;
import static io.imexagent.agent.metrics.Metric.MetricType.HISTOGRAM;
import static io.imexagent.agent.metrics.Metric.MetricType.INFO;
import static io.imexagent.agent.metrics.Metric.MetricType.SUMMARY;

import java.util.List;
import java.util.Locale;

/**
 * All metrics of the agent itself; the reference in the documentation is generated from this list. A name is {@code
 * imex_agent_} and the constant in lower case; constants of the public driver's metrics are the whole name.
 */
enum Metric {
    NVIDIA_DRA_REQUESTS_TOTAL(COUNTER, "Requests of the kubelet that succeeded.", "driver", "operation"),
    NVIDIA_DRA_REQUEST_DURATION_SECONDS(
            HISTOGRAM, "Duration of requests that succeeded, in seconds.", "driver", "operation"),
    NVIDIA_DRA_REQUESTS_INFLIGHT(GAUGE, "Requests that are being worked on.", "driver", "operation"),
    NVIDIA_DRA_PREPARED_DEVICES(GAUGE, "Devices that are prepared.", "node", "driver", "device_type"),
    NVIDIA_DRA_NODE_PREPARE_ERRORS_TOTAL(
            COUNTER, "Claims that were not prepared, by the code of the refusal.", "driver", "error_type"),
    NVIDIA_DRA_NODE_UNPREPARE_ERRORS_TOTAL(
            COUNTER, "Claims that were not unprepared, by the code of the refusal.", "driver", "error_type"),
    CLAIMS_ENDED_AS_GONE_TOTAL(
            COUNTER,
            "Prepared claims that were ended without the kubelet, since the API server had not known them for half"
                    + " an hour.",
            "driver"),
    CLAIMS_TAKEN_OVER(
            GAUGE,
            "Prepared claims that were taken over from the kubelet's record, their CDI specs and the API server, since"
                    + " the checkpoint was missing.",
            "driver"),
    CDI_SPECS_RESTORED_TOTAL(
            COUNTER,
            "CDI specs of prepared claims that were written again, since another process had removed or changed them.",
            "driver"),
    HOLDS(
            GAUGE,
            "ComputeDomains whose channels this node holds with isolation IMEXChannel: used by its claims, or kept"
                    + " until the node reboots, since no checkpoint knows who uses them.",
            "state"),
    HOLDS_UNWRITTEN(GAUGE, "1 while the node's NVLinkNode does not say what the node holds, 0 otherwise."),
    CLIQUES_LEFT(
            GAUGE, "Cliques that the node has left while its containers use channels of them; it gets no new ones."),
    CHANNEL_CONFLICTS(
            GAUGE,
            "ComputeDomains whose containers on this node use a channel that the clique's table gives to another, or"
                    + " another channel than the table has for them; it gives them no more."),
    FAILED_REQUESTS_TOTAL(
            COUNTER,
            "Requests of the kubelet in which a claim failed, by the code of the first refusal.",
            "operation",
            "code"),
    BUILD_INFO(INFO, "1, with the version of the agent and the commit it was built from.", "version", "commit"),
    MODE(GAUGE, "1 for the mode in which the agent runs.", "mode"),
    GPUS(GAUGE, "GPUs of the node by name.", "name"),
    CLIQUE_INFO(INFO, "1, with the NVLink clique of the node; absent without one.", "clique"),
    CLIQUE_STATE(GAUGE, "1 for the state of the NVLink clique.", "state"),
    CHANNEL_MAJOR(GAUGE, "Device major of IMEX channels; absent while there is none."),
    FINDINGS(GAUGE, "1 for each current finding.", "code", "severity"),
    SIMULATED(GAUGE, "1 while `nvml.simulate` takes NVML's place, 0 while NVML is the driver's."),
    INVENTORY_AGE_SECONDS(GAUGE, "Age of the inventory, in seconds."),
    INVENTORY_INTERVAL_SECONDS(
            GAUGE, "How often the node and its RDMA devices are read, as `inventory.interval` has it, in seconds."),
    INVENTORY_CHANGES_TOTAL(COUNTER, "Changes of the inventory."),
    PUBLICATION_STATE(GAUGE, "1 for the state of publication, 0 for the others.", "driver", "state"),
    PUBLISHED_DEVICES(GAUGE, "Devices that are published.", "driver"),
    PUBLICATION_ACTIONS_TOTAL(COUNTER, "Calls that publication made.", "driver", "action"),
    PUBLICATION_FAILURES_TOTAL(COUNTER, "Calls of publication that failed.", "driver", "kind"),
    REGISTRATION_STATE(GAUGE, "1 for the state of registration with the kubelet, 0 for the others.", "driver", "state"),
    REGISTRATION_FAILURES_TOTAL(COUNTER, "Registrations that the kubelet rejected."),
    CONNECTIONS_REFUSED_TOTAL(
            COUNTER, "Refused connections to the agent's sockets, of users other than root and" + " `kubelet.uid`."),
    SOCKETS_RESTORED_TOTAL(COUNTER, "Vanished sockets that were created again."),
    HEALTH_STREAMS(GAUGE, "Open streams of device health.", "driver"),
    API_UP(GAUGE, "1 while the API server answers, 0 while it does not; absent before the first call."),
    API_REQUESTS_TOTAL(COUNTER, "Calls to the API server by outcome.", "verb", "resource", "outcome"),
    API_REQUEST_DURATION_SECONDS(SUMMARY, "Duration of calls to the API server, in seconds.", "verb", "resource"),
    API_UNREADABLE_OBJECTS(
            GAUGE,
            "Objects that are watched and cannot be read: 1 for each of the first ten of a resource, and how many"
                    + " `others`.",
            "resource",
            "object",
            "reason"),
    IMEX_DAEMON_STATE(GAUGE, "1 for the state of the host's nvidia-imex daemon, 0 for the others.", "state"),
    IMEX_DOMAIN_STATE(
            GAUGE,
            "1 for the state of the IMEX domain, 0 for the others; `unknown` where nvidia-imex does not report it.",
            "state"),
    IMEX_NOTES(
            GAUGE,
            "What else an operator should know of nvidia-imex on the node, such as a file of nodes that is newer than the"
                    + " daemon; `imex-agent health` says what."),
    IMEX_NODES_FILE_CHANGED(
            GAUGE,
            "1 where the running nvidia-imex started with another `nodes_config.cfg` than the host has now (note"
                    + " `nodes-file-changed` of `imex-agent health`), else 0; absent where nvidia-imex has nothing to do."),
    IMEX_NODES(GAUGE, "Nodes of the IMEX domain by the state of their daemon.", "state"),
    IMEX_CONNECTIONS(GAUGE, "Connections between nodes of the IMEX domain, in either direction, by state.", "state"),
    IMEX_LAST_CHECK_TIMESTAMP_SECONDS(
            GAUGE, "Time of the last answer of nvidia-imex, in seconds since 1970; absent before the first."),
    IMEX_CHECK_INTERVAL_SECONDS(
            GAUGE, "How often nvidia-imex is looked at, as `imex.health.interval` has it, in seconds."),
    IMEX_CHECK_DURATION_SECONDS(SUMMARY, "Duration of readings of nvidia-imex, in seconds."),
    IMEX_CHECK_FAILURES_TOTAL(COUNTER, "Readings of nvidia-imex that failed, by the code of the verdict.", "reason"),
    GPU_FABRIC_STATE(GAUGE, "1 for the state of a GPU's registration with the NVLink fabric.", "gpu", "state"),
    GPU_FABRIC_HEALTH(
            GAUGE,
            "1 for what a bit of a GPU's fabric health mask says; absent for what the GPU does not tell.",
            "gpu",
            "bit",
            "value"),
    GPU_FABRIC_OVERALL_HEALTH(
            GAUGE,
            "1 for NVML's summary of a GPU's fabric health, `other` for one without a name; absent with drivers that"
                    + " have none.",
            "gpu",
            "summary"),
    GPU_RECOVERY_ACTION(
            GAUGE,
            "1 for the recovery action that a GPU needs, `none` for one that is well, `other` for one without a name.",
            "gpu",
            "action"),
    GPU_XID_ERRORS_TOTAL(
            COUNTER, "Xids that GPUs reported while the agent listened; numbers above 255 are `other`.", "gpu", "xid"),
    GPU_EVENTS_HEARD(GAUGE, "1 while events of GPUs, such as Xids, are listened for."),
    WORKER_QUEUE(GAUGE, "Tasks that wait for a worker.", "worker"),
    WORKER_TASK_SECONDS(SUMMARY, "Duration of tasks of a worker, in seconds.", "worker"),
    WORKER_REJECTED_TOTAL(COUNTER, "Tasks that a full worker turned away.", "worker"),
    WORKER_BUSY_SECONDS(
            GAUGE, "How long a worker's present task has been running, in seconds; 0 while it is idle.", "worker"),
    RDMA_NICS(GAUGE, "RDMA NICs of the node by what they are for.", "class"),
    RDMA_RAILS(GAUGE, "RDMA NICs that are offered to containers."),
    RDMA_PUBLISHED(
            GAUGE,
            "RDMA NICs that are published, by state (up, down, withdrawn) and by whether a claim holds them.",
            "held",
            "state"),
    RDMA_DROPPED_NICS(GAUGE, "RDMA NICs that are not offered, by the rule that drops them.", "rule"),
    RDMA_PORTS(GAUGE, "Ports of RDMA devices.", "link_layer", "state"),
    RDMA_GPUDIRECT(GAUGE, "1 for the way in which NICs reach GPUs.", "method"),
    RDMA_FINDINGS(GAUGE, "1 for each current finding about RDMA NICs.", "code", "severity"),
    RDMA_AGE_SECONDS(GAUGE, "Age of the reading of the RDMA devices, in seconds."),
    RDMA_SCAN_SECONDS(SUMMARY, "Duration of readings of the RDMA devices, in seconds."),
    RDMA_SCAN_FAILURES_TOTAL(COUNTER, "Readings of the RDMA devices that failed."),
    NVIDIA_DRA_COMPUTE_DOMAIN_INFO(GAUGE, "ComputeDomains by their status; of a controller.", "status"),
    CONTROLLER_CLIQUES(GAUGE, "Cliques; only with isolation IMEXChannel."),
    CONTROLLER_CHANNELS(
            GAUGE,
            "Channels of all cliques together that are used, or free; only with isolation IMEXChannel.",
            "state"),
    CONTROLLER_CHANNELS_FREE_LEAST(
            GAUGE, "Free channels of the clique that has the fewest; only with isolation IMEXChannel."),
    CONTROLLER_CLIQUE_LIMIT(
            GAUGE,
            "The ImexChannelCount of the node that has the fewest channels of its clique, where others have more; only with"
                    + " isolation IMEXChannel.",
            "clique",
            "limited_by"),
    CONTROLLER_PROVEN_PAIRS(
            GAUGE,
            "Pairs of nodes of a clique, importer and exporter, by what the recorded fabric test proves of them:"
                    + " proven, failed, timeout, not_tried, stale.",
            "state"),
    CONTROLLER_CONTRADICTED_PAIRS(
            GAUGE,
            "Pairs whose import failed in their last two runs of the fabric test while nvidia-imex called both nodes"
                    + " connected."),
    CONTROLLER_CHANNEL_CONFLICTS(
            GAUGE, "Channels that a node uses for one ComputeDomain while the clique's table gives them to another."),
    CONTROLLER_NODES_FILE_FAULTS(
            GAUGE,
            "Cliques whose `nodes_config.cfg` files have this fault; `imex-agent cliques` says on which nodes. Only from the"
                    + " leading controller.",
            "fault"),
    CONTROLLER_LOST_HOLDS(GAUGE, "Holds of nodes that are gone or not ready; only from the leading controller."),
    CONTROLLER_CHANNEL_SHARED(
            GAUGE, "Cliques in which several ComputeDomains use channel 0 at once, as isolation None lets them."),
    CONTROLLER_NODES_DIFFERING(
            GAUGE,
            "Nodes whose agent is of another mode than this controller (it observes), or serves with another isolation;"
                    + " an agent of a version that does not say counts for neither.",
            "what"),
    CONTROLLER_RECONCILE_SECONDS(SUMMARY, "Duration of completed reconciliations, in seconds."),
    CONTROLLER_RECONCILE_ERRORS_TOTAL(COUNTER, "Reconciliations that failed, by the kind of failure.", "kind"),
    CONTROLLER_QUEUE(GAUGE, "ComputeDomains, cliques and nodes that wait to be worked on."),
    CONTROLLER_LEADER(GAUGE, "1 while this controller leads.");

    final String series;

    final MetricType kind;
    final String help;

    @SuppressWarnings("ImmutableEnumChecker") // the list is a copy that nobody can change
    final List<String> labels;

    Metric(MetricType kind, String help, String... labels) {
        String name = name().toLowerCase(Locale.ROOT);
        this.series = name.startsWith("nvidia_dra_") ? name : "imex_agent_" + name;
        this.kind = kind;
        this.help = help;
        this.labels = List.of(labels);
    }

    /** An info is 1, with informative labels; a histogram and a summary are durations, with and without buckets. */
    enum MetricType {
        COUNTER,
        GAUGE,
        INFO,
        HISTOGRAM,
        SUMMARY
    }
}
