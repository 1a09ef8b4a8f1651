package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.e2e.bench.Samples;
import io.imexagent.kubernetes.clique.DomainName;
import java.util.HashMap;
import java.util.Map;

/** What binding cost, and whose each channel is: a channel of a clique that two ComputeDomains use ends the simulation. */
final class Figures {

    private record Channel(CliqueId clique, ChannelId id) {}

    private record Use(DomainName domain, int nodes) {}

    private final Map<Channel, Use> uses = new HashMap<>();
    private final Samples calls = new Samples();
    private final Samples took = new Samples();
    private long refused;

    void bound(CliqueId clique, ChannelId id, DomainName domain, int byCalls, long nanos) {
        Use use = uses.merge(
                new Channel(clique, id), new Use(domain, 1), (old, one) -> new Use(old.domain, old.nodes + 1));
        if (!use.domain.equals(domain)) {
            throw new IllegalStateException(
                    "channel " + id + " of clique " + clique + " is used for " + use.domain + " and " + domain);
        }
        calls.addFigure(byCalls);
        took.add(nanos);
    }

    void gaveBack(CliqueId clique, ChannelId id) {
        uses.computeIfPresent(
                new Channel(clique, id), (channel, use) -> use.nodes == 1 ? null : new Use(use.domain, use.nodes - 1));
    }

    void refused() {
        refused++;
    }

    int bound() {
        return calls.count();
    }

    void report(ObjectNode to) {
        to.put("first claims on a node", bound()).put("refused for want of a channel", refused);
        ObjectNode of = to.putObject("calls of a first claim");
        ObjectNode millis = to.putObject("milliseconds of a first claim");
        for (double percent : bound() == 0 ? new double[0] : new double[] {50, 99, 99.9, 100}) {
            String label = percent == 100 ? "most" : "p" + percent;
            of.put(label, (int) calls.percentile(percent));
            millis.put(label, Math.round(took.percentile(percent) * 10) / 10.0);
        }
    }
}
