package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** Reads the claims that this node has prepared, and changes nothing. */
@FunctionalInterface
public interface ClaimsSource {

    /**
     * The claims as they are now.
     *
     * @throws IOException where the checkpoint cannot be read; the message names the file and the remedy
     */
    Reading read(AgentConfig config) throws IOException;

    /**
     * The claims, and where they stand.
     *
     * @param checkpoint the file that was read: the checkpoint, or its backup
     * @param ledger what it holds; empty where there is no file
     * @param remark what is to be known about that file, a sentence; empty where it is the checkpoint and whole
     * @param cdiFile tells a claim's CDI file, there or not
     */
    record Reading(Path checkpoint, Ledger ledger, Optional<String> remark, Function<ClaimUid, CdiFile> cdiFile) {}

    /**
     * The CDI file of a claim.
     *
     * @param path where it stands or would stand
     * @param present whether it does
     */
    record CdiFile(Path path, boolean present) {}
}
