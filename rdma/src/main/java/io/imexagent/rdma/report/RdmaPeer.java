package io.imexagent.rdma.report;

import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.selection.Selection;
import io.imexagent.rdma.selection.Selection.NicVerdict;
import io.imexagent.rdma.watch.RdmaView;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The NICs of another node by interface or RDMA device, as its summary prints them. */
public record RdmaPeer(Set<String> names) {

    /** The variable from which the sandboxes' harness reads the list. */
    private static final String VARIABLE = "RDMA_PEER_IFACES=";

    public RdmaPeer {
        names = Set.copyOf(names);
    }

    /**
     * The differences of the rails. Ranks with different sets of rails block each other in the first collective
     * operation.
     */
    public record Difference(SortedSet<String> onlyHere, SortedSet<String> onlyThere) {

        public boolean isNone() {
            return onlyHere.isEmpty() && onlyThere.isEmpty();
        }
    }

    public static RdmaPeer parse(String list) {
        String names = list.strip();
        names = (names.startsWith(VARIABLE) ? names.substring(VARIABLE.length()) : names).replace("\"", "");
        var found = new LinkedHashSet<>(Arrays.asList(names.split("[,\\s]+", -1)));
        found.remove("");
        return new RdmaPeer(found);
    }

    /** The view with this peer's set of NICs, over the same reading. */
    public RdmaView applied(RdmaView view) {
        return view.under(new RailSelector(view.settings(), Optional.of(names)));
    }

    /**
     * How the node's rails differ from the peer's, without regard to the peer in their selection and to strict mode.
     */
    public Difference difference(Selection selection) {
        var here = new TreeSet<String>();
        var there = new TreeSet<>(names);
        selection.verdicts().stream()
                .filter(RdmaPeer::isRail)
                .flatMap(verdict -> verdict.reading().asNic().stream())
                .forEach(nic -> {
                    if (!nic.isNamed(names)) {
                        here.add(nic.label());
                    }
                    there.remove(nic.name().text());
                    there.remove(nic.label());
                });
        return new Difference(here, there);
    }

    private static boolean isRail(NicVerdict verdict) {
        return switch (verdict.choice()) {
            case Choice.SelectedNic _ -> true;
            case Choice.DroppedNic dropped -> dropped.rule() == Choice.SelectionRule.NOT_AT_PEER;
        };
    }
}
