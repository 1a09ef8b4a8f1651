package io.imexagent.rdma.inventory;

import java.util.ArrayList;
import java.util.List;

/**
 * How an interface deals with ARP, in effective values: the larger of the one for all interfaces and its own
 * (Documentation/networking/ip-sysctl.rst); {@code arp_filter} is 0 or 1.
 */
public record ArpSettings(int announce, int ignore, int filter, int reversePath) {

    /** What several rails in one subnet need, so that none answers for another. */
    public static final ArpSettings MULTI_RAIL = new ArpSettings(2, 1, 1, 1);

    /** For each setting the larger of both, which the kernel goes by. */
    public ArpSettings strictest(ArpSettings other) {
        return new ArpSettings(
                Math.max(announce, other.announce),
                Math.max(ignore, other.ignore),
                Math.max(filter, other.filter),
                Math.max(reversePath, other.reversePath));
    }

    /** The settings that fall short of {@link #MULTI_RAIL}, each as {@code arp_ignore=0, needs 1}. */
    public List<String> shortcomings() {
        var missing = new ArrayList<>(neighbourShortcomings());
        atLeast("arp_filter", filter, MULTI_RAIL.filter, missing);
        if (reversePath != MULTI_RAIL.reversePath) {
            missing.add("rp_filter=" + reversePath + ", needs " + MULTI_RAIL.reversePath);
        }
        return List.copyOf(missing);
    }

    /** Those by which an interface that is no rail answers for the rails of its subnet, or announces their addresses. */
    public List<String> neighbourShortcomings() {
        var missing = new ArrayList<String>();
        atLeast("arp_announce", announce, MULTI_RAIL.announce, missing);
        atLeast("arp_ignore", ignore, MULTI_RAIL.ignore, missing);
        return List.copyOf(missing);
    }

    private static void atLeast(String name, int value, int least, List<String> into) {
        if (value < least) {
            into.add(name + "=" + value + ", needs " + least);
        }
    }
}
