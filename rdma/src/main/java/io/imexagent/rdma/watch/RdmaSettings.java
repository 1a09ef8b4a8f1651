package io.imexagent.rdma.watch;

import java.util.Optional;

/**
 * Which RDMA NICs may be handed to containers. Lists are of names as the operator wrote them.
 *
 * @param enabled whether they are looked after at all; default false
 * @param exclude the pattern of interfaces that stay on the host; default {@code ^eth[0-9]+$}, empty for none
 * @param include the only ones to offer, by interface or RDMA device; empty for all that qualify
 * @param includeUplinks whether {@code include} beats the protection of uplinks; default false
 * @param peer those that the other nodes have; empty where that does not matter
 * @param uplinks further interfaces that carry the host's own traffic
 * @param nodeAddresses the addresses under which the cluster knows the node
 * @param storageDevices PCI devices, {@code vendor:device}, that are never rails; default BlueField
 * @param strict whether a rail without an address is an error; default false
 * @param rails how those that are offered are published and handed out
 */
public record RdmaSettings(
        boolean enabled,
        String exclude,
        Optional<NameList> include,
        boolean includeUplinks,
        Optional<NameList> peer,
        Optional<NameList> uplinks,
        Optional<NameList> nodeAddresses,
        NameList storageDevices,
        boolean strict,
        RailSettings rails) {}
