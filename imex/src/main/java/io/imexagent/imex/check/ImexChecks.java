package io.imexagent.imex.check;

import io.imexagent.core.check.CheckResult;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import io.imexagent.imex.query.ImexConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The host's nvidia-imex, which belongs to the operator. Never a failure, since the agent serves without it. */
public final class ImexChecks {

    private static final String NODES = "imex-nodes";
    private static final String SERVICE = "nvidia-imex";
    private static final String FILE = "etc/nvidia-imex/nodes_config.cfg";

    private ImexChecks() {}

    /** The list of peers of nvidia-imex, without which that daemon does not start. */
    public static CheckResult nodes(Path hostRoot) {
        String remedy = "write one address of a peer on each line, the same file on every node, then restart"
                + " nvidia-imex; without it pods start and CUDA's IMEX calls fail";
        try {
            String text = new String(Files.readAllBytes(hostRoot.resolve(FILE)), StandardCharsets.ISO_8859_1);
            int peers = ImexConfiguration.nodes(text).size();
            return peers > 0
                    ? CheckResult.ok(NODES, "/" + FILE + " names " + peers + (peers == 1 ? " node" : " nodes"))
                    : CheckResult.warning(NODES, "/" + FILE + " names no node", remedy);
        } catch (NoSuchFileException missing) {
            return CheckResult.warning(NODES, "/" + FILE + " does not exist", remedy);
        } catch (IOException failure) {
            return CheckResult.warning(
                    NODES, "/" + FILE + " cannot be read: " + failure.getMessage(), "make it readable for the agent");
        }
    }

    /** nvidia-imex.service: installed, running, with its domain. Where not, pods start, and CUDA's IMEX calls fail. */
    public static CheckResult service(ImexHealth health) {
        Verdict verdict = health.verdict();
        String message = verdict.summary() + (verdict.cause().isEmpty() ? "" : ": " + verdict.cause());
        return switch (verdict.level()) {
            case UP, NOT_APPLICABLE -> CheckResult.ok(SERVICE, message);
            case DEGRADED, DOWN, UNKNOWN -> CheckResult.warning(SERVICE, message, verdict.nextStep());
        };
    }
}
