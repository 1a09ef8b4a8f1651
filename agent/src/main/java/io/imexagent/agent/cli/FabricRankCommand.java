package io.imexagent.agent.cli;

import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildLauncher;
import io.imexagent.fabric.child.ChildProgram;
import io.imexagent.fabric.rank.ChildMemory;
import io.imexagent.fabric.rank.Rank;
import io.imexagent.fabric.rank.RankSettings;
import io.imexagent.fabric.result.RankRow;
import io.imexagent.fabric.result.RowText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.Security;
import java.util.List;
import java.util.Optional;

/** {@code imex-agent fabric rank}: the program in pods of {@code fabric test}; hidden, without configuration. */
final class FabricRankCommand {

    /** The command line. */
    static final List<String> ARGUMENTS = List.of("fabric", "rank");

    /** The file from which the kubelet reads the termination message of a container. */
    static final Path MESSAGE = Path.of("/dev/termination-log");

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private FabricRankCommand() {}

    /** Takes part in the run that the environment describes, and writes its row into this file and the log. */
    static ExitCode run(Environment surroundings, Path message) throws IOException, InterruptedException {
        // The names of pods may not resolve yet while ranks look them up.
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
        RankSettings settings = RankSettings.of(surroundings.environment());
        try (var memory = new ChildMemory(
                () -> ChildLauncher.plain(ChildProgram.ofThisProcess()).launch(),
                ChildDeadlines.USUAL,
                settings.level(),
                Path.of("/"),
                new SecureRandom())) {
            RankRow _ = Rank.of(
                            settings, memory, boot(), line -> surroundings.out().println(line), row -> {
                                surroundings.out().println(RowText.whole(row));
                                Files.writeString(message, RowText.of(row));
                            })
                    .run();
        }
        return ExitCode.OK;
    }

    private static Optional<String> boot() {
        try {
            return Optional.of(
                    Files.readString(BOOT_ID, StandardCharsets.US_ASCII).strip());
        } catch (IOException hidden) {
            return Optional.empty();
        }
    }
}
