package io.imexagent.controller;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.BindPlan;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkClique;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An agent that plays its part of the protocol one call at a time: hold, look, bind, look again, use, and write down what
 * it uses. Its calls always come through; what it does where they do not is its own module's.
 */
public final class FakeAgent {

    /** How many channels its node has, channel 0 included. */
    public static final int CHANNELS = 4;

    private final FakeCluster cluster;
    private final String node;
    private final CliqueId clique;
    private final Map<DomainName, Optional<Stored<NvlinkClique>>> held = new HashMap<>();
    private final Map<DomainName, ChannelId> uses = new HashMap<>();

    /** An agent that has just started on an empty node. */
    public FakeAgent(FakeCluster cluster, String node, CliqueId clique) {
        this.cluster = cluster;
        this.node = node;
        this.clique = clique;
        install();
    }

    /** Its clique. */
    public CliqueId clique() {
        return clique;
    }

    /** What its containers use. */
    public Map<DomainName, ChannelId> uses() {
        return Map.copyOf(uses);
    }

    /** Goes one step towards a channel for this ComputeDomain. */
    public void step(DomainName domain) {
        Optional<Stored<NvlinkClique>> seen = held.get(domain);
        if (seen == null) {
            held.put(domain, Optional.empty());
            write();
        } else if (uses.containsKey(domain)) {
            write();
        } else if (seen.isEmpty()) {
            held.put(domain, cluster.table(clique));
        } else {
            held.put(domain, Optional.empty());
            bind(domain, seen.get());
        }
    }

    private void bind(DomainName domain, Stored<NvlinkClique> seen) {
        NvlinkClique content = seen.content();
        switch (content.table().bind(domain, node, new ChannelTable.Limits(content.limit(), CHANNELS), List.of())) {
            case BindPlan.AlreadyBound bound -> uses.put(domain, bound.id());
            case BindPlan.TableChange change -> {
                try {
                    var _ = cluster.replace(seen, content.with(change.table()));
                } catch (ApiException overtaken) {
                    // It looks again.
                }
            }
            case BindPlan.BindConflict conflict -> {}
            case BindPlan.TableFull full -> {}
            case BindPlan.QuotaReached full -> {}
        }
    }

    /** Writes down what its containers use, and forgets what it saw. */
    public void note() {
        held.replaceAll((domain, seen) -> Optional.empty());
        write();
    }

    /** The last container of this ComputeDomain has ended. */
    public void release(DomainName domain) {
        uses.remove(domain);
        held.remove(domain);
        write();
    }

    /** The host is gone, with all that ran on it. */
    public void burn() {
        uses.clear();
        held.clear();
        cluster.kubernetesNode(node, Optional.empty());
    }

    /** The host is there, with nothing that runs on it. */
    public void install() {
        cluster.kubernetesNode(node, Optional.of(true));
        write();
    }

    private void write() {
        cluster.hold(
                node,
                clique,
                CHANNELS,
                held.keySet().stream()
                        .map(domain -> new Hold(domain, Optional.ofNullable(uses.get(domain))))
                        .toArray(Hold[]::new));
    }
}
