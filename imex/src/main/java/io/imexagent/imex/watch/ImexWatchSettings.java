package io.imexagent.imex.watch;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How the host's nvidia-imex is watched. The watch reads only.
 *
 * @param watch whether it is watched; default true
 * @param interval how often it is looked at while it is well; default 30 s
 * @param timeout how long one question to it may take; default 5 s
 * @param tool {@code nvidia-imex-ctl}; default {@code /usr/bin/nvidia-imex-ctl}
 * @param systemctl {@code systemctl}; default {@code /usr/bin/systemctl}
 * @param configuration the daemon's configuration file, under the host's root; default
 *     {@code /etc/nvidia-imex/config.cfg}
 * @param gatePrepare whether prepare is refused, for a later try, while the daemon is not ready or the domain is
 *     down; default false
 * @param taint whether devices are tainted then, NoSchedule; default false
 * @param taintAfter how long that must last before a taint comes, and how long all must be well before it goes;
 *     default 1 min
 * @param nodeEvents whether changes are told as Events of the Node while the agent serves; default true
 */
public record ImexWatchSettings(
        boolean watch,
        Duration interval,
        Duration timeout,
        Path tool,
        Path systemctl,
        Path configuration,
        boolean gatePrepare,
        boolean taint,
        Duration taintAfter,
        boolean nodeEvents) {}
