package io.imexagent.fabric.rank;

import io.imexagent.fabric.result.RingPlan;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of a rank: its run and number, the hosts of the other ranks, the number of GPUs of each rank, and how
 * long it waits. {@code host} is the pattern of the ranks' host names, with {@code %} for the number of the rank.
 * {@code address} is the address on which this rank listens; if empty, it listens on all addresses of its host.
 */
public record RankSettings(
        String run,
        int rank,
        int ranks,
        String host,
        int port,
        FabricLevel level,
        int gpus,
        Duration gather,
        Duration hold,
        Path token,
        Optional<String> address) {

    /** The port on which ranks serve their handles. */
    public static final int PORT = 9410;

    /** How long a rank keeps its memory after its own imports if other ranks are not done. */
    public static final Duration HOLD = Duration.ofSeconds(60);

    /** The variables of a rank's environment. The Job controller sets {@code JOB_COMPLETION_INDEX}. */
    public enum RankVariable {
        FABRIC_TEST_RUN,
        JOB_COMPLETION_INDEX,
        FABRIC_TEST_RANKS,
        FABRIC_TEST_HOST,
        FABRIC_TEST_LEVEL,
        FABRIC_TEST_GPUS,
        FABRIC_TEST_GATHER_SECONDS,
        FABRIC_TEST_TOKEN_FILE,
        /** The address of a rank that shares its host with other ranks; not set in pods. */
        FABRIC_TEST_ADDRESS
    }

    /** Reads the settings from an environment; the message of a failure names the variable. */
    public static RankSettings of(Map<String, String> environment) throws IOException {
        int ranks = number(environment, RankVariable.FABRIC_TEST_RANKS, 2, RingPlan.MOST);
        return new RankSettings(
                text(environment, RankVariable.FABRIC_TEST_RUN),
                number(environment, RankVariable.JOB_COMPLETION_INDEX, 0, ranks - 1),
                ranks,
                text(environment, RankVariable.FABRIC_TEST_HOST),
                PORT,
                level(environment),
                number(environment, RankVariable.FABRIC_TEST_GPUS, 1, Frame.MOST_GPUS),
                Duration.ofSeconds(number(environment, RankVariable.FABRIC_TEST_GATHER_SECONDS, 1, 3600)),
                HOLD,
                Path.of(text(environment, RankVariable.FABRIC_TEST_TOKEN_FILE)),
                Optional.ofNullable(environment.get(RankVariable.FABRIC_TEST_ADDRESS.name())));
    }

    private static FabricLevel level(Map<String, String> environment) throws IOException {
        try {
            return FabricLevel.of(text(environment, RankVariable.FABRIC_TEST_LEVEL));
        } catch (IllegalArgumentException unknown) {
            throw new IOException(RankVariable.FABRIC_TEST_LEVEL + " is none of import, map, data", unknown);
        }
    }

    private static String text(Map<String, String> environment, RankVariable variable) throws IOException {
        return Optional.ofNullable(environment.get(variable.name()))
                .filter(text -> !text.isBlank())
                .orElseThrow(
                        () -> new IOException(
                                variable
                                        + " is not set; 'fabric rank' is started by the pods of 'imex-agent fabric test', not by hand"));
    }

    private static int number(Map<String, String> environment, RankVariable variable, int least, int most)
            throws IOException {
        String text = text(environment, variable);
        if (!text.matches("[0-9]{1,6}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
            throw new IOException(variable + " is no number of " + least + " to " + most);
        }
        return Integer.parseInt(text);
    }

    /** Returns the host name of a rank. */
    public String hostOf(int other) {
        return host.replace("%", Integer.toString(other));
    }

    /** Reads the run's token from its file. */
    RunToken readToken() throws IOException {
        return RunToken.of(Files.readString(token, StandardCharsets.US_ASCII).strip());
    }
}
