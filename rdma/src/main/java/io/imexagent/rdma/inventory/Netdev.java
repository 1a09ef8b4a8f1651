package io.imexagent.rdma.inventory;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A NIC's own network interface.
 *
 * @param name its name
 * @param mac its hardware address; empty where it is not told
 * @param mtu its MTU in bytes; empty where it is not told
 */
public record Netdev(InterfaceName name, Optional<String> mac, OptionalInt mtu) {}
