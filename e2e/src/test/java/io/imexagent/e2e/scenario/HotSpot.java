package io.imexagent.e2e.scenario;

import io.imexagent.e2e.process.AgentLaunch;
import java.io.IOException;
import org.junit.jupiter.api.Assumptions;

/** What only an agent on HotSpot has. */
final class HotSpot {

    private HotSpot() {}

    /** Leaves a scenario out where the agent does not run on HotSpot; the report has the reason. */
    static void isNeeded(String reason) throws IOException, InterruptedException {
        Assumptions.assumeTrue(AgentLaunch.command().isOnHotSpot(), reason);
    }
}
