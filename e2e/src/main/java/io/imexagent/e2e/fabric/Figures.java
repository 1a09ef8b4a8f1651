package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.DomainName;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** What binding cost, and whose each channel is: a channel of a clique that two ComputeDomains use ends the simulation. */
final class Figures {

    private record Channel(CliqueId clique, ChannelId id) {}

    private record Use(DomainName domain, int nodes) {}

    private final Map<Channel, Use> uses = new HashMap<>();
    private int[] calls = new int[1024];
    private float[] millis = new float[1024];
    private int bound;
    private long refused;

    void bound(CliqueId clique, ChannelId id, DomainName domain, int byCalls, long nanos) {
        Use use = uses.merge(
                new Channel(clique, id), new Use(domain, 1), (old, one) -> new Use(old.domain, old.nodes + 1));
        if (!use.domain.equals(domain)) {
            throw new IllegalStateException(
                    "channel " + id + " of clique " + clique + " is used for " + use.domain + " and " + domain);
        }
        if (bound == calls.length) {
            calls = Arrays.copyOf(calls, bound * 2);
            millis = Arrays.copyOf(millis, bound * 2);
        }
        calls[bound] = byCalls;
        millis[bound++] = nanos / 1e6f;
    }

    void gaveBack(CliqueId clique, ChannelId id) {
        uses.computeIfPresent(
                new Channel(clique, id), (channel, use) -> use.nodes == 1 ? null : new Use(use.domain, use.nodes - 1));
    }

    void refused() {
        refused++;
    }

    int bound() {
        return bound;
    }

    void report(ObjectNode to) {
        int[] sortedCalls = Arrays.copyOf(calls, bound);
        float[] sortedMillis = Arrays.copyOf(millis, bound);
        Arrays.sort(sortedCalls);
        Arrays.sort(sortedMillis);
        to.put("first claims on a node", bound).put("refused for want of a channel", refused);
        ObjectNode of = to.putObject("calls of a first claim");
        ObjectNode took = to.putObject("milliseconds of a first claim");
        for (double share : new double[] {0.5, 0.99, 0.999, 1}) {
            int at = Math.max(0, (int) Math.ceil(bound * share) - 1);
            String label = share == 1 ? "most" : "p" + share * 100;
            of.put(label, bound == 0 ? 0 : sortedCalls[at]);
            took.put(label, bound == 0 ? 0 : Math.round(sortedMillis[at] * 10) / 10.0);
        }
    }
}
