package io.imexagent.dra.claim;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.util.ArrayList;
import java.util.List;

/** Why claims on this node must not be served, and the remedy, one line each; the details are claims or files. */
public record Objection(String reason, List<String> details, String wayOut) {

    /**
     * The command that drains a node; without the two options it refuses nodes with a DaemonSet or an emptyDir, which
     * all nodes have.
     */
    public static final String DRAIN = "kubectl drain NODE --ignore-daemonsets --delete-emptydir-data";

    private static final int MOST_LISTED = 20;

    public Objection {
        details = List.copyOf(details);
    }

    /** The whole objection in several lines, as the reason why the agent does not start. */
    public String text() {
        var text = new StringBuilder(reason).append('\n');
        details.forEach(line -> text.append("  ").append(line).append('\n'));
        return text.append("Way out: ").append(wayOut).toString();
    }

    /** Reason and details on one line. */
    public String line() {
        return details.isEmpty() ? reason : reason + " " + String.join("; ", details);
    }

    /** The prepared claims of a ledger as details. */
    public static List<String> claims(Ledger ledger) {
        List<ClaimEntry.Completed> claims = ledger.completed();
        var lines = new ArrayList<String>();
        for (ClaimEntry.Completed claim : claims.subList(0, Math.min(claims.size(), MOST_LISTED))) {
            lines.add("claim " + claim.name().map(name -> name + " ").orElse("") + "uid " + claim.uid());
        }
        if (claims.size() > MOST_LISTED) {
            lines.add("and " + (claims.size() - MOST_LISTED) + " more, see 'imex-agent claims list'");
        }
        return lines;
    }
}
