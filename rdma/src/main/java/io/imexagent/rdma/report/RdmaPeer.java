package io.imexagent.rdma.report;

import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.RdmaView;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The NICs of another node by interface or RDMA device, as its summary prints them. */
public record RdmaPeer(Set<String> names) {

    /** The variable that the harness of the sandboxes takes the list from. */
    private static final String VARIABLE = "RDMA_PEER_IFACES=";

    public RdmaPeer {
        names = Set.copyOf(names);
    }

    /** How the rails differ. Ranks with different sets block each other in the first collective operation. */
    public record Difference(SortedSet<String> onlyHere, SortedSet<String> onlyThere) {

        /** Whether both have the same. */
        public boolean isNone() {
            return onlyHere.isEmpty() && onlyThere.isEmpty();
        }
    }

    /** The names in the list. */
    public static RdmaPeer parse(String list) {
        String names = list.strip();
        names = (names.startsWith(VARIABLE) ? names.substring(VARIABLE.length()) : names).replace("\"", "");
        var found = new LinkedHashSet<>(Arrays.asList(names.split("[,\\s]+", -1)));
        found.remove("");
        return new RdmaPeer(found);
    }

    /** The view under this peer set, over the same reading. */
    public RdmaView applied(RdmaView view, RdmaSettings config) {
        return view.under(new RailSelector(config, Optional.of(names), config.strict()), config);
    }

    /**
     * How the rails of this node, whatever the peer has, differ from the peer's. Strict mode does not count: it would leave
     * no rail to compare for the sake of one.
     */
    public Difference difference(RdmaView view, RdmaSettings config) {
        return difference(new RailSelector(config, Optional.empty(), false)
                .select(view.inventory())
                .rails());
    }

    /** How these rails differ from the peer's. */
    public Difference difference(Collection<Rail> rails) {
        var here = new TreeSet<String>();
        var there = new TreeSet<>(names);
        for (Rail rail : rails) {
            if (!rail.nic().isNamed(names)) {
                here.add(rail.label());
            }
            there.remove(rail.nic().name().text());
            rail.nic().interfaceName().ifPresent(name -> there.remove(name.text()));
        }
        return new Difference(here, there);
    }
}
