package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ChannelId;

/** What a look at a clique's table gives to a node that wants a channel for a ComputeDomain which it holds. */
public sealed interface Binding {

    /** The table as it was read says it: the channel may be used. */
    record Bound(ChannelId id) implements Binding {}

    /**
     * The table has to be written as a whole over the version that was read; after that, or where another writer was faster,
     * it is looked at again.
     */
    record Change(ChannelTable table) implements Binding {}

    /** No channel is free; this many have an owner. */
    record Full(int taken) implements Binding {}

    /** The namespace has as many channels of the clique as it may, which are this many. */
    record NamespaceFull(int taken) implements Binding {}
}
