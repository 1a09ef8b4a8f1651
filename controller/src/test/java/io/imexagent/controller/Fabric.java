package io.imexagent.controller;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import java.util.List;
import java.util.Optional;

/** Cliques, ComputeDomains and what nodes hold, for tests. */
public final class Fabric {

    /** A clique. */
    public static final CliqueId ONE = new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1");

    /** Another one. */
    public static final CliqueId TWO = new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.2");

    /** A ComputeDomain, by what nodes say of it. */
    public static final DomainName RED = domain("red");

    /** Another one. */
    public static final DomainName BLUE = domain("blue");

    private Fabric() {}

    /** A ComputeDomain of this name. */
    public static DomainName domain(String name) {
        return new DomainName(new ComputeDomainUid("uid-of-" + name), "team", name);
    }

    /** A hold with a channel. */
    public static Hold hold(DomainName domain, int channel) {
        return new Hold(domain, Optional.of(new ChannelId(channel)));
    }

    /** A hold that has no channel yet. */
    public static Hold hold(DomainName domain) {
        return new Hold(domain, Optional.empty());
    }

    /** A table's entry. */
    public static ChannelEntry entry(int channel, DomainName domain, ChannelEntry.EntryState state) {
        return new ChannelEntry(new ChannelId(channel), domain, "tray-1", state);
    }

    /** A table in which these are bound, and none is to be released. */
    public static ChannelTable table(ChannelEntry... entries) {
        return ChannelTable.of(List.of(entries));
    }

    /** Two nodes that hold: both the first ComputeDomain, one of them another, too. */
    public static void holds(FakeCluster cluster) {
        cluster.hold("tray-1", ONE, 8, hold(RED, 3), hold(BLUE, 5));
        cluster.hold("tray-2", ONE, 8, hold(RED, 3));
    }
}
