package io.imexagent.agent.config;

import static io.imexagent.agent.config.ConfigKey.path;
import static io.imexagent.agent.config.ConfigKey.span;
import static io.imexagent.agent.config.ConfigKey.toggle;

import io.imexagent.imex.watch.ImexWatchSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The keys of {@code imex.health}, the watch of the host's nvidia-imex. */
final class ImexHealthKeys {

    static final ConfigKey<Boolean> WATCH =
            toggle("imex.health.watch", true, "Whether the host's nvidia-imex is watched; the watch reads only.");

    static final ConfigKey<Duration> INTERVAL = span(
                    "imex.health.interval",
                    Duration.ofSeconds(1),
                    Duration.ofHours(1),
                    Duration.ofSeconds(30),
                    "How often nvidia-imex is looked at while it is well; every 5 s at least while it is on its way, and"
                            + " more seldom while it does not answer.")
            .withReload();

    static final ConfigKey<Duration> TIMEOUT = span(
            "imex.health.timeout",
            Duration.ofMillis(100),
            Duration.ofMinutes(1),
            Duration.ofSeconds(5),
            "How long one question to nvidia-imex may take before it is killed.");

    static final ConfigKey<Path> TOOL =
            path("imex.health.tool", "/usr/bin/nvidia-imex-ctl", "The tool that asks the daemon.");

    static final ConfigKey<Path> SYSTEMCTL = path(
            "imex.health.systemctl",
            "/usr/bin/systemctl",
            "The program that tells the state of `nvidia-imex.service`.");

    static final ConfigKey<Path> CONFIGURATION = path(
            "imex.health.configuration",
            "/etc/nvidia-imex/config.cfg",
            "The daemon's configuration file, as the host names it.");

    static final ConfigKey<Boolean> GATE = toggle(
                    "imex.health.gatePrepare",
                    false,
                    "Whether prepare is refused, for a later try, while the daemon is not ready or the domain is DOWN.")
            .withReload();

    static final ConfigKey<Boolean> TAINT = toggle(
                    "imex.health.taint",
                    false,
                    "Whether devices have the taint `imex.nvidia.com/unhealthy` (NoSchedule) while the daemon is not ready"
                            + " or the domain is DOWN; and `imexagent.io/channel-conflict` (NoExecute) while their"
                            + " channel is another's in a clique that the node was moved into.")
            .withReload();

    static final ConfigKey<Duration> TAINT_AFTER = span(
                    "imex.health.taintAfter",
                    Duration.ZERO,
                    Duration.ofHours(1),
                    Duration.ofMinutes(1),
                    "How long that must last before the taint comes, and how long all must be well before it goes.")
            .withReload();

    static final ConfigKey<Boolean> EVENTS = toggle(
                    "imex.health.nodeEvents",
                    true,
                    "Whether changes of nvidia-imex are told as Events of the Node while the agent serves.")
            .withReload();

    /** All of them, in the order of the file and the reference. */
    static final List<ConfigKey<?>> ALL =
            List.of(WATCH, INTERVAL, TIMEOUT, TOOL, SYSTEMCTL, CONFIGURATION, GATE, TAINT, TAINT_AFTER, EVENTS);

    private ImexHealthKeys() {}

    /** The section of a configuration. */
    static ImexWatchSettings section(AgentConfig config) {
        return new ImexWatchSettings(
                config.get(WATCH),
                config.get(INTERVAL),
                config.get(TIMEOUT),
                config.get(TOOL),
                config.get(SYSTEMCTL),
                config.get(CONFIGURATION),
                config.get(GATE),
                config.get(TAINT),
                config.get(TAINT_AFTER),
                config.get(EVENTS));
    }
}
