package io.imexagent.agent.check;

import static io.imexagent.agent.check.CheckResult.failure;
import static io.imexagent.agent.check.CheckResult.ok;
import static io.imexagent.agent.check.CheckResult.warning;

import io.imexagent.checkpoint.CheckpointCodec;
import io.imexagent.checkpoint.CheckpointCodec.Decoded;
import io.imexagent.checkpoint.ModeFile;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.ServingMode;
import io.imexagent.core.policy.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The checkpoint and the mode under which its claims were prepared. Nothing is moved or mended. */
final class CheckpointChecks {

    private static final String CHECKPOINT = "checkpoint";
    private static final String MODE = "mode";

    private final Path checkpoint;
    private final ModeFile modeFile;
    private final Optional<Isolation> isolation;

    CheckpointChecks(Path checkpoint, ModeFile modeFile, Optional<Isolation> isolation) {
        this.checkpoint = checkpoint;
        this.modeFile = modeFile;
        this.isolation = isolation;
    }

    List<CheckResult> run() {
        var results = new ArrayList<CheckResult>();
        try {
            Optional<Decoded> present = decode(checkpoint);
            Optional<Decoded> usable = present.filter(Decoded.Intact.class::isInstance);
            if (usable.isEmpty()) {
                usable = decode(backup()).filter(Decoded.Intact.class::isInstance);
            }
            results.add(checkpoint(present, usable));
            if (usable.isPresent() && usable.get() instanceof Decoded.Intact intact) {
                results.add(mode(intact.ledger()));
            }
        } catch (IOException failure) {
            results.add(failure(
                    CHECKPOINT,
                    checkpoint + " cannot be read: " + failure.getMessage(),
                    "run as root; check the disk"));
        }
        return results;
    }

    private CheckResult checkpoint(Optional<Decoded> present, Optional<Decoded> usable) {
        if (present.isPresent() && present.get() instanceof Decoded.Broken broken) {
            String message = checkpoint + " is broken: " + broken.reason();
            return usable.isPresent()
                    ? warning(CHECKPOINT, message, "nothing: the agent moves it aside at its start and uses the backup")
                    : failure(
                            CHECKPOINT,
                            message + "; there is no backup that can be used",
                            "drain the node, remove the CDI files of this driver and the checkpoint, then start the"
                                    + " agent");
        }
        return usable.filter(Decoded.Intact.class::isInstance)
                .map(Decoded.Intact.class::cast)
                .map(intact -> ok(
                        CHECKPOINT,
                        (present.isPresent() ? checkpoint : backup()) + " holds "
                                + intact.ledger().entries().size() + " claims"))
                .orElse(ok(CHECKPOINT, checkpoint + " does not exist yet"));
    }

    private CheckResult mode(Ledger ledger) throws IOException {
        Optional<ServingMode> configured = isolation.flatMap(ServingMode::of);
        Optional<ServingMode> prepared = ServingMode.infer(ledger);
        switch (modeFile.read()) {
            case ModeFile.Reading.Recorded recorded -> {
                if (prepared.isPresent()) {
                    prepared = Optional.of(recorded.mode());
                }
            }
            case ModeFile.Reading.Missing missing -> {}
            case ModeFile.Reading.Unreadable unreadable -> {
                return warning(
                        MODE, unreadable.reason(), "nothing: the mode is inferred from the claims, and rewritten");
            }
        }
        if (prepared.isEmpty() || prepared.equals(configured)) {
            return ok(
                    MODE,
                    prepared.map(mode -> "claims are prepared as configured: " + mode.text())
                            .orElse("no claim is prepared, any mode may be configured"));
        }
        return failure(
                MODE,
                "claims are prepared as " + prepared.get().text() + ", configured is "
                        + configured.map(ServingMode::text).orElse("nothing that this agent serves"),
                "drain the node first, or configure the mode of the prepared claims");
    }

    private Path backup() {
        return checkpoint.resolveSibling(checkpoint.getFileName() + ".bak");
    }

    private static Optional<Decoded> decode(Path file) throws IOException {
        try {
            return Optional.of(CheckpointCodec.decode(Files.readAllBytes(file)));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }
}
