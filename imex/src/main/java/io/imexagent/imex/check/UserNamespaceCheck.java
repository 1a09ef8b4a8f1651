package io.imexagent.imex.check;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.imex.probe.ChannelNodes;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The pods with {@code hostUsers: false} that this host can serve: their containers get the host's node of their
 * channel and no other. A host that can serve none of them is complete unless it has to run such pods.
 */
public record UserNamespaceCheck(ChannelNodes nodes, ChannelMajor major) {

    static final String ID = "user-namespaces";

    private static final String PODS = "pods with hostUsers: false";

    /** Checks a host where all workloads share channel 0. */
    public CheckResult shared() {
        Optional<String> closed = nodes.closed(new ChannelId(0), major);
        return CheckResult.ok(
                ID,
                closed.map(why -> PODS + " get no channel here: " + why + "; one with mode 0666 lets them in, and every"
                                + " user of this host (docs/isolation.md)")
                        .orElse(PODS + " can open channel 0, as every user of this host can"));
    }

    /** Checks a host where workloads have channels 1 to {@code channels} − 1. */
    public CheckResult owned(int channels) {
        List<Integer> open = IntStream.range(1, channels)
                .filter(channel -> nodes.closed(new ChannelId(channel), major).isEmpty())
                .boxed()
                .toList();
        if (open.isEmpty()) {
            return CheckResult.ok(
                    ID,
                    PODS + " get no channel here: the host has no node of channels 1 to " + (channels - 1)
                            + " that all users may open; nodes with mode 0666 let them in, and every user of this host"
                            + " (docs/isolation.md)");
        }
        return CheckResult.ok(
                ID,
                open.size() == channels - 1
                        ? PODS + " can open every channel, as every user of this host can"
                        : PODS + " can open " + open.size() + " of channels 1 to " + (channels - 1)
                                + ", as every user of this host can; those whose ComputeDomain is bound to another are"
                                + " refused");
    }
}
