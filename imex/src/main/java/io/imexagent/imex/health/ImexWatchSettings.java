package io.imexagent.imex.health;

import io.imexagent.core.setting.Setting;
import io.imexagent.core.setting.Value;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The settings for the watch of the host's nvidia-imex ({@code imex.health}). The watch only reads. */
public record ImexWatchSettings(
        @Setting("Whether the host's nvidia-imex is watched; the watch reads only.") @Value(preset = "true")
        boolean watch,

        @Setting("How often nvidia-imex is read while it is healthy; at least every 5 s while it starts, and less"
                + " often while it does not answer.")
        @Value(preset = "30s", range = "1s..1h", reloadable = true)
        Duration interval,

        @Setting("How long one question to nvidia-imex may take before it is killed.")
        @Value(preset = "5s", range = "100ms..1m")
        Duration timeout,

        @Setting("The tool that asks the daemon.") @Value(preset = "/usr/bin/nvidia-imex-ctl")
        Path tool,

        @Setting("The program that tells the state of `nvidia-imex.service`.") @Value(preset = "/usr/bin/systemctl")
        Path systemctl,

        @Setting("The daemon's configuration file, as the host names it.")
        @Value(preset = "/etc/nvidia-imex/config.cfg")
        Path configuration,

        @Setting(
                "A Unix socket of nvidia-imex, as the host names it, on which it is asked where nothing answers that its"
                        + " configuration file names.")
        @Value(unset = "only what that file names is asked", example = "/etc/nvidia-imex/imex_ctrl.sock")
        Optional<Path> socket,

        @Setting("Whether prepare is refused, for a later try, while the daemon is not ready or the domain is DOWN.")
        @Value(preset = "false", reloadable = true)
        boolean gatePrepare,

        @Setting("Whether devices have the taint `imex.nvidia.com/unhealthy` (NoSchedule) while the daemon is not"
                + " ready or the domain is DOWN; and `imexagent.io/channel-conflict` (NoExecute) while"
                + " containers use a channel against the table of the node's clique.")
        @Value(preset = "false", reloadable = true)
        boolean taint,

        @Setting("How long that must last before the taint comes, and how long all must be well before it goes.")
        @Value(preset = "1m", range = "0s..1h", reloadable = true)
        Duration taintAfter,

        @Setting("Whether changes of nvidia-imex are recorded as Events of the Node while the agent serves.")
        @Value(preset = "true", reloadable = true)
        boolean nodeEvents) {}
