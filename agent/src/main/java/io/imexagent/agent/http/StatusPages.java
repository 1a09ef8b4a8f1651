package io.imexagent.agent.http;

import io.imexagent.core.check.Condition;
import java.util.List;

/** What the HTTP server shows. Every method is called on a worker thread and may take milliseconds. */
public interface StatusPages {

    /** All metrics in the Prometheus text format 0.0.4. */
    String metrics();

    /** What must hold for a restart not to help: the agent makes progress. */
    List<Condition> liveness();

    /** What must hold for the node to serve. */
    List<Condition> readiness();

    /** Where the document about what this process looks after is shown, to whom {@link DocumentAccess} admits. */
    default String documentPath() {
        return "/inventory";
    }

    /** That document as JSON: an agent's inventory. */
    String inventory();
}
