package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ClaimsSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.ClaimSpec;
import io.imexagent.checkpoint.CheckpointCodec;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.DriverNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Reads the claims of this node from its files, whether the daemon runs or not, and changes nothing. */
final class LocalClaims implements ClaimsSource {

    @Override
    public Reading read(AgentConfig config) throws IOException {
        Path checkpoint = Places.checkpoint(config);
        var specs = new CdiDirectory(config.cdi().directory(), ClaimSpec.KIND);
        return new Reading(checkpoint, ledger(checkpoint), claim -> {
            Path file = specs.file(claim);
            return new CdiFile(file, Files.exists(file));
        });
    }

    private static Ledger ledger(Path checkpoint) throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(checkpoint);
        } catch (NoSuchFileException absent) {
            return Ledger.empty(Optional.empty());
        } catch (IOException failure) {
            throw new IOException(
                    "cannot read " + checkpoint + ": " + failure.getClass().getSimpleName() + "; run it as root",
                    failure);
        }
        return switch (CheckpointCodec.decode(content)) {
            case CheckpointCodec.Decoded.Intact intact -> intact.ledger();
            case CheckpointCodec.Decoded.Broken broken ->
                throw new IOException(checkpoint + " is broken: " + broken.reason()
                        + "; the daemon moves it aside at its next start and uses the backup "
                        + DriverNames.DRIVER
                        + "/checkpoint.json.bak");
        };
    }
}
