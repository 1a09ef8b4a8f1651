package io.imexagent.agent.metrics;

import java.util.List;

/** Every metric of the agent's own, in one list: names for the meters, and the reference in the documentation. */
public enum MetricCatalogue {
    /** Requests that succeeded, as the public driver counts them. */
    REQUESTS(
            "nvidia_dra_requests_total",
            Kind.COUNTER,
            "Requests of the kubelet that succeeded.",
            "driver",
            "operation"),
    /** How long they took. */
    REQUEST_DURATION(
            "nvidia_dra_request_duration_seconds",
            Kind.HISTOGRAM,
            "Duration of requests that succeeded, in seconds.",
            "driver",
            "operation"),
    /** Requests in flight. */
    REQUESTS_INFLIGHT(
            "nvidia_dra_requests_inflight", Kind.GAUGE, "Requests that are being worked on.", "driver", "operation"),
    /** Prepared devices. */
    PREPARED_DEVICES(
            "nvidia_dra_prepared_devices", Kind.GAUGE, "Devices that are prepared.", "node", "driver", "device_type"),
    /** Failed prepares by reason. */
    PREPARE_ERRORS(
            "nvidia_dra_node_prepare_errors_total",
            Kind.COUNTER,
            "Claims that were not prepared, by the code of the refusal.",
            "driver",
            "error_type"),
    /** Failed unprepares by reason. */
    UNPREPARE_ERRORS(
            "nvidia_dra_node_unprepare_errors_total",
            Kind.COUNTER,
            "Claims that were not unprepared, by the code of the refusal.",
            "driver",
            "error_type"),
    /** Failed requests. */
    FAILED_REQUESTS(
            "imex_agent_failed_requests_total",
            Kind.COUNTER,
            "Requests of the kubelet in which a claim failed, by the code of the first refusal.",
            "operation",
            "code"),
    /** The build. */
    BUILD_INFO("imex_agent_build_info", Kind.INFO, "1, with the version of the agent.", "version"),
    /** What the agent does. */
    MODE("imex_agent_mode", Kind.GAUGE, "1 for the mode in which the agent runs.", "mode"),
    /** GPUs. */
    GPUS("imex_agent_gpus", Kind.GAUGE, "GPUs of the node by name.", "name"),
    /** The clique. */
    CLIQUE("imex_agent_clique_info", Kind.INFO, "1, with the NVLink clique of the node; absent without one.", "clique"),
    /** The clique's state. */
    CLIQUE_STATE("imex_agent_clique_state", Kind.GAUGE, "1 for the state of the NVLink clique.", "state"),
    /** The channel major. */
    CHANNEL_MAJOR("imex_agent_channel_major", Kind.GAUGE, "Device major of IMEX channels; absent while there is none."),
    /** Findings. */
    FINDINGS("imex_agent_findings", Kind.GAUGE, "1 for each finding that stands.", "code", "severity"),
    /** The inventory's age. */
    INVENTORY_AGE("imex_agent_inventory_age_seconds", Kind.GAUGE, "Age of the inventory, in seconds."),
    /** The inventory's changes. */
    INVENTORY_CHANGES("imex_agent_inventory_changes_total", Kind.COUNTER, "Changes of the inventory."),
    /** Publication. */
    PUBLICATION_STATE(
            "imex_agent_publication_state",
            Kind.GAUGE,
            "1 for the state of publication, 0 for the others.",
            "driver",
            "state"),
    /** Published devices. */
    PUBLISHED_DEVICES("imex_agent_published_devices", Kind.GAUGE, "Devices that are published.", "driver"),
    /** Publication's calls. */
    PUBLICATION_ACTIONS(
            "imex_agent_publication_actions_total", Kind.COUNTER, "Calls that publication made.", "driver", "action"),
    /** Publication's failures. */
    PUBLICATION_FAILURES(
            "imex_agent_publication_failures_total",
            Kind.COUNTER,
            "Calls of publication that failed.",
            "driver",
            "kind"),
    /** Registration. */
    REGISTRATION_STATE(
            "imex_agent_registration_state",
            Kind.GAUGE,
            "1 for the state of registration with the kubelet, 0 for the others.",
            "driver",
            "state"),
    /** Rejected registrations. */
    REGISTRATION_FAILURES(
            "imex_agent_registration_failures_total", Kind.COUNTER, "Registrations that the kubelet rejected."),
    /** Refused connections. */
    CONNECTIONS_REFUSED(
            "imex_agent_connections_refused_total",
            Kind.COUNTER,
            "Connections to the agent's sockets by users who may not."),
    /** Sockets that came back. */
    SOCKETS_RESTORED("imex_agent_sockets_restored_total", Kind.COUNTER, "Times that vanished sockets were made again."),
    /** Health streams. */
    HEALTH_STREAMS("imex_agent_health_streams", Kind.GAUGE, "Open streams of device health.", "driver"),
    /** The API server. */
    API_UP(
            "imex_agent_api_up",
            Kind.GAUGE,
            "1 while the API server answers, 0 while it does not; absent before the first call."),
    /** Calls to the API server. */
    API_REQUESTS(
            "imex_agent_api_requests_total",
            Kind.COUNTER,
            "Calls to the API server by outcome.",
            "verb",
            "resource",
            "outcome"),
    /** How long they took. */
    API_DURATION(
            "imex_agent_api_request_duration_seconds",
            Kind.SUMMARY,
            "Duration of calls to the API server, in seconds.",
            "verb",
            "resource"),
    /** The daemon of nvidia-imex. */
    IMEX_DAEMON_STATE(
            "imex_agent_imex_daemon_state",
            Kind.GAUGE,
            "1 for the state of the host's nvidia-imex daemon, 0 for the others.",
            "state"),
    /** The IMEX domain. */
    IMEX_DOMAIN_STATE(
            "imex_agent_imex_domain_state",
            Kind.GAUGE,
            "1 for the state of the IMEX domain, 0 for the others; `not_told` while nobody tells.",
            "state"),
    /** Nodes of the IMEX domain. */
    IMEX_NODES("imex_agent_imex_nodes", Kind.GAUGE, "Nodes of the IMEX domain by the state of their daemon.", "state"),
    /** Connections of the IMEX domain. */
    IMEX_CONNECTIONS(
            "imex_agent_imex_connections",
            Kind.GAUGE,
            "Connections between nodes of the IMEX domain, in either direction, by state.",
            "state"),
    /** The last look at nvidia-imex that told. */
    IMEX_LAST_CHECK(
            "imex_agent_imex_last_check_timestamp_seconds",
            Kind.GAUGE,
            "When a look at nvidia-imex last brought an answer, in seconds since 1970; absent before the first."),
    /** How long looks take. */
    IMEX_CHECK_DURATION(
            "imex_agent_imex_check_duration_seconds", Kind.SUMMARY, "Duration of looks at nvidia-imex, in seconds."),
    /** Looks that did not tell. */
    IMEX_CHECK_FAILURES(
            "imex_agent_imex_check_failures_total",
            Kind.COUNTER,
            "Looks at nvidia-imex that did not tell how it is, by the code of the verdict.",
            "reason"),
    /** A GPU's place in the fabric. */
    GPU_FABRIC_STATE(
            "imex_agent_gpu_fabric_state",
            Kind.GAUGE,
            "1 for the state of a GPU's registration with the NVLink fabric.",
            "gpu",
            "state"),
    /** The fabric's health mask. */
    GPU_FABRIC_HEALTH(
            "imex_agent_gpu_fabric_health",
            Kind.GAUGE,
            "1 for what a bit of a GPU's fabric health mask says; absent for what the GPU does not tell.",
            "gpu",
            "bit",
            "value"),
    /** The driver's sum of it. */
    GPU_FABRIC_SUMMARY(
            "imex_agent_gpu_fabric_health_summary",
            Kind.GAUGE,
            "1 for NVML's own sum of a GPU's fabric health; absent with drivers that have none.",
            "gpu",
            "summary"),
    /** What a GPU needs. */
    GPU_RECOVERY_ACTION(
            "imex_agent_gpu_recovery_action",
            Kind.GAUGE,
            "1 for the action that would bring a GPU back to health, `none` for one that is well.",
            "gpu",
            "action"),
    /** Xids. */
    GPU_XIDS(
            "imex_agent_gpu_xid_errors_total",
            Kind.COUNTER,
            "Xids that GPUs reported while the agent listened; numbers above 255 are `other`.",
            "gpu",
            "xid"),
    /** Whether Xids are heard. */
    GPU_EVENTS_HEARD(
            "imex_agent_gpu_events_heard", Kind.GAUGE, "1 while events of GPUs, such as Xids, are listened for."),
    /** Waiting tasks. */
    LANE_QUEUE("imex_agent_lane_queue", Kind.GAUGE, "Tasks that wait in a lane.", "lane"),
    /** Ended tasks. */
    LANE_TASKS("imex_agent_lane_task_seconds", Kind.SUMMARY, "Duration of tasks of a lane, in seconds.", "lane"),
    /** Rejected tasks. */
    LANE_REJECTED("imex_agent_lane_rejected_total", Kind.COUNTER, "Tasks that a full lane turned away.", "lane"),
    /** A lane that hangs. */
    LANE_BUSY(
            "imex_agent_lane_busy_seconds",
            Kind.GAUGE,
            "How long a lane's present task has been running, in seconds; 0 while it is idle.",
            "lane"),
    /** NICs. */
    RDMA_NICS("imex_agent_rdma_nics", Kind.GAUGE, "RDMA NICs of the node by what they are for.", "class"),
    /** Rails. */
    RDMA_RAILS("imex_agent_rdma_rails", Kind.GAUGE, "RDMA NICs that are offered to containers."),
    /** Rails that are published. */
    RDMA_PUBLISHED(
            "imex_agent_rdma_published",
            Kind.GAUGE,
            "RDMA NICs that are published, by how they are (up, down, withdrawn) and whether a claim holds them.",
            "held",
            "state"),
    /** NICs that are not offered. */
    RDMA_DROPPED(
            "imex_agent_rdma_dropped_nics",
            Kind.GAUGE,
            "RDMA NICs that are not offered, by the rule that drops them.",
            "rule"),
    /** Ports. */
    RDMA_PORTS("imex_agent_rdma_ports", Kind.GAUGE, "Ports of RDMA devices.", "link_layer", "state"),
    /** GPUDirect. */
    RDMA_GPU_DIRECT("imex_agent_rdma_gpudirect", Kind.GAUGE, "1 for the way in which NICs reach GPUs.", "method"),
    /** Findings about NICs. */
    RDMA_FINDINGS(
            "imex_agent_rdma_findings",
            Kind.GAUGE,
            "1 for each finding about RDMA NICs that stands.",
            "code",
            "severity"),
    /** How old the view is. */
    RDMA_AGE("imex_agent_rdma_age_seconds", Kind.GAUGE, "Age of the reading of the RDMA devices, in seconds."),
    /** Readings. */
    RDMA_SCAN("imex_agent_rdma_scan_seconds", Kind.SUMMARY, "Duration of readings of the RDMA devices, in seconds."),
    /** Readings that failed. */
    RDMA_SCAN_FAILURES(
            "imex_agent_rdma_scan_failures_total", Kind.COUNTER, "Readings of the RDMA devices that failed."),
    /** ComputeDomains, as the public controller counts them. */
    COMPUTE_DOMAINS(
            "nvidia_dra_compute_domain_info", Kind.GAUGE, "ComputeDomains by their status; of a controller.", "status"),
    /** Channels. */
    CONTROLLER_CHANNELS(
            "imex_agent_controller_channels",
            Kind.GAUGE,
            "Channels of the cluster that are used, rest after use, or are free; of a controller with isolation.",
            "state"),
    /** Reconciliations. */
    CONTROLLER_RECONCILES(
            "imex_agent_controller_reconcile_seconds",
            Kind.SUMMARY,
            "Duration of reconciliations that came to rest, in seconds."),
    /** Failed reconciliations. */
    CONTROLLER_ERRORS(
            "imex_agent_controller_reconcile_errors_total",
            Kind.COUNTER,
            "Reconciliations that failed, by the kind of failure.",
            "kind"),
    /** Queue. */
    CONTROLLER_QUEUE("imex_agent_controller_queue", Kind.GAUGE, "ComputeDomains that wait to be worked on."),
    /** Leadership. */
    CONTROLLER_LEADER("imex_agent_controller_leader", Kind.GAUGE, "1 while this controller is the one that works."),
    /** Memory. */
    RESIDENT_MEMORY("process_resident_memory_bytes", Kind.GAUGE, "Resident memory of the process, in bytes.");

    private final String metric;
    private final Kind kind;
    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // the list is a copy that nobody can change
    private final List<String> labels;

    MetricCatalogue(String metric, Kind kind, String help, String... labels) {
        this.metric = metric;
        this.kind = kind;
        this.help = help;
        this.labels = List.of(labels);
    }

    /** The name in Prometheus. */
    public String metric() {
        return metric;
    }

    /** What kind of series it has. */
    public Kind kind() {
        return kind;
    }

    /** What it counts, with its unit. */
    public String help() {
        return help;
    }

    /** Its labels. */
    public List<String> labels() {
        return labels;
    }

    /** The name without the suffix that its kind adds. */
    String base() {
        return switch (kind) {
            case COUNTER -> metric.substring(0, metric.length() - "_total".length());
            case INFO -> metric.substring(0, metric.length() - "_info".length());
            case GAUGE, HISTOGRAM, SUMMARY -> metric;
        };
    }

    /** Kinds of metrics. */
    public enum Kind {
        /** Grows. */
        COUNTER,
        /** Grows and shrinks. */
        GAUGE,
        /** 1, with labels that tell something. */
        INFO,
        /** Durations in buckets. */
        HISTOGRAM,
        /** Count and sum of durations. */
        SUMMARY
    }
}
