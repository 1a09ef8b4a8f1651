package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ClaimsSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.prepare.CheckpointReader;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.ClaimSpec;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.files.FileFault;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads the claims of this node from its files, whether the daemon runs or not, and changes nothing. */
final class LocalClaims implements ClaimsSource {

    @Override
    public Reading read(AgentConfig config) throws IOException {
        Path checkpoint = Places.checkpoint(config);
        var specs = new CdiDirectory(config.cdi().directory(), ClaimSpec.KIND);
        CheckpointReader.Found found = read(checkpoint);
        return new Reading(found.file(), found.ledger(), found.remark(), claim -> {
            Path file = specs.file(claim);
            return new CdiFile(file, Files.exists(file));
        });
    }

    private static CheckpointReader.Found read(Path checkpoint) throws IOException {
        try {
            return CheckpointReader.read(checkpoint)
                    .orElseGet(() ->
                            new CheckpointReader.Found(checkpoint, Ledger.empty(Optional.empty()), Optional.empty()));
        } catch (FileFault fault) {
            if (fault.getCause() instanceof AccessDeniedException) {
                throw new IOException("cannot read " + fault.path() + ": Permission denied; run it as root", fault);
            }
            throw fault;
        }
    }
}
