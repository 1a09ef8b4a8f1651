package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.Ledger;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads the claims that this node has prepared, and changes nothing. */
@FunctionalInterface
public interface ClaimsSource {

    /** The claims as they are now, of each DRA driver that has or may have any. */
    List<Answer> read(AgentConfig config);

    /** What is told of the claims of one driver. */
    sealed interface Answer {}

    /**
     * The claims of a driver, and where they stand.
     *
     * @param driver the driver
     * @param checkpoint the file that was read: the driver's record, or its backup
     * @param ledger what it holds; empty where there is no file
     * @param remark what is to be known about that file, a sentence; empty where it is the record and whole
     * @param cdiFile tells a claim's CDI file, there or not
     */
    record Reading(
            String driver, Path checkpoint, Ledger ledger, Optional<String> remark, Function<ClaimUid, CdiFile> cdiFile)
            implements Answer {}

    /**
     * The claims of a driver cannot be read.
     *
     * @param driver the driver
     * @param reason why; it names the file and the remedy
     */
    record Unreadable(String driver, String reason) implements Answer {}

    /**
     * The CDI file of a claim.
     *
     * @param path where it stands or would stand
     * @param present whether it does
     */
    record CdiFile(Path path, boolean present) {}
}
