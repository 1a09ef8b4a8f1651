package io.imexagent.dra.claim;

import java.io.IOException;

/** Another process has saved claims in the checkpoint that this agent must not serve. */
final class ForeignClaimsException extends IOException {

    private static final long serialVersionUID = 1L;

    /** Claims that are not served for this reason, a sentence. */
    ForeignClaimsException(String reason) {
        super("another process has changed the checkpoint of this node: " + reason
                + " Nothing is prepared or unprepared here until the operator stops the other plugin and starts"
                + " imex-agent again, whose log then tells the way out");
    }
}
